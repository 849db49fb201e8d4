# SPDX-License-Identifier: Apache-2.0
"""Which wires of a placement its slow clocks wait for, and how much each of them matters.

It needs numpy.
"""
import numpy as np

from rtl.syn import placed_timing

SLOWEST = 0.002  # the part of the ends of paths whose slack is what urgency is measured from
CAP = 1          # those have e to the power of this at most
KEEN = 0.2       # how far urgency follows the last analysis: a path that is fast by now was urgent
LEAST = 0.05     # what is less urgent counts as not at all


class Urgency:
    """The pins of a netlist: 1 where the slowest paths of a clock are, and less off them."""

    def __init__(self, module, clocks):
        """`clocks`: what MHz each is to reach, by the names of their nets."""
        self.timings = [placed_timing.Timing(module, net, 1e3 / mhz) for net, mhz in clocks.items()]
        self.kept = None

    def update(self, at, soft):
        """Analyses a placement: pins that are urgent, and how much.

        `at`: column and row of each cell; a pin with `soft` ns more slack is e times less urgent.
        """
        now = np.max([self.analyse(timing, at, soft) for timing in self.timings], axis=0)
        self.kept = now if self.kept is None else self.kept + KEEN * (now - self.kept)
        pins = np.flatnonzero(self.kept > LEAST)
        return pins, self.kept[pins]

    def analyse(self, timing, at, soft):
        timing.at = at.astype(float)
        timing.analyse()
        ends = timing.slack[timing.end_pin]
        ends = ends[ends < placed_timing.NEVER / 2]
        slowest = min(0, np.quantile(ends, SLOWEST)) if len(ends) else 0
        urgent = np.exp(np.minimum((slowest - timing.slack) / soft, CAP))
        return np.where(timing.pin_free, 0, urgent)
