# SPDX-License-Identifier: Apache-2.0
"""Synthesizes, places and routes blocks of the small engine for an ECP5."""
import json
import pathlib
import re
import shutil

from rtl import yosys
from rtl.syn import blocks, cells, mapping, placement, pypi, tools

DEVICE = ("--85k", "--package", "CABGA756", "--speed", "6")
DEVICE_NAME = "LFE5U-85F, speed grade 6"
LUTS, BLOCK_RAMS = 83640, 208
# The smallest configuration of roci_nic.
SMALL = {"DataWidth": 64} | {
    name: int(value) for name, value in
    re.findall(r"^(\w+)=(\d+)$", (yosys.RTL / "syn/small.txt").read_text(), re.M)}
# Constant bits of records are found before memories are mapped, not after; what leaves a memory
# with such bits is one more step for those after it.
PREPARE = "flatten; opt -full; wreduce; opt -full; " + 3 * "opt_mem; opt -full; "
# Wide memories of few rows that Yosys would build from LUTs, put into block RAM as far as a board
# has no other use for it. The responder's words are the widest: they stay in LUTs, as from a block
# RAM a decision would begin 5.6 ns after the clock.
IN_BLOCK_RAM = ("u_srq_blocks*u_lane", "u_rows.u_av", "u_fetch.u_attr", "u_state.u_qp")
# Memories that Yosys would put into block RAM with the register after them, in which their source
# keeps what a decision begins with.
IN_LUTS = ("u_flight.u_fault",)
# Memories of which no row is read in the clock in which it is written, or not to be used: block RAM
# needs no bypass, which would take a LUT4 and two flip-flops a bit.
NEVER_BOTH = ("u_queue.u_memory", "u_buffer.u_memory", "u_ethernet.u_memory", "u_lane",
              "u_block_read.u_data", "u_blocks.u_lengths", "u_payload.u_data",
              "u_pairs") + IN_BLOCK_RAM
MINUTES = 90  # that a tool may take


class Engine:
    """The small engine, elaborated once; its blocks have the parameters that it gives them."""

    def __init__(self, folder, own=None, parameters=None, minutes=MINUTES, by_slack=False):
        """`own`: a folder with compiled tools; `minutes`: that one of them may take; `by_slack`: as
        in placement.Placement.
        """
        self.folder = pathlib.Path(folder)
        self.parameters = parameters or SMALL
        self.tools = tools.Tools(self.folder / "pypi", own)
        self.minutes, self.by_slack = minutes, by_slack
        self.modules = {}

    def run(self, tool, *args):
        return self.tools.run(tool, args, self.folder / "ecp5", self.minutes)

    def elaborate(self):
        """Reads the sources, gives all parameters, and notes what the modules are called."""
        work = self.folder / "ecp5"
        shutil.rmtree(work, ignore_errors=True)
        for path in (*yosys.RTL.rglob("*.sv"), *yosys.RTL.rglob("*.svh")):
            copy = work / "rtl" / path.relative_to(yosys.RTL)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        script = (yosys.read_script("roci_nic", self.parameters, root="rtl")
                  + "hierarchy -check -top roci_nic; proc; check -assert; "
                    "write_rtlil nic.il; write_json nic.json")
        self.run("yosys", "-q", "-p", script)
        found = json.loads((work / "nic.json").read_text())["modules"]
        for name, module in found.items():
            base = re.search(r"roci_([a-z0-9_]+)", name)
            self.modules.setdefault(base[1], (name, module["ports"]))
        (work / "nic.json").unlink()

    def synthesize(self, name):
        """Maps a block, flat, between shift registers; its cells by resource, without those."""
        module, ports = self.modules[name]
        work = self.folder / "ecp5"
        (work / f"{name}_harness.v").write_text(harness(f"roci_{name}", ports))
        script = (f"read_rtlil nic.il; hierarchy -top {module}; "
                  + (f"rename {module} roci_{name}; " if module != f"roci_{name}" else "")
                  + PREPARE + placed_rams()
                  + f"read_verilog {name}_harness.v; {mapping.commands(work, 'harness')} "
                  f"tee -q -o {name}.stat stat -json; flatten; clean; write_json {name}.json")
        self.run("yosys", "-q", "-p", script)
        stat = json.loads((work / f"{name}.stat").read_text())["modules"]
        counts = next(entry for key, entry in stat.items() if key.lstrip("\\") == f"roci_{name}")
        return cells.sizes(counts["num_cells_by_type"], cells.ECP5) | {
            "CARRY": 2 * counts["num_cells_by_type"].get("CCU2C", 0)}

    def place(self, name, seed):
        """Places and routes a block; what nextpnr reports of it."""
        options = (*DEVICE, "--lpf-allow-unconstrained", "--freq", "50")
        placing = placement.Placement(self.tools, self.folder / "ecp5", self.minutes, name, seed,
                                      options, by_slack=self.by_slack)
        return placing.run(placing.with_sites(name))


def placed_rams():
    """Yosys commands that mark the memories of IN_BLOCK_RAM, IN_LUTS and NEVER_BOTH."""
    return "".join(f"setattr -set {attribute} */m:*{name}.*mem; "
                   for attribute, names in (('ram_style "block"', IN_BLOCK_RAM),
                                            ('ram_style "distributed"', IN_LUTS),
                                            ("no_rw_check 1", NEVER_BOTH)) for name in names)


def harness(module, ports):
    """Verilog that feeds a module from one shift register and reads it out by another."""
    inputs = [(name, len(p["bits"])) for name, p in ports.items()
              if p["direction"] == "input" and name != "clk_i"]
    outputs = [(name, len(p["bits"])) for name, p in ports.items() if p["direction"] == "output"]
    pins, at = [".clk_i(clk)"], {"in_q": 0, "out": 0}
    for vector, group in (("in_q", inputs), ("out", outputs)):
        for name, bits in group:
            pins.append(f".{name}({vector}[{at[vector]} +: {bits}])")
            at[vector] += bits
    if "clk_i" not in ports:
        pins = pins[1:]
    ins, outs = max(2, at["in_q"]), max(2, at["out"])
    return f"""module harness(input clk, input in, input load, output out_pin);
  reg [{ins - 1}:0] in_q;
  wire [{outs - 1}:0] out;
  reg [{outs - 1}:0] out_q, shift_q;
  always @(posedge clk) begin
    in_q <= {{in_q[{ins - 2}:0], in}};
    out_q <= out;
    shift_q <= load ? out_q : {{shift_q[{outs - 2}:0], 1'b0}};
  end
  assign out_pin = shift_q[{outs - 1}];
  {module} u_block({", ".join(pins)});
endmodule
"""


def worst_path(report):
    """(logic ns, routing ns, LUTs, carries, places) of the slowest path between registers.

    The places are the register or memory at the start, the lines of the nets, and the end.
    """
    paths = [p for p in report["critical_paths"] if "<async>" not in (p["from"], p["to"])]
    steps = max(paths, key=lambda p: sum(s["delay"] for s in p["path"]))["path"]
    logic = sum(s["delay"] for s in steps if s["type"] != "routing")
    routing = sum(s["delay"] for s in steps if s["type"] == "routing")
    passed = [s["from"]["cell"] for s in steps if s["type"] == "logic"]
    carries = len({cell.split("$CCU2_")[0] for cell in passed if "$CCU2_" in cell})
    luts = sum("$CCU2_" not in cell for cell in passed)
    lines = [line(s.get("sources", ())) for s in steps if s["type"] == "routing"]
    places = [f"{label(steps[0]['from']['cell'])} {lines[0] if lines else ''}".strip()]
    for one in lines[1:]:
        if one and one != places[-1].split(" ")[-1]:
            places.append(one)
    return logic, routing, luts, carries, [*places, label(steps[-1]["to"]["cell"])]


def label(cell):
    """The register or memory that a cell is part of; Yosys names cells after their nets."""
    name = re.split(r"_(?:TRELLIS_|LUT4_|CCU2C_|DP16KD_|L6MUX21_|PFUMX_)|\$", cell)[0]
    return re.sub(r"(\.\d+)+(_[A-Z]+\d*)?$", "", name.removeprefix("u_block."))


def line(sources):
    """File and line of the last source of a net, the innermost."""
    found = [re.search(r"([^/|]+\.sv):(\d+)", source) for source in sources]
    found = [match for match in found if match]
    return f"({found[-1][1]}:{found[-1][2]})" if found else ""


def digest(name):
    """Changes with the sources of a block, the configuration and the tools."""
    return blocks.digest(name, "nic", SMALL, PREPARE, IN_BLOCK_RAM, IN_LUTS, NEVER_BOTH,
                         mapping.COMMAND, mapping.WIRE, mapping.RAM_DATA, *pypi.PLACE)
