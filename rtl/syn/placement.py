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
# Sites of block RAMs follow from a placement with this seed, and suit placements with others.
FIRST_SEED = 1
TURNS = 3       # placements, each with more spacers
MARGIN = 1.1    # so much more than a clock needs is asked of placements, since wires get longer
HEAT = 10       # the iteration of router2 whose map of shared wires says where spacers go
# Steps of a clock that late nets are routed again for, as parts of what it needs: the first, and
# one that is not worth it.
STEP, CLOSE = 0.04, 0.002
# What a shared wire costs at first, and more in each iteration: by 2, as router2 has it, late
# iterations lead wires so far round that more and more of them are shared. So do ways that are
# found sooner, by an estimate of the rest that is multiplied by 1.25.
COST = {"router2/initCurrCongWeight": "1.5", "router2/currCongWeightMult": "1.0",
        "router2/estimateWeight": "0.8"}
PRICE = 100000  # what a shared wire costs late nets: nearly all others keep theirs
# Settings for that; what a netlist has wins over options.
LATE = {"router2/initCurrCongWeight": f"{PRICE}.0", "router/tmg_ripup": f"{1:032b}",
        "timing_driven": f"{1:032b}"}


class Placement:
    """Files of one seed in a folder; those that it writes begin with `name`."""

    def __init__(self, used, folder, minutes, name, seed, options, results=(),
                 by_slack=False):
        """`used`: tools.Tools; `options`: the device, and where pins are; `results`: options that
        name further files which the last run is to write; `by_slack`: annealing takes wires of
        slow paths for longer.
        """
        self.used, self.folder, self.minutes = used, folder, minutes
        self.name, self.seed, self.options, self.results = name, seed, options, results
        self.by_slack = by_slack
        self.source = None  # the file that run() routed; its spacers suit other seeds, too

    def file(self, what):
        return f"{self.name}_{what}.json"

    def nextpnr(self, source, log, *rest, stop=None, seed=None):
        return self.used.run("nextpnr-ecp5", (
            *self.options, "--timing-allow-fail", *ROUTE, "--seed", seed or self.seed, "--quiet",
            "--threads", self.used.threads("nextpnr-ecp5"), "--json", source, "--log", log, *rest),
            self.folder, self.minutes, stop)

    def solve(self, script, *words):
        self.used.solve(script, words, self.folder)

    def run(self, netlist):
        """Places and routes a file of with_sites() or another seed's; what nextpnr reports of it.

        When the router gets stuck, spacers make room where wires are short, in another placement.
        The routing of the last one leaves timing out.
        """
        self.source, large = netlist, self.has_block_rams(netlist)
        comes_spaced = self.has(netlist, nextpnr.SPACER)
        for turn in range(TURNS):
            spaced, last = comes_spaced or turn > 0, turn == TURNS - 1
            if self.route(self.place(self.source, large or spaced), spaced, last):
                break
            roomy = self.file("spaced")
            self.solve(SPACERS, "add", self.file("placed"),
                       f"{self.name}_congestion_by_coordinate_{HEAT}.csv", self.source, roomy)
            self.source = roomy
        return json.loads((self.folder / f"{self.name}.report").read_text())

    def with_sites(self, netlist):
        """The file of a netlist, or one in which its block RAMs have sites, which suits any seed.

        They follow from a placement, which is not routed.
        """
        if not self.has_block_rams(f"{netlist}.json"):
            return f"{netlist}.json"
        first, sites = f"{netlist}_first.json", f"{netlist}_sites.json"
        self.nextpnr(f"{netlist}.json", f"{netlist}_first.log", "--no-route", "--write", first,
                     seed=FIRST_SEED)
        self.solve(RAM_SITES, first, f"{netlist}.json", sites)
        return sites

    def has_block_rams(self, netlist):
        return self.has(netlist, '"type": "DP16KD"')

    def has(self, netlist, word):
        return word in (self.folder / netlist).read_text()

    def place(self, source, shorten):
        """Places a netlist; its clocks. Wires and slow paths are shortened, also if one is missed.
        """
        placed, log = self.file("placed"), f"{self.name}_placed.log"
        self.nextpnr(source, log, "--no-route", "--write", placed)
        clocks = nextpnr_log.clocks((self.folder / log).read_text())
        late = nextpnr_log.missed(clocks)
        if shorten or late:
            self.solve(ANNEAL, placed, *(goals(late) if self.by_slack else ()), placed)
            if clocks:
                self.solve(REFINE, placed, *goals(clocks), placed)
        return clocks

    def route(self, clocks, spaced, last):
        """Routes the placement; whether that ended, for which the last one may take for ever."""
        bare = self.file("placed")
        if spaced:
            bare = self.file("bare")
            self.solve(SPACERS, "remove", self.file("placed"), bare)
        timing = () if nextpnr_log.timed(clocks) and not last else ("--no-tmdriv",)
        log = self.run_router(
            bare, COST, nextpnr_log.frequencies(clocks), "", self.file("routed"),
            None if last else nextpnr_log.stuck, *timing, "--router2-heatmap", self.name)
        if log:
            self.hasten(nextpnr_log.clocks(log.read_text()))
        return log is not None

    def run_router(self, source, settings, lpf, suffix, out, ended, *options):
        """Routes a netlist whose places are demands; the log, or None when `ended` stopped it.

        Log and report have the suffix in their names. Inputs that are exchanged and have to stay
        raise Failed.
        """
        name, fixed = f"{self.name}{suffix}", self.file("fixed")
        netlist = nextpnr.read(self.folder / source)
        nextpnr.demand_places(netlist)
        nextpnr.largest(netlist).setdefault("settings", {}).update(settings)
        nextpnr.write(netlist, self.folder / fixed)
        log, clocks = self.folder / f"{name}.log", f"{name}_clocks.lpf"
        (self.folder / clocks).write_text(lpf)
        log.unlink(missing_ok=True)
        if self.nextpnr(fixed, log.name, "--no-pack", *options, "--lpf", clocks,
                        "--report", f"{name}.report", "--write", out, *self.results,
                        stop=ended and (lambda: ended(log))) is None:
            return None
        if wrong := nextpnr.exchanged(nextpnr.read(self.folder / out)):
            raise tools.Failed(f"nextpnr-ecp5 exchanged {len(wrong)} inputs of memories and "
                               f"carries, {wrong[0]} for one")
        return log

    def hasten(self, clocks):
        """Routes late nets again, step by step, until each clock is met or as far as that goes.

        nextpnr may come to less than was asked for; with less than half of it, steps are halved.
        """
        step = STEP
        while nextpnr_log.missed(clocks) and step > CLOSE:
            reached = nextpnr_log.least(clocks)
            step = min(step, 1 - reached)
            clocks = self.route_again(clocks, reached + step) or clocks
            if nextpnr_log.least(clocks) < reached + step / 2:
                step /= 2

    def route_again(self, clocks, part):
        """Routes nets again that are late for a part of what missed clocks need; the new clocks.

        Other nets stay, except for those with wires that late ones take. When that does not end,
        all stay, and there are no new clocks.
        """
        again = self.file("again")
        log = self.run_router(self.file("routed"), LATE, nextpnr_log.frequencies(clocks, part),
                              "_late", again, nextpnr_log.hopeless, "--tmg-ripup")
        if not log:
            return None
        (self.folder / again).rename(self.folder / self.file("routed"))
        report = json.loads((self.folder / f"{self.name}_late.report").read_text())
        for net, clock in report["fmax"].items():
            clock["constraint"] = clocks[net].needed
        (self.folder / f"{self.name}.report").write_text(json.dumps(report))
        return {net: nextpnr_log.Clock(clock.reached, clocks[net].needed)
                for net, clock in nextpnr_log.clocks(log.read_text()).items()}


def goals(clocks):
    """What anneal.py and refine.py are to reach: each clock, and its MHz."""
    return [word for net, clock in clocks.items() for word in (net, f"{clock.needed * MARGIN:.2f}")]
