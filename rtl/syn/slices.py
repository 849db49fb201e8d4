# SPDX-License-Identifier: Apache-2.0
"""Which places of an ECP5's slices are free for a LUT, a register, or both.

A tile has four slices, A to D, of two places each; a place has a LUT and a register. Registers of a
tile have one clock and one reset, those of a slice one enable. A register whose input is DI
has the LUT of its own place before it. The LUTs of slices A and B may be memories, which have a
RAMW in slice C. It needs numpy.
"""
import copy

import numpy as np

from rtl.syn import nextpnr
from rtl.syn.placed import bits

PLACES = 8
# What a LUT is part of; a memory also takes the LUTs of its RAMW.
LOGIC, WIDE, CARRY, MEMORY = range(4)
MODES = {"CCU2": CARRY, "DPRAM": MEMORY, "RAMW_BLOCK": MEMORY}
NONE = -1


def kind(cell):
    """What a TRELLIS_COMB is used as."""
    mode = cell["parameters"].get("MODE", "LOGIC")
    if mode in MODES:
        return MODES[mode]
    return WIDE if any(bits(cell, port) for port in ("OFX", "M", "FXA", "FXB", "F1")) else LOGIC


class Slices:
    """LUTs and registers by column, row and place; `place` of each cell, by index, or NONE.

    `ramw` is the RAMW of a tile, by column and row.
    """

    def __init__(self, cells):
        spots = [nextpnr.slice_place(cell) for cell in cells]
        size = np.max([spot[:2] for spot in spots if spot], axis=0, initial=0) + 1
        self.luts = np.full((*size, PLACES), NONE)
        self.registers = np.full((*size, PLACES), NONE)
        self.tile = np.zeros(size, bool)  # has slices
        self.ramw = {}
        for index, cell in enumerate(cells):
            if cell["type"] == "TRELLIS_RAMW":
                self.ramw[nextpnr.place(cell)] = index
        self.place = np.array([spot[2] if spot else NONE for spot in spots], int)
        self.kind = np.full(len(cells), NONE)
        self.by_m = np.zeros(len(cells), bool)  # registers whose input is M
        self.of_tile, self.of_slice = np.zeros((2, len(cells)), int)
        shared = {}  # numbers of what the registers of a tile, or of a slice, have in common
        for index, (cell, spot) in enumerate(zip(cells, spots)):
            if spot is None:
                continue
            self.tile[spot[:2]] = True
            if cell["type"] == "TRELLIS_COMB":
                self.luts[spot] = index
                self.kind[index] = kind(cell)
            else:
                self.registers[spot] = index
                self.by_m[index] = bool(bits(cell, "M"))
                for numbers, ports, names in (
                        (self.of_tile, ("CLK", "LSR"), ("CLKMUX", "LSRMUX", "SRMODE")),
                        (self.of_slice, ("CE",), ("CEMUX", "GSR"))):
                    key = (*(tuple(bits(cell, port)) for port in ports),
                           *(cell["parameters"].get(name) for name in names))
                    numbers[index] = shared.setdefault(key, len(shared))

    def there(self, column, row):
        """Whether a tile is on the device and has slices."""
        return (0 <= column < self.tile.shape[0] and 0 <= row < self.tile.shape[1]
                and self.tile[column, row])

    def free(self, lut, register, column, row):
        """A place of a tile for a LUT, a register or (when they belong together) both, or NONE."""
        if not self.there(column, row):
            return NONE
        luts, registers = self.luts[column, row], self.registers[column, row]
        if register != NONE:
            there = registers[registers != NONE]
            if (column, row) in self.ramw or (self.of_tile[there] != self.of_tile[register]).any():
                return NONE
        for place in range(PLACES):
            if self.fits_lut(lut, register, luts, registers, place) \
                    and self.fits_register(lut, register, luts, registers, place):
                return place
        return NONE

    def fits_lut(self, lut, register, luts, registers, place):
        """Whether a LUT can stand at a place."""
        if lut == NONE:
            return True
        beside, below = luts[place ^ 1], registers[place]
        return (luts[place] == NONE and (beside == NONE or self.kind[beside] < CARRY)
                and (register != NONE or below == NONE or self.by_m[below]))

    def fits_register(self, lut, register, luts, registers, place):
        """Whether a register can stand at a place of a tile that has its clock and reset."""
        if register == NONE:
            return True
        beside, above = registers[place ^ 1], luts[place]
        return (registers[place] == NONE
                and (beside == NONE or self.of_slice[beside] == self.of_slice[register])
                and (lut != NONE or above == NONE or self.kind[above] == LOGIC))

    def move(self, lut, register, old, new):
        """Moves a LUT and a register (or one of them) between places (column, row, place)."""
        for cell, table in ((lut, self.luts), (register, self.registers)):
            if cell != NONE:
                table[old], table[new], self.place[cell] = NONE, cell, new[2]

    def loose(self, column, row):
        """Whether the cells of a tile can all go to another: no chain or multiplexer is there."""
        if not self.there(column, row):
            return False
        there = self.luts[column, row]
        return not np.isin(self.kind[there[there != NONE]], (WIDE, CARRY)).any()

    def content(self, tile):
        """The cells of a tile (column, row)."""
        there = np.concatenate((self.luts[tile], self.registers[tile]))
        return np.array([*there[there != NONE], *([self.ramw[tile]] if tile in self.ramw else [])],
                        int)

    def swap(self, one, other):
        """Lets two tiles change what they hold."""
        for table in (self.luts, self.registers):
            table[one], table[other] = table[other].copy(), table[one].copy()
        memories = {at: self.ramw.pop(here) for here, at in ((one, other), (other, one))
                    if here in self.ramw}
        self.ramw.update(memories)

    def copy(self):
        """Another one, with tables of its own for what moves."""
        other = copy.copy(self)
        other.luts, other.registers = self.luts.copy(), self.registers.copy()
        other.place, other.ramw = self.place.copy(), self.ramw.copy()
        return other

    def write(self, cells, at):
        """Lets `cells`, those of the netlist, have their places, in tiles `at` (column, row)."""
        for index, cell in enumerate(cells):
            if self.place[index] != NONE or cell["type"] == "TRELLIS_RAMW":
                cell["attributes"]["NEXTPNR_BEL"] = self.bel(index, *at[index])

    def bel(self, cell, column, row):
        """What nextpnr calls the place of a cell of a tile."""
        place = self.place[cell]
        if place == NONE:
            return f"X{column}/Y{row}/SLICEC.RAMW"
        letter = "FF" if self.kind[cell] == NONE else "K"
        return f"X{column}/Y{row}/SLICE{'ABCD'[place // 2]}.{letter}{place % 2}"
