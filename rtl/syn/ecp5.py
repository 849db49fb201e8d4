# SPDX-License-Identifier: Apache-2.0
"""Synthesizes, places and routes blocks of the small engine for an ECP5."""
import json
import pathlib
import re
import shutil

from rtl import yosys
from rtl.syn import blocks, cells, pypi, tools

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
# Memories of which no row is read in the clock in which it is written, or not to be used: block RAM
# needs no bypass, which would take a LUT4 and two flip-flops a bit.
NEVER_BOTH = ("u_queue.u_memory", "u_buffer.u_memory", "u_ethernet.u_memory", "u_lane",
              "u_block_read.u_data", "u_blocks.u_lengths", "u_payload.u_data",
              "u_pairs") + IN_BLOCK_RAM
COMMAND = "synth_ecp5 -nowidelut -noflatten"
# The refinement by simulated annealing that ends placer heap, and router1, do not end on the whole
# engine.
ROUTE = ("--placer", "static", "--router", "router2")
MINUTES = 90  # that a tool may take
RAM_SITES, SPACERS, REFINE = (yosys.RTL / "syn" / name for name in
                              ("ram_sites.py", "spacers.py", "refine.py"))
TURNS = 3       # placements, each with more spacers
HEAT = 10       # the iteration of router2 whose map of shared wires says where spacers go
PATIENCE = 20   # iterations without fewer of them after which it will never end
GROWN, MANY = 1.25, 1000  # nor will it with so many times the fewest, when they are many


class Engine:
    """The small engine, elaborated once; its blocks have the parameters that it gives them."""

    def __init__(self, folder, own=None, parameters=None, minutes=MINUTES):
        """`own`: a folder with compiled tools; `minutes`: that one of them may take."""
        self.folder = pathlib.Path(folder)
        self.parameters = parameters or SMALL
        self.tools = tools.Tools(self.folder / "pypi", own)
        self.minutes = minutes
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
                  + f"read_verilog {name}_harness.v; {COMMAND} -top harness; "
                  f"tee -q -o {name}.stat stat -json; flatten; clean; write_json {name}.json")
        self.run("yosys", "-q", "-p", script)
        stat = json.loads((work / f"{name}.stat").read_text())["modules"]
        counts = next(entry for key, entry in stat.items() if key.lstrip("\\") == f"roci_{name}")
        return cells.sizes(counts["num_cells_by_type"], cells.ECP5) | {
            "CARRY": 2 * counts["num_cells_by_type"].get("CCU2C", 0)}

    def place(self, name, seed):
        """Places and routes a block; what nextpnr reports of it."""
        return place(self.tools, self.folder / "ecp5", self.minutes, name, name, seed,
                     (*DEVICE, "--lpf-allow-unconstrained", "--freq", "50"))


def place(used, folder, minutes, netlist, name, seed, options, results=()):
    """Places and routes NETLIST.json; what nextpnr reports of it.

    Block RAMs stand where ram_sites.py puts them by a first placement, which is not routed. What
    is on the slow paths of a clock that is missed stands where refine.py puts it. When the router
    gets stuck, spacers.py makes room where wires are short, in another placement. The routing of
    the last one leaves timing out.
    `results`: options that name further files which the last run is to write.
    """
    def run(source, log, *rest, stop=None):
        return used.run("nextpnr-ecp5", (
            *options, "--timing-allow-fail", *ROUTE, "--seed", seed, "--quiet", "--threads",
            used.threads("nextpnr-ecp5"), "--json", f"{source}.json", "--log", f"{log}.log", *rest),
            folder, minutes, stop)

    source, placed, log = netlist, f"{name}_placed", folder / f"{name}.log"
    if '"type": "DP16KD"' in (folder / f"{netlist}.json").read_text():
        first, source = f"{name}_first", f"{name}_sites"
        run(netlist, first, "--no-route", "--write", f"{first}.json")
        used.solve(RAM_SITES, (f"{first}.json", f"{netlist}.json", f"{source}.json"), folder)
    for turn in range(TURNS):
        run(source, placed, "--no-route", "--write", f"{placed}.json")
        reached = (folder / f"{placed}.log").read_text()
        for net, clock in missed(reached).items():
            used.solve(REFINE, (f"{placed}.json", net, clock, f"{placed}.json"), folder)
        timing = () if timed(reached) and turn < TURNS - 1 else ("--no-tmdriv",)
        bare = placed
        if turn > 0:
            bare = f"{name}_bare"
            used.solve(SPACERS, ("remove", f"{placed}.json", f"{bare}.json"), folder)
        (folder / f"{name}_clocks.lpf").write_text(frequencies(reached))
        log.unlink(missing_ok=True)
        if run(bare, name, "--no-pack", "--no-place", *timing, "--lpf", f"{name}_clocks.lpf",
               "--router2-heatmap", name, "--report", f"{name}.report", *results,
               stop=(lambda: stuck(log)) if turn < TURNS - 1 else None) is not None:
            break
        spaced = f"{name}_spaced"
        used.solve(SPACERS, ("add", f"{placed}.json", f"{name}_congestion_by_coordinate_{HEAT}.csv",
                             f"{source}.json", f"{spaced}.json"), folder)
        source = spaced
    return json.loads((folder / f"{name}.report").read_text())


def frequencies(log):
    """Constraints of all clocks, for a run that begins with a placement, by the log of that one.

    Such a run does not have those of ports, and does not derive those of PLLs.
    """
    return "".join(f'FREQUENCY NET "{net}" {clock} MHz;\n'
                   for net, (_, clock) in verdicts(log).items())


def timed(log):
    """Whether a placement is to be routed by timing, by its log.

    router2 takes each wire of a clock that is met for critical, and no care that others have it
    too. A block with one clock has wires enough.
    """
    clocks = verdicts(log)
    return len(clocks) < 2 or len(missed(log)) == len(clocks)


def missed(log):
    """The clocks that a run does not reach, with the MHz that they need, by its log."""
    return {net: clock for net, (verdict, clock) in verdicts(log).items() if verdict == "FAIL"}


def verdicts(log):
    """(PASS or FAIL, needed MHz) of each clock by the end of a log."""
    found = re.findall(r"clock +'([^']+)': +[\d.]+ MHz \((\w+) at ([\d.]+) MHz\)", log)
    return {net: (verdict, clock) for net, verdict, clock in found}


def stuck(log):
    """Whether router2 will not end, by its log: it has not come to fewer shared wires for long.

    Or it comes to more and more of them.
    """
    shared = [int(found) for found in re.findall(r"iter=\d+ wires=\d+ overused=(\d+)",
                                                 log.read_text() if log.exists() else "")]
    fewest = min(shared, default=0)
    return bool(shared) and (len(shared) - 1 - shared.index(fewest) >= PATIENCE
                             or shared[-1] > max(MANY, GROWN * fewest))


def placed_rams(more=()):
    """Yosys commands that mark the memories of IN_BLOCK_RAM and `more`, and of NEVER_BOTH."""
    return "".join([f'setattr -set ram_style "block" */m:*{name}.mem; '
                    for name in (*IN_BLOCK_RAM, *more)]
                   + [f"setattr -set no_rw_check 1 */m:*{name}.mem; "
                      for name in (*NEVER_BOTH, *more)])


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
    return blocks.digest(name, "nic", SMALL, PREPARE, IN_BLOCK_RAM, NEVER_BOTH, COMMAND,
                         *pypi.PLACE)
