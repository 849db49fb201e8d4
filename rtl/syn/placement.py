# SPDX-License-Identifier: Apache-2.0
"""Places and routes a netlist on an ECP5: several runs of nextpnr, and what changes placements.

                         +--------------- spacers.py <-- stuck --+
                         v                                       |
 netlist --> ram_sites.py --> place --> anneal.py, refine.py --> route --> report, bitstream

ram_sites.py is for designs with block RAMs; anneal.py and refine.py for those, and for placements
that miss a clock or have spacers.
"""
import json
import re

from rtl import yosys
from rtl.syn import nextpnr, tools

# The refinement by simulated annealing that ends placer heap, and router1, do not end on the whole
# engine.
ROUTE = ("--placer", "static", "--router", "router2")
RAM_SITES, SPACERS, ANNEAL, REFINE = (yosys.RTL / "syn" / name for name in (
    "ram_sites.py", "spacers.py", "anneal.py", "refine.py"))
TURNS = 3       # placements, each with more spacers
MARGIN = 1.1    # so much more than a clock needs is asked of placements, since wires get longer
HEAT = 10       # the iteration of router2 whose map of shared wires says where spacers go
PATIENCE = 20   # iterations without fewer of them after which it will never end,
LAST, TENACITY = 50, 200  # and when there are at most so many, whose iterations take no time
GROWN, MANY = 1.25, 1000  # nor will it with so many times the fewest, when they are many


class Placement:
    """Files of one seed in a folder; those that it writes begin with `name`."""

    def __init__(self, used, folder, minutes, name, seed, options, results=()):
        """`used`: tools.Tools; `options`: the device, and where pins are; `results`: options that
        name further files which the last run is to write.
        """
        self.used, self.folder, self.minutes = used, folder, minutes
        self.name, self.seed, self.options, self.results = name, seed, options, results

    def file(self, what):
        return f"{self.name}_{what}.json"

    def nextpnr(self, source, log, *rest, stop=None):
        return self.used.run("nextpnr-ecp5", (
            *self.options, "--timing-allow-fail", *ROUTE, "--seed", self.seed, "--quiet",
            "--threads", self.used.threads("nextpnr-ecp5"), "--json", source, "--log", log, *rest),
            self.folder, self.minutes, stop)

    def solve(self, script, *words):
        self.used.solve(script, words, self.folder)

    def run(self, netlist):
        """Places and routes NETLIST.json; what nextpnr reports of it.

        When the router gets stuck, spacers make room where wires are short, in another placement.
        The routing of the last one leaves timing out.
        """
        source = self.with_sites(f"{netlist}.json")
        large = source != f"{netlist}.json"
        for turn in range(TURNS):
            spaced, last = turn > 0, turn == TURNS - 1
            if self.route(self.place(source, large, spaced), spaced, last):
                break
            roomy = self.file("spaced")
            self.solve(SPACERS, "add", self.file("placed"),
                       f"{self.name}_congestion_by_coordinate_{HEAT}.csv", source, roomy)
            source = roomy
        return json.loads((self.folder / f"{self.name}.report").read_text())

    def with_sites(self, netlist):
        """A netlist whose block RAMs have sites, by a first placement, which is not routed."""
        if '"type": "DP16KD"' not in (self.folder / netlist).read_text():
            return netlist
        first, sites = self.file("first"), self.file("sites")
        self.nextpnr(netlist, f"{self.name}_first.log", "--no-route", "--write", first)
        self.solve(RAM_SITES, first, netlist, sites)
        return sites

    def place(self, source, large, spaced):
        """Places a netlist, and shortens its wires and slow paths if need be; nextpnr's log."""
        placed, log = self.file("placed"), f"{self.name}_placed.log"
        self.nextpnr(source, log, "--no-route", "--write", placed)
        reached = (self.folder / log).read_text()
        if large or spaced or missed(reached):
            self.solve(ANNEAL, placed, placed)
            clocks = [word for net, (_, clock) in verdicts(reached).items()
                      for word in (net, f"{float(clock) * MARGIN:.2f}")]
            if clocks:
                self.solve(REFINE, placed, *clocks, placed)
        return reached

    def route(self, reached, spaced, last):
        """Routes the placement; whether that ended, for which the last one may take for ever."""
        bare, fixed, routed = self.file("placed"), self.file("fixed"), self.file("routed")
        if spaced:
            bare = self.file("bare")
            self.solve(SPACERS, "remove", self.file("placed"), bare)
        netlist = nextpnr.read(self.folder / bare)
        nextpnr.demand_places(netlist)
        nextpnr.write(netlist, self.folder / fixed)
        timing = () if timed(reached) and not last else ("--no-tmdriv",)
        clocks, log = f"{self.name}_clocks.lpf", self.folder / f"{self.name}.log"
        (self.folder / clocks).write_text(frequencies(reached))
        log.unlink(missing_ok=True)
        done = self.nextpnr(
            fixed, log.name, "--no-pack", *timing, "--lpf", clocks, "--router2-heatmap", self.name,
            "--report", f"{self.name}.report", "--write", routed, *self.results,
            stop=None if last else lambda: stuck(log))
        if done is None:
            return False
        if wrong := nextpnr.exchanged(nextpnr.read(self.folder / routed)):
            raise tools.Failed(f"nextpnr-ecp5 exchanged {len(wrong)} inputs of memories and "
                               f"carries, {wrong[0]} for one")
        return True


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
    patience = PATIENCE if fewest > LAST else TENACITY
    return bool(shared) and (len(shared) - 1 - shared.index(fewest) >= patience
                             or shared[-1] > max(MANY, GROWN * fewest))
