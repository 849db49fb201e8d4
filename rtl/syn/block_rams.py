# SPDX-License-Identifier: Apache-2.0
"""Lets block RAMs of slow paths change sites with others, on an ECP5. Needs scipy.

A memory of many block RAMs has one address for all of them, so the one that is farthest from the
others makes each path to them slow. There are sites in four rows of the device only, so no short
step brings it nearer; nor do moves of the cells before it, which others hold.
"""
from rtl.syn import ram_sites
from rtl.syn.placed_timing import NEVER

SLOW = 2.5  # ns more slack than the slowest that a block RAM may have to be moved
WORSE = 1   # what an exchange may cost by the paths before and after it, to be tried
TRIED = 40  # sites for one block RAM, those that cost least
ROUNDS = 16
GAIN = 0.99  # the part of what was late that has to be left, at most, for another round


class BlockRams:
    """The block RAMs of a placement that is refined (refine.Refinement)."""

    def __init__(self, refinement):
        self.refinement, self.timing = refinement, refinement.timing
        self.cells = [index for index, cell in enumerate(self.timing.cells)
                      if cell["type"] == ram_sites.RAM]

    def pins(self, cell):
        return self.refinement.movable.around([cell])

    def slack(self, cell):
        return self.timing.slack[self.pins(cell)[0]].min(initial=NEVER)

    def cost(self, cell, old, new):
        """What it costs to move a block RAM to another site, while all others stay."""
        return self.refinement.change(*self.pins(cell), old, new, 1)

    def held(self):
        """The block RAM at each site that has one."""
        return {tuple(self.timing.at[cell].astype(int)): cell for cell in self.cells}

    def exchange(self):
        """Takes each exchange that makes paths less late, the slowest block RAMs first."""
        best = self.refinement.lateness()
        slack = {cell: self.slack(cell) for cell in self.cells}
        slow = [cell for cell in sorted(slack, key=slack.get)
                if slack[cell] < self.refinement.worst + SLOW]
        for cell in slow:
            held = self.held()
            here = next(site for site, one in held.items() if one == cell)
            costs = {there: self.cost(cell, here, there)
                     + (self.cost(held[there], there, here) if there in held else 0)
                     for there in ram_sites.SITES if there != here}
            cheapest = [there for there in sorted(costs, key=costs.get)[:TRIED]
                        if costs[there] <= WORSE]
            best = self.refinement.first_better(best, here, cheapest, self.swap)

    def swap(self, one, other):
        """Lets two sites change what they hold."""
        held = self.held()
        for cell, site in ((held.get(one), other), (held.get(other), one)):
            if cell is not None:
                self.timing.at[cell] = site

    def run(self):
        """Exchanges, and mends what is around, as long as paths become less late; notes sites."""
        for _ in range(ROUNDS if self.cells else 0):
            before = self.refinement.best
            if before == 0:
                break
            self.exchange()
            self.refinement.keep(self.refinement.lateness())
            self.refinement.mend()
            if self.refinement.best > GAIN * before:
                break
        self.refinement.restore()
        for site, cell in self.held().items():
            self.timing.cells[cell]["attributes"]["NEXTPNR_BEL"] = ram_sites.bel(site)
