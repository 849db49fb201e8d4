#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chooses the sites of block RAMs on an LFE5U-85F, for a netlist that nextpnr has placed once.

usage: ram_sites.py PLACED NETLIST OUT

PLACED is what `nextpnr-ecp5 --write` wrote of NETLIST, and OUT is NETLIST with the attribute BEL
at each DP16KD. It needs numpy and scipy.

The placer of nextpnr spreads block RAMs over the whole device as it spreads logic, and moves each
to a site once everything else has found its place; a site is in one of four rows. In the whole
engine that made wires a third longer, which the logic around could not mend any more. So the first
placement only serves to find where each block RAM would stand if it could stand anywhere; with
the sites fixed the second one places the logic around them.

Where a block RAM would stand: each net pulls on its pins by springs between its outermost pins and
all others, whose strength falls with their length, so that their energy grows as half the
perimeter of the net's rectangle; every other cell is held by a weak spring where it was placed, so
that neighbours go along. The block RAMs then get the sites that are nearest in sum.
"""
import collections
import pathlib
import sys

import numpy as np
from scipy import optimize, sparse
from scipy.sparse import linalg

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import nextpnr  # noqa: E402

RAM = "DP16KD"
ROWS = (22, 46, 70, 82)
# Four sites of two columns stand in nine columns; between the halves of a row are two more.
COLUMNS = [start + 2 * at for half in (range(4, 59, 9), range(69, 115, 9))
           for start in half for at in range(4)]
SITES = [(x, y) for y in ROWS for x in COLUMNS]
HOLD = 0.02     # strength of the spring that holds a cell; one of a net of two pins has 2 at most
ROUNDS = 4      # the strengths follow the lengths
MOST_PINS = 1000  # a net with more reaches everywhere and says nothing


def bel(site):
    """The name of a site in nextpnr."""
    x, y = site
    return f"X{x}/Y{y}/EBR{COLUMNS.index(x) % 4}"


class Springs:
    """Cells and nets of a placed netlist, as arrays, and springs between the cells of a net."""

    def __init__(self, module):
        self.names, places, rams, nets = [], [], [], collections.defaultdict(set)
        for name, cell in module["cells"].items():
            at = nextpnr.place(cell)
            if at is None:
                continue
            rams.append(cell["type"] == RAM)
            places.append(at)
            for bits in cell["connections"].values():
                for bit in bits:
                    if isinstance(bit, int):
                        nets[bit].add(len(self.names))
            self.names.append(name)
        self.at, self.rams = np.array(places, float).reshape(-1, 2), np.array(rams, bool)
        used = [sorted(net) for net in nets.values() if 2 <= len(net) <= MOST_PINS]
        self.sizes = np.array([len(net) for net in used], int)
        self.pins = np.array([pin for net in used for pin in net], int)
        self.net = np.repeat(np.arange(len(used)), self.sizes)  # the net of each pin

    def ends(self, along):
        """The first and the last pin of each net, by one coordinate of all cells."""
        order = self.pins[np.lexsort((along[self.pins], self.net))]
        last = np.cumsum(self.sizes)
        return order[last - self.sizes], order[last - 1]

    def springs(self, along):
        """The matrix of the springs of all nets in one coordinate."""
        low, high = (end[self.net] for end in self.ends(along))
        to_low = np.flatnonzero(self.pins != low)
        to_high = np.flatnonzero((self.pins != low) & (self.pins != high))
        pin = np.concatenate((to_low, to_high))
        one, other = self.pins[pin], np.concatenate((low[to_low], high[to_high]))
        strength = 2 / (self.sizes[self.net[pin]] - 1) / (np.abs(along[one] - along[other]) + 1)
        count = len(self.names)
        joined = sparse.coo_matrix((strength, (one, other)), shape=(count, count)).tocsr()
        joined = joined + joined.T
        return sparse.diags(np.asarray(joined.sum(axis=1)).ravel()) - joined

    def wanted(self):
        """Where each block RAM would stand, in columns and rows."""
        hold = np.where(self.rams, 1e-6, HOLD)
        now = self.at.copy()
        for _ in range(ROUNDS):
            for axis in (0, 1):
                found, _ = linalg.cg(self.springs(now[:, axis]) + sparse.diags(hold),
                                     hold * self.at[:, axis], x0=now[:, axis], maxiter=300)
                now[:, axis] = found
        return now[self.rams]


def nearest(wanted):
    """A site for each place, so that the sum of their distances is least."""
    distance = np.abs(wanted[:, None, :] - np.array(SITES)[None, :, :]).sum(axis=2)
    _, chosen = optimize.linear_sum_assignment(distance)
    return [SITES[at] for at in chosen]


def choose(placed, netlist):
    """Gives each block RAM of `netlist` a site; name -> site."""
    springs = Springs(nextpnr.largest(placed))
    names = [name for name, ram in zip(springs.names, springs.rams) if ram]
    if len(names) > len(SITES):
        raise ValueError(f"{len(names)} block RAMs, {len(SITES)} sites")
    cells = nextpnr.largest(netlist)["cells"]
    chosen = dict(zip(names, nearest(springs.wanted()))) if names else {}
    if set(chosen) != {name for name, cell in cells.items() if cell["type"] == RAM}:
        raise ValueError("the placed netlist has other block RAMs")
    for name, site in chosen.items():
        cells[name]["attributes"]["BEL"] = bel(site)
    return chosen


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    placed, netlist = map(nextpnr.read, sys.argv[1:3])
    try:
        chosen = choose(placed, netlist)
    except ValueError as error:
        sys.exit(f"ram_sites.py: {error}")
    nextpnr.write(netlist, sys.argv[3])
    print(f"{len(chosen)} block RAMs: " + ", ".join(
        f"{sum(site[1] == row for site in chosen.values())} in row {row}" for row in ROWS))


if __name__ == "__main__":
    main()
