# SPDX-License-Identifier: Apache-2.0
"""Synthesizes one block and describes its netlist: levels, delay, size, slowest paths."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from rtl import yosys
from rtl.syn import blocks, paths

QPS = 256
BUDGET_NS = 4.0
SHOWN = 12  # nets of a path that the table keeps


def synthesize(name, parameters):
    """The mapped netlist of a block as Yosys' JSON."""
    top = f"roci_{name}"
    read = yosys.read_script(top, parameters)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "netlist.json"
        script = f"{read} {blocks.COMMAND} -top {top}; check -assert; write_json {out}"
        done = subprocess.run(["yosys", "-q", "-p", script], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr[-2000:]}")
        return out.read_text()


def slowest(netlist, ends, count):
    """The slowest paths; one bit of a word stands for all of its bits."""
    shown = {}
    for ns, levels, _, bit, end in ends:
        if len(shown) == count:
            break
        path = netlist.path(ns, levels, bit, end)
        key = re.sub(r"\[\d+\]", "", path.start), re.sub(r"\[\d+\]", "", path.end)
        shown.setdefault(key, path)
    return list(shown.values())


def through(path, most):
    """The nets of a path with their sources, one bit of a word once; at most so many."""
    nets = {}
    for net, source in path.through:
        nets.setdefault(re.sub(r"\[\d+\]", "", net), f"{net} {paths.short(source)}".strip())
    nets = list(nets.values())
    step = max(1, -(-len(nets) // most))
    return nets[::step]


def row_of(netlist, budget=BUDGET_NS):
    """What the table says of a netlist."""
    ends = netlist.ends_by_delay()
    row = {"levels": max((most for _, _, most, _, _ in ends), default=0),
           "ns": round(ends[0][0], 2) if ends else 0.0,
           "over": sum(ns > budget for ns, *_ in ends), "ends": len(ends)}
    row.update((key, value) for key, value in netlist.sizes.items() if key != "DSP" or value)
    found = slowest(netlist, ends, 1)
    row["path"] = [found[0].start, *through(found[0], SHOWN), found[0].end] if found else []
    return row


class Meter:
    """Measures blocks; what was measured on the same sources before is kept in a folder."""

    def __init__(self, folder, qps=QPS, parameters=None):
        """`parameters`: (block, width) -> its parameters, in place of those with `qps`."""
        self.folder, self.tool = folder, blocks.tool_version()
        self.parameters = parameters or (lambda name, width: blocks.parameters(name, width, qps))

    def digest(self, name, width, model=paths.MODEL):
        """Changes with the sources, the parameters, the tool and the delay model."""
        return blocks.digest(name, self.parameters(name, width), self.tool, blocks.COMMAND, model)

    def is_of_sources(self, row, name, width):
        """Whether a row was measured on these sources, by whatever delay model."""
        return row["sources"] == self.digest(name, width, row.get("model", 1))

    def known(self, name, width):
        """The row of an earlier measurement, or None."""
        kept = self.folder / f"{name}_{self.digest(name, width)}.json"
        return json.loads(kept.read_text()) if kept.exists() else None

    def measure(self, name, width):
        """(row, netlist), measured anew and kept."""
        sources, start = self.digest(name, width), time.monotonic()
        netlist = paths.Netlist(synthesize(name, self.parameters(name, width)))
        row = row_of(netlist)
        row["seconds"] = round(time.monotonic() - start)
        row["sources"] = sources
        row["model"] = paths.MODEL
        row["commit"] = commit(yosys.sources(f"roci_{name}"))
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = self.folder / f"{name}_{sources}.json"
        kept.write_text(json.dumps(row))
        return row, netlist

    def row(self, name, width):
        return self.known(name, width) or self.measure(name, width)[0]


def commit(files):
    """The last commit that changed one of the files; with a + when one differs from it."""
    def git(*args):
        return subprocess.run(["git", "-C", str(yosys.RTL), *args, "--", *map(str, files)],
                              capture_output=True, text=True).stdout.strip()
    found = git("log", "-1", "--abbrev=7", "--format=%h")
    return found + "+" if found and git("status", "--porcelain") else found
