# SPDX-License-Identifier: Apache-2.0
"""Places and routes a netlist on an ECP5: several runs of nextpnr, and what changes placements.

                         +--------------- spacers.py <-- stuck --+
                         v                                       |
 netlist --> ram_sites.py --> place --> anneal.py, refine.py --> route --> late nets --> bitstream

ram_sites.py is for designs with block RAMs; anneal.py and refine.py for those, and for placements
that miss a clock or have spacers. Nets that are late are routed again.
"""
import json

from rtl import yosys
from rtl.syn import nextpnr, nextpnr_log, tools

# The refinement by simulated annealing that ends placer heap, and router1, do not end on the whole
# engine.
ROUTE = ("--placer", "static", "--router", "router2")
RAM_SITES, SPACERS, ANNEAL, REFINE = (yosys.RTL / "syn" / name for name in (
    "ram_sites.py", "spacers.py", "anneal.py", "refine.py"))
TURNS = 3       # placements, each with more spacers
MARGIN = 1.1    # so much more than a clock needs is asked of placements, since wires get longer
HEAT = 10       # the iteration of router2 whose map of shared wires says where spacers go
CLOSE = 0.02    # a step, as a part of what a clock needs, that is not worth routing again
# What a shared wire costs at first, and more in each iteration: by 2, as router2 has it, late
# iterations lead wires so far round that more and more of them are shared.
COST = {"router2/initCurrCongWeight": "1.5", "router2/currCongWeightMult": "1.0"}
PRICE = 1000    # what a shared wire costs late nets: nearly all others keep theirs
# Settings for that; what a netlist has wins over options.
LATE = {"router2/initCurrCongWeight": f"{PRICE}.0", "router/tmg_ripup": f"{1:032b}",
        "timing_driven": f"{1:032b}"}


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
        """Places a netlist, and shortens its wires and slow paths if need be; its clocks before."""
        placed, log = self.file("placed"), f"{self.name}_placed.log"
        self.nextpnr(source, log, "--no-route", "--write", placed)
        clocks = nextpnr_log.clocks((self.folder / log).read_text())
        if large or spaced or nextpnr_log.missed(clocks):
            self.solve(ANNEAL, placed, placed)
            words = [word for net, clock in clocks.items()
                     for word in (net, f"{clock.needed * MARGIN:.2f}")]
            if words:
                self.solve(REFINE, placed, *words, placed)
        return clocks

    def route(self, clocks, spaced, last):
        """Routes the placement; whether that ended, for which the last one may take for ever."""
        bare, fixed, routed = self.file("placed"), self.file("fixed"), self.file("routed")
        if spaced:
            bare = self.file("bare")
            self.solve(SPACERS, "remove", self.file("placed"), bare)
        self.demand(bare, COST, fixed)
        timing = () if nextpnr_log.timed(clocks) and not last else ("--no-tmdriv",)
        lpf, log = f"{self.name}_clocks.lpf", self.folder / f"{self.name}.log"
        (self.folder / lpf).write_text(nextpnr_log.frequencies(clocks))
        log.unlink(missing_ok=True)
        done = self.nextpnr(
            fixed, log.name, "--no-pack", *timing, "--lpf", lpf, "--router2-heatmap", self.name,
            "--report", f"{self.name}.report", "--write", routed, *self.results,
            stop=None if last else lambda: nextpnr_log.stuck(log))
        if done is None:
            return False
        self.check(routed)
        self.hasten(nextpnr_log.clocks(log.read_text()))
        return True

    def demand(self, placed, settings, out):
        """Makes the places of a placement demands, with some settings for the run that takes it."""
        netlist = nextpnr.read(self.folder / placed)
        nextpnr.demand_places(netlist)
        nextpnr.largest(netlist).setdefault("settings", {}).update(settings)
        nextpnr.write(netlist, self.folder / out)

    def check(self, routed):
        """Raises Failed when inputs are exchanged that have to stay."""
        if wrong := nextpnr.exchanged(nextpnr.read(self.folder / routed)):
            raise tools.Failed(f"nextpnr-ecp5 exchanged {len(wrong)} inputs of memories and "
                               f"carries, {wrong[0]} for one")

    def hasten(self, clocks):
        """Routes late nets again, until each clock is met or as far as that goes."""
        reached, too_much, part = nextpnr_log.least(clocks), 1 + CLOSE, 1.0
        while reached < 1 and too_much - reached > CLOSE:
            if self.route_again(clocks, part):
                reached = part
            else:
                too_much = part
            part = (reached + too_much) / 2

    def route_again(self, clocks, part):
        """Routes nets again that are late for a part of what missed clocks need; whether it ended.

        Other nets stay, except for those with wires that late ones take.
        """
        late, again = self.file("late"), self.file("again")
        lpf, log = f"{self.name}_part.lpf", self.folder / f"{self.name}_late.log"
        self.demand(self.file("routed"), LATE, late)
        (self.folder / lpf).write_text(nextpnr_log.frequencies(clocks, part))
        log.unlink(missing_ok=True)
        if self.nextpnr(late, log.name, "--no-pack", "--tmg-ripup", "--lpf", lpf,
                        "--report", f"{self.name}_late.report", "--write", again, *self.results,
                        stop=lambda: nextpnr_log.hopeless(log)) is None:
            return False
        self.check(again)
        (self.folder / again).rename(self.folder / self.file("routed"))
        report = json.loads((self.folder / f"{self.name}_late.report").read_text())
        for net, clock in report["fmax"].items():
            clock["constraint"] = clocks[net].needed
        (self.folder / f"{self.name}.report").write_text(json.dumps(report))
        return True
