# SPDX-License-Identifier: Apache-2.0
"""From the Verilog of a SoC to a bitstream for an ECP5, by Yosys, nextpnr and ecppack."""
import json
import pathlib
import re
import shutil

from rtl import yosys
from rtl.syn import cells, ecp5, mapping, placement

DEVICE = ("--um5g-85k", "--package", "CABGA554", "--speed", "8")
DEVICE_NAME = "LFE5UM5G-85F, CABGA554, speed grade 8"
LIMITS = {"LUT4": 83640, "FF": 83640, "DP16KD": 208}
TOP = "ecpix5"
# Modules that keep their boundary until they are mapped, so that their cells can be counted.
PARTS = {"adapter": "roci_core", "processor": "VexRiscv"}
REST = "rest of the SoC"
MINUTES = 180  # that a tool may take


class Flow:
    """A folder with the sources, which the tools see as their root."""

    def __init__(self, folder, tools):
        self.folder, self.tools = pathlib.Path(folder), tools
        self.netlist = None  # with sites of block RAMs, and spacers, which do for all seeds

    def run(self, tool, *args):
        return self.tools.run(tool, args, self.folder, MINUTES)

    def gather(self, gateware, sources):
        """Copies all that the tools read: RTL of the adapter, what LiteX wrote, the processor."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in (*yosys.RTL.rglob("*.sv"), *yosys.RTL.rglob("*.svh")):
            copy = self.folder / "rtl" / path.relative_to(yosys.RTL)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        others = [pathlib.Path(path) for path in sources
                  if yosys.RTL not in pathlib.Path(path).parents]
        for path in (*gateware.glob("*.init"), gateware / f"{TOP}.lpf", *others):
            shutil.copy(path, self.folder)
        return [path.name for path in others]

    def elaborate(self, others):
        """Reads everything and checks that nothing is undriven or driven twice."""
        script = ("read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v; "
                  + yosys.read_script("roci_core", {}, root="rtl")
                  + f"read_verilog {' '.join(others)}; hierarchy -check -top {TOP}; proc; "
                  "attrmap -tocase keep -imap keep=\"true\" keep=1 -imap keep=\"false\" keep=0 "
                  "-remove keep=0; tee -q -o check.txt check; "
                  f"write_rtlil elaborated.il; tee -q -o ports.txt portlist {TOP}")
        self.run("yosys", "-q", "-p", script)
        found = re.findall(r"^(?:in|out|inout)put \[(\d+):0\] (\w+)$",
                           (self.folder / "ports.txt").read_text(), re.M)
        return {name: int(high) + 1 for high, name in found}

    def synthesize(self):
        """Maps the SoC; part -> its cells by resource.

        Without the delays of mapping.commands(): the seeds in docs/boards.md were routed so.
        """
        keep = " ".join(f"setattr -mod -set keep_hierarchy 1 *{name}*;" for name in PARTS.values())
        drop = " ".join(f"setattr -mod -unset keep_hierarchy *{name}*;" for name in PARTS.values())
        script = ("read_rtlil elaborated.il; "
                  f"hierarchy -top {TOP}; {keep} {ecp5.PREPARE} {ecp5.placed_rams()} "
                  f"{mapping.COMMAND} -top {TOP}; tee -q -o {TOP}.stat stat -json; {drop} "
                  f"flatten; clean; write_json {TOP}.json")
        self.run("yosys", "-q", "-p", script)
        return sizes(json.loads((self.folder / f"{TOP}.stat").read_text())["modules"])

    def place(self, seed):
        """Places and routes; what nextpnr reports."""
        name = f"{TOP}_{seed}"
        placing = placement.Placement(
            self.tools, self.folder, MINUTES, name, seed, (*DEVICE, "--lpf", f"{TOP}.lpf"),
            ("--textcfg", f"{name}.config"))
        self.netlist = self.netlist or placing.with_sites(TOP)
        report = placing.run(self.netlist)
        self.netlist = placing.source
        return report

    def pack(self, seed):
        """The bitstream, as a file."""
        self.run("ecppack", "--compress", f"{TOP}_{seed}.config", "--bit", f"{TOP}.bit")
        return self.folder / f"{TOP}.bit"


def sizes(modules):
    """Part -> cells by resource, from what Yosys counts of each module."""
    found = {}
    for name, module in modules.items():
        part = next((part for part, known in PARTS.items() if known in name), REST)
        counts = cells.sizes(module["num_cells_by_type"], cells.ECP5)
        row = {"LUT4": counts["LUT"] + counts["LUTRAM"], "FF": counts["FF"],
               "DP16KD": counts["BRAM"]}
        found[part] = {key: row[key] + found.get(part, {}).get(key, 0) for key in row}
    return found


def total(parts):
    return {key: sum(row[key] for row in parts.values()) for key in LIMITS}


def excess(parts):
    """What does not fit the device, a line each."""
    return [f"{amount:,} {key} of {LIMITS[key]:,}: {amount - LIMITS[key]:,} too many"
            for key, amount in total(parts).items() if amount > LIMITS[key]]


def clocks(report):
    """(clock, MHz reached, MHz needed) of each clock with registers."""
    return [(re.sub(r"^\$glbnet\$|\$TRELLIS_IO_IN$", "", name), one["achieved"], one["constraint"])
            for name, one in sorted(report["fmax"].items())]


def missed(report):
    """Clocks that are too slow, a line each."""
    return [f"{name}: {reached:.1f} MHz, {needed:.1f} needed"
            for name, reached, needed in clocks(report) if reached < needed]


def unplaced(ports, constraints):
    """Bits of ports that no constraint puts on a pin."""
    sites = set(re.findall(r'^LOCATE COMP "([^"]+)" SITE "\w+";', constraints, re.M))
    bits = [name if count == 1 else f"{name}[{at}]"
            for name, count in ports.items() for at in range(count)]
    return [bit for bit in bits if bit not in sites]
