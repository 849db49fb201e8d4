#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Longest paths of RTL blocks, estimated from the netlist that Yosys maps for UltraScale+.

usage: timing.py [BLOCK...] [--width 64|128|256|512] [--qps N] [--budget NS] [--paths N]

BLOCK is a block's name, such as rx_parse or rq; without one, all are measured. Each block is
synthesized by itself and flat, so paths between two blocks are not seen; the tops rx, tx, sq, rq,
dma and control hold the paths between their own blocks. The delay model is that of paths.py.
Printed for each block: the most LUT levels of any path, the slowest path in ns, the number of
path ends that miss the budget (4.0 ns, 250 MHz), LUTs of logic and of memory, and the slowest
paths with their source.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402
from rtl.syn import paths  # noqa: E402

RTL = ROOT / "rtl"
QPS = 256
BUDGET_NS = 4.0


def blocks():
    """Name -> source of each block: a folder with a block.cmake, called as its module is."""
    folders = sorted(cmake.parent for cmake in RTL.rglob("block.cmake"))
    return {folder.name: folder / f"roci_{folder.name}.sv" for folder in folders}


def parameters(source, width, qps):
    """The parameters among DataWidth and NumQps that the module has, with their values."""
    wanted = {"DataWidth": width, "NumQps": qps}
    text = source.read_text()
    return {name: value for name, value in wanted.items()
            if re.search(rf"parameter int unsigned\s+{name}\b", text)}


def synthesize(name, width, qps):
    """The mapped netlist of a block as Yosys' JSON."""
    top = f"roci_{name}"
    read = yosys.read_script(top, parameters(blocks()[name], width, qps))
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "netlist.json"
        script = (f"{read} synth_xilinx -family xcup -noiopad -noclkbuf -nowidelut -flatten "
                  f"-top {top}; check -assert; write_json {out}")
        subprocess.run(["yosys", "-q", "-p", script], check=True, stdout=subprocess.DEVNULL)
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
    return shown.values()


def report(name, width, qps, budget, count):
    netlist = paths.Netlist(synthesize(name, width, qps))
    ends = netlist.ends_by_delay()
    levels = max((most for _, _, most, _, _ in ends), default=0)
    worst = ends[0][0] if ends else 0.0
    over = sum(ns > budget for ns, *_ in ends)
    print(f"{name}: {levels} LUT levels, {worst:.2f} ns, {over} of {len(ends)} path ends over "
          f"{budget} ns, {netlist.luts} + {netlist.lut_rams} LUT")
    for path in slowest(netlist, ends, count):
        print(f"  {path.ns:.2f} ns, {path.levels} levels: {path.start} -> {path.end}")
        for net, source in path.through:
            print(f"    {net} {paths.short(source)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("blocks", nargs="*", metavar="BLOCK")
    parser.add_argument("--width", type=int, default=512, choices=[64, 128, 256, 512])
    parser.add_argument("--qps", type=int, default=QPS)
    parser.add_argument("--budget", type=float, default=BUDGET_NS)
    parser.add_argument("--paths", type=int, default=3)
    args = parser.parse_args()
    unknown = set(args.blocks) - set(blocks())
    if unknown:
        parser.error(f"no block {', '.join(sorted(unknown))}; there are {' '.join(blocks())}")
    for name in args.blocks or blocks():
        report(name, args.width, args.qps, args.budget, args.paths)
    return 0


if __name__ == "__main__":
    sys.exit(main())
