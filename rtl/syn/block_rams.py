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

    def exchange(self):
        """Takes each exchange that makes paths less late, the slowest block RAMs first."""
        best = self.refinement.lateness()
        slack = {cell: self.slack(cell) for cell in self.cells}
        slow = [cell for cell in sorted(slack, key=slack.get)
                if slack[cell] < self.refinement.worst + SLOW]
        for cell in slow:
            at = {tuple(self.timing.at[one].astype(int)): one for one in self.cells}
            here = tuple(self.timing.at[cell].astype(int))
            costs = {there: self.cost(cell, here, there)
                     + (self.cost(at[there], there, here) if there in at else 0)
                     for there in ram_sites.SITES if there != here}
            for there in sorted(costs, key=costs.get)[:TRIED]:
                if costs[there] > WORSE:
                    break
                self.swap(cell, here, at.get(there), there)
                late = self.refinement.lateness()
                if late < best:
                    best = late
                    break
                self.swap(cell, there, at.get(there), here)
        self.refinement.lateness()

    def swap(self, cell, old, other, new):
        """Moves a block RAM to a site, and the one there, if any, to where it was."""
        self.timing.at[cell] = new
        if other is not None:
            self.timing.at[other] = old

    def run(self):
        """Exchanges, and mends what is around, as long as paths become less late."""
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

    def write(self):
        for index in self.cells:
            self.timing.cells[index]["attributes"]["NEXTPNR_BEL"] = ram_sites.bel(
                tuple(self.timing.at[index].astype(int)))
