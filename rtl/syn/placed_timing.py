# SPDX-License-Identifier: Apache-2.0
"""Paths between the registers of one clock, by where nextpnr has placed their cells on an ECP5.

A wire takes what nextpnr's placer expects of it (predictDelay of its architecture ecp5 at speed
grade 6), a cell what its timing data say; all times are in nanoseconds. It needs numpy.
"""
import collections

import numpy as np

from rtl.syn.placed import Placed, bits

TILE = 0.08                                # a wire takes TILE * (6 + tiles, the first five twice)
LUT, CLOCK_TO_Q, CLOCK_TO_DATA, SETUP = 0.236, 0.525, 5.73, 0.2
NEVER = 1e3                                # the slack of what no path leads through
# Inputs of cells by type that no path leads through.
CLOCKS = {"CLK", "WCK", "CLKA", "CLKB"}
# A RAMW hands each write address and datum on to the memories beside it.
RAMW = {"C1": "WDO0", "A1": "WDO1", "D1": "WDO2", "B1": "WDO3",
        "D0": "WADO0", "B0": "WADO1", "C0": "WADO2", "A0": "WADO3"}


def through(mode, port, output):
    """What a TRELLIS_COMB takes from an input to an output, or None where nothing leads there."""
    if output == "F":
        if mode == "CCU2":
            return {"FCI": 0.45}.get(port, 0.44) if port in "ABCD" or port == "FCI" else None
        return LUT if port in "ABCD" else None
    if output == "FCO":
        return 0.035 if port == "FCI" else 0.45
    return {"F1": 0.1, "FXA": 0.15, "FXB": 0.15, "M": 0.17}.get(port, 0.4)


class Timing(Placed):
    """When a signal comes to each pin, and when it has to."""

    def __init__(self, module, clock, period):
        """`clock`: the name of its net; `period` in ns."""
        super().__init__(module)
        self.period = period
        self.clock = module["netnames"][clock]["bits"][0]
        self.start = np.array([self.starts(*place) for place in self.driver.values()])
        self.join()

    def clocked(self, cell, port):
        """Whether a port of a register or memory belongs to the clock."""
        if cell["type"] == "DP16KD":  # DIA5, CEB
            side = "A" if "A" in port[2:] else "B"
            return self.clock in bits(cell, f"CLK{side}")
        return self.clock in bits(cell, "WCK" if cell["type"] == "TRELLIS_COMB" else "CLK")

    def starts(self, index, port):
        """When an output of a register changes; long ago where a path cannot begin."""
        cell = self.cells[index]
        delay = {"TRELLIS_FF": CLOCK_TO_Q, "DP16KD": CLOCK_TO_DATA}.get(cell["type"])
        return delay if delay and self.clocked(cell, port) else -NEVER

    def join(self):
        """Notes pins, what leads from them to nodes (arcs), and where paths end."""
        outputs = collections.defaultdict(list)
        for bit, (index, port) in self.driver.items():
            outputs[index].append((self.node[bit], port))
        arcs, ends = [], []
        for pin, (bit, index, port) in enumerate(self.sinks):
            cell = self.cells[index]
            kind, mode = cell["type"], cell["parameters"].get("MODE", "LOGIC")
            if port in CLOCKS:
                continue
            if kind == "TRELLIS_RAMW":
                arcs += [(pin, node, 0) for node, out in outputs[index] if out == RAMW.get(port)]
            elif kind == "TRELLIS_COMB" and not port.startswith(("W", "CE", "LSR")):
                found = ((node, through(mode, port, out)) for node, out in outputs[index])
                arcs += [(pin, node, delay) for node, delay in found if delay is not None]
            elif self.clocked(cell, port):
                ends.append((pin, 0 if port == "DI" else SETUP))
        self.end_pin = np.array([pin for pin, _ in ends], int)
        self.end_setup = np.array([setup for _, setup in ends], float)
        self.order([arc[:2] for arc in arcs], [arc[2] for arc in arcs])

    def order(self, arcs, delays):
        """Sorts arcs so that those to a node come after all that lead to their beginnings."""
        level = np.zeros(len(self.node), int)
        left = np.bincount([node for _, node in arcs], minlength=len(level))
        onward = collections.defaultdict(list)
        for pin, node in arcs:
            onward[self.pin_node[pin]].append(node)
        ready = list(np.flatnonzero(left == 0))
        while ready:
            at = ready.pop()
            for node in onward[at]:
                level[node] = max(level[node], level[at] + 1)
                left[node] -= 1
                if left[node] == 0:
                    ready.append(node)
        if left.any():
            raise ValueError("a loop of logic")
        pairs = np.array(arcs, int).reshape(-1, 2)
        by_level = np.argsort(level[pairs[:, 1]], kind="stable")
        self.arc_pin, self.arc_node = pairs[by_level].T
        self.arc_delay = np.array(delays, float)[by_level]
        levels = level[self.arc_node]
        begin = np.searchsorted(levels, np.arange(1, 2 + max(levels, default=0)))
        self.steps = [slice(*step) for step in zip(begin[:-1], begin[1:])]

    def analyse(self):
        """Computes `arrival` of each node, `required` and `slack` of each pin; the least slack."""
        self.wire = np.where(self.pin_free, 0, delay(
            self.at[self.node_cell[self.pin_node]] - self.at[self.pin_cell]))
        self.arrival = self.start.copy()
        for step in self.steps:
            pin = self.arc_pin[step]
            np.maximum.at(self.arrival, self.arc_node[step],
                          self.arrival[self.pin_node[pin]] + self.wire[pin] + self.arc_delay[step])
        self.required = np.full(len(self.pin_node), NEVER)
        self.required[self.end_pin] = self.period - self.end_setup
        before = np.full(len(self.node), NEVER)  # when a node has to have changed
        np.minimum.at(before, self.pin_node[self.end_pin],
                      self.required[self.end_pin] - self.wire[self.end_pin])
        for step in reversed(self.steps):
            pin = self.arc_pin[step]
            np.minimum.at(self.required, pin, before[self.arc_node[step]] - self.arc_delay[step])
            np.minimum.at(before, self.pin_node[pin], self.required[pin] - self.wire[pin])
        self.slack = self.required - self.wire - self.arrival[self.pin_node]
        return self.slack[self.end_pin].min(initial=NEVER)

    def late(self):
        """The sum of the squares of what paths are late at their ends, ns^2, after `analyse`."""
        return (np.minimum(self.slack[self.end_pin], 0) ** 2).sum()


def delay(apart):
    """What wires over these columns and rows take; one inside a tile half of the least."""
    tiles = np.abs(apart)
    return TILE * np.where(tiles.any(axis=-1),
                           6 + (tiles + np.minimum(tiles, 5)).sum(axis=-1), 3)
