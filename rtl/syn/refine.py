#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves cells of a placement to where slow paths are shorter, on an ECP5.

usage: refine.py PLACED CLOCK MHZ [CLOCK MHZ ...] OUT

PLACED is what `nextpnr-ecp5 --write` wrote; CLOCK is the net of a clock that is to reach MHZ. OUT
is PLACED with other places for some of its cells. It needs numpy and scipy.

The placer `static` of nextpnr shortens all wires, and the refinement after it moves a cell by three
columns or rows at a time. Both leave paths that cross the device more than once, since no single
short step makes them shorter. Three kinds of moves do.

- A sweep takes each LUT and register of slow paths to the free place, on the way to the median of
  what it is joined to, that makes the slack of its pins best.
- A jump lets springs pull on all of them in a region at the same time, stronger where the slack is
  less. It breaks what it does not see; sweeps mend that, or it is taken back.
- A memory of LUTs changes places with what another tile holds.

At the end block RAMs change sites (block_rams.py). Carry chains and wide multiplexers stay.
"""
import pathlib
import sys

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import block_rams, movable, nextpnr, placed_timing, slices  # noqa: E402
from rtl.syn.slices import NONE  # noqa: E402

SEED = 1
JUMPS, REGIONS = 8, 70  # jumps everywhere, and those in a region
REGION = 8         # columns and rows on each side of a cell of a slow path
SWEEPS = 4         # sweeps after a jump
SWAPS = 40         # one in so many jumps in a region moves memories instead
MEMORIES = 100     # how many at most, those with the least slack
SOFT = 1.0         # a pin with so much more slack is e times less urgent, ns
SWEEP_SLOW, JUMP_SLOW, SWAP_SLOW = 5, 3, 2.5  # ns more slack than the slowest that still count
LENGTH = 0.01      # what a tile of wire costs, where the slowest path costs 1 for each of its pins
HOLD = 0.002       # strength of the spring that holds a cell where it was
AROUND = 2         # columns and rows around a place that a sweep tries
FAR = 4            # and a jump
FRESH = 100        # moves after which all paths are computed again
GAIN = 0.99        # a move has to cost less than this part of what there was
WAY = (1, 0.75, 0.5, 0.25, 0.1)  # how far towards the median


class Refinement:
    """A placement, what is movable of it, and the paths of one clock."""

    def __init__(self, module, clock, period):
        self.timing = placed_timing.Timing(module, clock, period)
        self.slices = slices.Slices(self.timing.cells)
        self.movable = movable.Movable(self.timing, self.slices)
        sinks = np.bincount(self.timing.pin_node, minlength=len(self.timing.node))
        self.length_cost = LENGTH / np.maximum(1, sinks[self.timing.pin_node])  # by pin
        self.random = np.random.default_rng(SEED)

    def urgency(self, slack):
        """How much a pin matters: 1 on the slowest path."""
        return np.exp(np.minimum((self.worst - slack) / SOFT, 50))

    def weight(self, pin):
        return self.urgency(self.timing.slack[pin]) + self.length_cost[pin]

    def lateness(self):
        """What paths are late (Timing.late); computes all of them."""
        self.worst = self.timing.analyse()
        return self.timing.late()

    def slow(self, more):
        """Groups with at most so much more slack than the slowest path, slowest first."""
        self.worst = self.timing.analyse()
        links = self.movable.links
        least = np.full(len(self.movable.cell), placed_timing.NEVER)
        np.minimum.at(least, links.owner, self.timing.slack[links.pin])
        order = np.argsort(least, kind="stable")
        return order[least[order] < self.worst + more]

    def costs(self, group, places):
        """What a group costs at each of some places, while all others stay."""
        timing, at = self.timing, self.movable.links.of(group)
        pin, cell_there = self.movable.links.pin[at], self.movable.links.cell[at]
        lut, register = self.movable.luts[group], self.movable.registers[group]
        apart = places[:, None, :] - timing.at[cell_there][None, :, :]
        wire = placed_timing.delay(apart)
        cell, source = timing.pin_cell[pin], timing.node_cell[timing.pin_node[pin]]
        arrival, required = timing.arrival[timing.pin_node[pin]], timing.required[pin]
        slack = required - arrival - wire  # for pins of a register, and what it drives
        if lut != NONE:
            into, out = cell == lut, source == lut
            ready = (arrival[into] + wire[:, into]).max(axis=1, initial=-placed_timing.NEVER)
            due = (required[out] - wire[:, out]).min(
                axis=1, initial=timing.period if register != NONE else placed_timing.NEVER)
            slack[:, into] = due[:, None] - placed_timing.LUT - arrival[into] - wire[:, into]
            slack[:, out] = required[out] - wire[:, out] - placed_timing.LUT - ready[:, None]
        return (self.urgency(slack).sum(axis=1)
                + np.abs(apart).sum(axis=2) @ self.length_cost[pin])

    def median(self, pin, cells):
        """Where what is joined by pins to other cells would have its wires shortest."""
        places, weight = self.timing.at[cells], self.weight(pin)
        order = np.argsort(places, axis=0, kind="stable")
        half = [np.searchsorted(np.cumsum(weight[order[:, axis]]), weight.sum() / 2)
                for axis in (0, 1)]
        return np.array([places[order[min(half[axis], len(pin) - 1), axis], axis]
                         for axis in (0, 1)])

    def way(self, now, pin, cells):
        """Tiles around the way to that place."""
        way = np.round(now + np.outer(WAY, self.median(pin, cells) - now)).astype(int)
        return np.unique((way[:, None, :] + square(AROUND)[None, :, :]).reshape(-1, 2), axis=0)

    def settle(self, group, tile):
        """Moves a group to a free place of a tile; False where none is."""
        lut, register = self.movable.luts[group], self.movable.registers[group]
        place = self.slices.free(lut, register, *tile)
        if place == NONE:
            return False
        cell = self.movable.cell[group]
        old = (*self.timing.at[cell].astype(int), self.slices.place[cell])
        self.slices.move(lut, register, old, (*tile, place))
        self.timing.at[[one for one in (lut, register) if one != NONE]] = tile
        return True

    def sweep(self):
        """Moves each slow group to the best free place on its way; how many moved."""
        moved, links = 0, self.movable.links
        for group in self.slow(SWEEP_SLOW):
            now, at = self.timing.at[self.movable.cell[group]], links.of(group)
            tried = self.way(now, links.pin[at], links.cell[at])
            cost = self.costs(group, tried.astype(float))
            most = GAIN * self.costs(group, now[None, :])[0]
            for choice in np.argsort(cost, kind="stable"):
                if cost[choice] >= most:
                    break
                if self.settle(group, tried[choice]):
                    moved += 1
                    if moved % FRESH == 0:
                        self.timing.analyse()
                    break
        return moved

    def jump(self, everywhere):
        """Moves slow groups to free places near to where springs between them balance."""
        slow = self.slow(JUMP_SLOW)
        if not everywhere and len(slow) > 0:
            at = self.timing.at[self.movable.cell[slow]]
            middle = at[self.random.integers(len(slow))]
            slow = slow[(np.abs(at - middle) <= REGION).all(axis=1)]
        steps = square(FAR)
        steps = steps[np.argsort(np.abs(steps).sum(axis=1), kind="stable")]
        for group, target in zip(slow, self.balance(slow)):
            gone = np.abs(target - self.timing.at[self.movable.cell[group]]).sum()
            for tile in np.round(target).astype(int) + steps:
                if np.abs(tile - target).sum() < gone and self.settle(group, tile):
                    break

    def balance(self, groups):
        """Where some groups would stand by springs whose energy grows as wires and urgency."""
        links, cells = self.movable.links, self.timing.at
        index = np.full(len(self.movable.cell) + 1, NONE)  # the last for cells of no group
        index[groups] = np.arange(len(groups))
        mine = np.flatnonzero(index[links.owner] != NONE)
        own, other = index[links.owner[mine]], index[self.movable.group[links.cell[mine]]]
        both, weight = other != NONE, self.weight(links.pin[mine])
        held = cells[self.movable.cell[groups]]
        now = held.copy()
        for _ in range(6):  # strengths follow lengths
            for axis in (0, 1):
                there = np.where(both, now[other, axis], cells[links.cell[mine], axis])
                strength = weight / (np.abs(now[own, axis] - there) + 1)
                joined = sparse.coo_matrix((strength[both], (own[both], other[both])),
                                           shape=(len(groups), len(groups))).tocsr()
                total = np.bincount(own, strength, len(groups)) + HOLD
                pull = np.bincount(own[~both], (strength * there)[~both], len(groups))
                now[:, axis], _ = linalg.cg(sparse.diags(total) - joined,
                                            pull + HOLD * held[:, axis], x0=now[:, axis],
                                            maxiter=200)
        return now

    def swap(self, one, other):
        """Lets two tiles change places."""
        cells = [self.slices.content(tile) for tile in (one, other)]
        self.slices.swap(one, other)
        self.timing.at[cells[0]], self.timing.at[cells[1]] = other, one

    def swap_memories(self):
        """Moves the slowest memories of LUTs to tiles where paths are less late."""
        best, slack = self.lateness(), {}
        for tile in filter(lambda tile: self.slices.loose(*tile), self.slices.ramw):
            pin, _ = self.movable.around(self.slices.content(tile))
            slack[tile] = self.timing.slack[pin].min(initial=placed_timing.NEVER)
        slow = [tile for tile in sorted(slack, key=slack.get)
                if slack[tile] < self.worst + SWAP_SLOW]
        for tile in slow[:MEMORIES]:
            if tile in self.slices.ramw:
                best = self.first_better(best, tile, self.exchanges(tile), self.swap)

    def first_better(self, best, one, others, swap):
        """Swaps one with the first of others that makes paths less late than `best`; that, then."""
        for other in others:
            swap(one, other)
            late = self.lateness()
            if late < best:
                return late
            swap(other, one)
        return best

    def exchanges(self, tile, most=2):
        """The best tiles, at most so many, to change places with one."""
        cells = self.slices.content(tile)
        pin, joined = self.movable.around(cells)
        now, found = self.timing.at[cells[0]], []
        for there in map(tuple, self.way(now, pin, joined)):
            if there == tile or not self.slices.loose(*there):
                continue
            gain = self.change(pin, joined, now, there, 1)
            others = self.slices.content(there)
            gain += self.change(*self.movable.around(others), there, now, 2)
            if gain < GAIN - 1:
                found.append((gain, there))
        return [there for _, there in sorted(found)[:most]]

    def change(self, pin, joined, old, new, times):
        """What it costs to move cells: pins lose their own wire so many times, for paths on."""
        more = placed_timing.delay(self.timing.at[joined] - new) \
            - placed_timing.delay(self.timing.at[joined] - old)
        slack = self.timing.slack[pin]
        return ((self.urgency(slack - times * more) - self.urgency(slack)).sum()
                + (more / placed_timing.TILE) @ self.length_cost[pin])

    def mend(self):
        """Sweeps until nothing moves, or for long enough."""
        late = self.lateness()
        for _ in range(SWEEPS):
            if late == 0 or not self.sweep():
                break
            late = self.lateness()
            self.keep(late)

    def keep(self, late):
        """Notes a state when it is better than those before."""
        if late < self.best:
            self.best, self.kept = late, (self.timing.at.copy(), self.slices.copy())

    def restore(self):
        """Takes the best state again."""
        self.timing.at, self.slices = self.kept[0].copy(), self.kept[1].copy()
        self.lateness()

    def run(self):
        """Moves cells until nothing is late; the slack before and after, ns."""
        self.best = np.inf
        self.keep(self.lateness())
        first = self.worst
        self.mend()
        for _ in range(JUMPS):
            if self.best > 0:
                self.jump(everywhere=True)
                self.mend()
        for turn in range(REGIONS):
            if self.best > 0:
                self.restore()
                if turn % SWAPS == 0:
                    self.swap_memories()
                else:
                    self.jump(everywhere=False)
                self.mend()
        self.restore()
        block_rams.BlockRams(self).run()
        self.slices.write(self.timing.cells, self.timing.at.astype(int))
        return first, self.worst


def square(side):
    """Steps in columns and rows to all tiles at most `side` of each away."""
    reach = range(-side, side + 1)
    return np.array([(column, row) for column in reach for row in reach])


def main():
    if len(sys.argv) < 5 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__.split("\n\n")[1])
    source, *words, out = sys.argv[1:]
    placed = nextpnr.read(source)
    module = nextpnr.largest(placed)
    for clock, mhz in nextpnr.goals(module, words).items():
        period = 1e3 / mhz
        before, after = (1e3 / (period - slack)
                         for slack in Refinement(module, clock, period).run())
        print(f"{clock}: {before:.1f} -> {after:.1f} MHz expected")
    nextpnr.write(placed, out)


if __name__ == "__main__":
    main()
