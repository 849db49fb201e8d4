# SPDX-License-Identifier: Apache-2.0
"""What of a placement on an ECP5 can be moved by itself, and what it is joined to.

It needs numpy.
"""
import numpy as np

from rtl.syn import slices
from rtl.syn.placed import bits
from rtl.syn.slices import NONE


class Links:
    """Pins that join owners to cells: those of an owner from `first` on, and the cell there."""

    def __init__(self, owner, pin, cell, owners):
        order = np.argsort(owner, kind="stable")
        order = order[owner[order] != NONE]
        self.owner, self.pin, self.cell = owner[order], pin[order], cell[order]
        self.first = np.searchsorted(self.owner, np.arange(owners + 1))

    def of(self, owner):
        return slice(self.first[owner], self.first[owner + 1])


class Movable:
    """Groups: a LUT, a register, or a register with the LUT before its DI.

    `luts` and `registers` by group, one of which may be NONE; `cell` is one of both, and `group`
    that of a cell. `links` join groups to cells outside of them, `cell_links` all cells.
    """

    def __init__(self, placed, places):
        before = {}  # the LUT before a register's DI; NONE where it is a constant
        for index, cell in enumerate(placed.cells):
            if cell["type"] == "TRELLIS_FF":
                for bit in bits(cell, "DI"):
                    before[index] = placed.driver.get(bit, (NONE,))[0]
        taken = set(before.values())
        groups = []
        for index, cell in enumerate(placed.cells):
            if places.place[index] == NONE or placed.stays[index]:
                continue
            if cell["type"] == "TRELLIS_FF":
                lut = before.get(index, NONE)
                if index not in before or (lut != NONE and places.kind[lut] == slices.LOGIC):
                    groups.append((lut, index))
            elif places.kind[index] == slices.LOGIC and index not in taken:
                groups.append((index, NONE))
        self.luts, self.registers = np.array(groups, int).reshape(-1, 2).T
        self.cell = np.where(self.luts != NONE, self.luts, self.registers)
        self.group = np.full(len(placed.cells), NONE)
        for members in (self.luts, self.registers):
            there = members != NONE
            self.group[members[there]] = np.flatnonzero(there)
        self.join(placed)

    def join(self, placed):
        source = placed.node_cell[placed.pin_node]
        wired = np.flatnonzero(~placed.pin_free & (source != placed.pin_cell))
        reader, driver = placed.pin_cell[wired], source[wired]
        ends, others = np.concatenate((reader, driver)), np.concatenate((driver, reader))
        pins = np.tile(wired, 2)
        self.cell_links = Links(ends, pins, others, len(placed.cells))
        outside = self.group[ends] != self.group[others]
        self.links = Links(self.group[ends[outside]], pins[outside], others[outside],
                           len(self.cell))

    def around(self, cells):
        """Pins between some cells and others, and those others."""
        found = [np.arange(self.cell_links.first[cell], self.cell_links.first[cell + 1])
                 for cell in cells]
        at = np.concatenate(found) if found else np.zeros(0, int)
        at = at[~np.isin(self.cell_links.cell[at], cells)]
        return self.cell_links.pin[at], self.cell_links.cell[at]
