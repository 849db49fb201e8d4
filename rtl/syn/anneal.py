#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shortens the wires of a placement on an LFE5U-85F by simulated annealing.

usage: anneal.py PLACED [CLOCK MHZ ...] OUT

PLACED is what `nextpnr-ecp5 --write` wrote; CLOCK is the net of a clock that is to reach MHZ, of
those that do not. OUT is PLACED with other places for LUTs, registers, memories of LUTs and block
RAMs. It needs numpy and numba.

The placer `static` of nextpnr brings what belongs together into the same region. The refinement
after it takes only moves that make wires shorter, and ends where it finds none. Annealing also
takes moves that make them longer, fewer and fewer of them. Its measure is the sum of the lengths of
all nets: half the perimeter of what encloses one, times what a tree of so many pins takes more.
To it come the wires from the driver of a net to pins on slow paths, by how urgent they are
(urgency.py). Carry chains, wide multiplexers and the spacers of spacers.py stay where they are.
"""
import math
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import anneal_moves, movable, nextpnr, ram_sites, slices, wirelength  # noqa: E402
from rtl.syn.placed import Placed  # noqa: E402
from rtl.syn.slices import NONE  # noqa: E402
from rtl.syn.urgency import Urgency  # noqa: E402

# Temperatures, in columns of wire, by what they fall, and moves of each group at one of them.
HOT, COLD, COOLING, MOVES = 2.5, 0.02, 0.91, 20
REACH = 3          # columns and rows of a move that is not towards a median
# How much longer than half the perimeter a tree of so many pins is, by Cheng's table of 1994.
PINS = (3, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
LONGER = (1, 1.0828, 1.4493, 1.6899, 1.8924, 2.0743, 2.2334, 2.3895, 2.5356, 2.6625, 2.7933)
BEYOND = 0.02616   # for each pin more
STEPS = 2          # as many temperatures with slow paths, and a part of the moves at each
# Wires of slow paths: what all of them count for as a part of all nets, and what one of the most
# urgent does at most, as a part of a net with two pins. With SOFT ns more slack it is e times less,
# from the first temperature to the last.
SLOW, MOST = 1.0, 100
SOFT_HOT, SOFT_COLD = 2.5, 1.5
CLOCK_BUFFERS = ("DCCA", "DCSC")  # have wires of their own


class Annealing:
    """A placement and its nets, as tables for anneal_moves.py."""

    def __init__(self, module, clocks):
        """`clocks`: what MHz each is to reach, by the names of their nets."""
        placed = self.placed = Placed(module)
        self.slices = slices.Slices(placed.cells)
        groups = self.movable = movable.Movable(placed, self.slices)
        self.groups = np.stack((groups.luts, groups.registers), axis=1)
        self.urgency = Urgency(module, clocks) if clocks else None
        self.trees = self.pins()
        self.x, self.y = (axis.copy() for axis in placed.at.astype(int).T)
        self.by_length = self.nets(np.zeros((0, 2), int), np.zeros(0))
        ramw = np.full(self.slices.tile.shape, NONE)
        for tile, cell in self.slices.ramw.items():
            ramw[tile] = cell
        loose = np.array([self.slices.loose(*tile)
                          for tile in np.ndindex(ramw.shape)]).reshape(ramw.shape)
        self.tables = anneal_moves.Tables(self.slices.luts, self.slices.registers, ramw,
                                          self.slices.tile, loose)
        self.memories = np.argwhere(loose & (ramw != NONE))
        self.blocks = np.full(len(ram_sites.SITES), NONE)
        for index, cell in enumerate(placed.cells):
            if cell["type"] == ram_sites.RAM:
                self.blocks[ram_sites.SITES.index(nextpnr.place(cell))] = index

    def pins(self):
        """Where the cells of each net begin, those cells, its weight, and the net of each cell."""
        placed = self.placed
        count = len(placed.node_cell)
        net = np.concatenate((np.arange(count), placed.pin_node))
        cell = np.concatenate((placed.node_cell, placed.pin_cell))
        net, cell = np.unique(np.stack((net, cell)), axis=1)
        size = np.bincount(net, minlength=count)
        kept = (size > 1) & [placed.cells[one]["type"] not in CLOCK_BUFFERS
                             for one in placed.node_cell]
        number, inside = np.cumsum(kept) - 1, kept[net]
        weight = np.interp(size[kept], PINS, LONGER) + BEYOND * np.maximum(0, size[kept] - PINS[-1])
        return (np.concatenate(([0], np.cumsum(size[kept]))), cell[inside], weight,
                number[net[inside]])

    def slow_wires(self, temperature):
        """Cells at both ends of wires of slow paths, and the weight of each."""
        left = math.log(temperature / COLD) / math.log(HOT / COLD)
        pin, urgent = self.urgency.update(np.stack((self.x, self.y), axis=1),
                                          SOFT_COLD + left * (SOFT_HOT - SOFT_COLD))
        ends = np.stack((self.placed.node_cell[self.placed.pin_node[pin]],
                         self.placed.pin_cell[pin]), axis=1)
        apart = sum(np.abs(axis[ends[:, 0]] - axis[ends[:, 1]]) for axis in (self.x, self.y))
        all_slow = max(1, (urgent * apart).sum())
        return ends, urgent * min(MOST, SLOW * self.length() / all_slow)

    def nets(self, ends, weights):
        """Nets and cells for anneal_moves.py, with nets of their own for wires of slow paths."""
        first, cells, weight, owner = self.trees
        trees, slow = len(weight), np.arange(len(weights))
        first = np.concatenate((first, first[-1] + 2 * (slow + 1)))
        cells = np.concatenate((cells, ends.ravel()))
        owner = np.concatenate((owner, np.repeat(trees + slow, 2)))
        weight = np.concatenate((weight, weights))
        count = len(weight)
        nets = wirelength.Nets(
            first, cells, weight, np.zeros((count, 4), int), np.zeros((count, 4), int),
            np.zeros(count, int), np.zeros(count, bool), np.zeros(count, int))
        order = np.argsort(cells, kind="stable")
        first_net = np.searchsorted(cells[order], np.arange(len(self.x) + 1))
        return nets, wirelength.Cells(
            self.x, self.y, self.slices.place, self.slices.kind, self.slices.by_m,
            self.slices.of_tile, self.slices.of_slice, self.movable.group, first_net, owner[order])

    def length(self):
        """The lengths of all nets, without regard to slow paths."""
        return wirelength.length(*self.by_length)

    def run(self):
        """Anneals; the lengths of all nets before and after."""
        before = self.length()
        sites = np.array(ram_sites.SITES)
        temperature, seed = HOT, 0
        steps = STEPS if self.urgency else 1
        nets, cells = self.by_length
        while temperature > COLD:
            seed += 1
            if self.urgency:
                nets, cells = self.nets(*self.slow_wires(temperature))
                wirelength.length(nets, cells)  # computes their bounds
            anneal_moves.anneal(self.tables, cells, nets, self.groups, self.memories,
                                sites, self.blocks, seed, temperature, REACH,
                                MOVES // steps * len(self.groups), self.urgency is not None)
            temperature *= COOLING ** (1 / steps)
        self.slices.write(self.placed.cells, np.stack((self.x, self.y), axis=1))
        for site, cell in zip(ram_sites.SITES, self.blocks):
            if cell != NONE:
                self.placed.cells[cell]["attributes"]["NEXTPNR_BEL"] = ram_sites.bel(site)
        return before, self.length()


def main():
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__.split("\n\n")[1])
    source, *words, out = sys.argv[1:]
    placed = nextpnr.read(source)
    module = nextpnr.largest(placed)
    before, after = Annealing(module, nextpnr.goals(module, words)).run()
    nextpnr.write(placed, out)
    print(f"wires of {before:,.0f} columns and rows -> {after:,.0f}")


if __name__ == "__main__":
    main()
