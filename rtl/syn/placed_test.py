#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paths and free places of small placed netlists.

usage: placed_test.py DIR

numpy and scipy come from PyPI into DIR/solver. Without a network for that the test is skipped
(status 77). Expected delays are sums of nextpnr's own figures (predictDelay, speed grade 6).
"""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import solver  # noqa: E402
from rtl.syn.small_netlists import (CLOCK, OTHER_CLOCK, across, cell, filled, lut,  # noqa: E402
                                    netlist, register)


class TimingTest(unittest.TestCase):
    def timing(self, design, period=20.0):
        timing = placed_timing.Timing(design["modules"]["top"], "clk", period)
        timing.worst = timing.analyse()
        return timing

    def test_a_path_is_the_sum_of_its_wires_and_luts(self):
        # 40 columns and a row: 0.08 * (6 + 40 + 1 + 5 + 1) each way.
        taken = 0.525 + 2 * 0.08 * 53 + 0.236 + 0.2
        self.assertAlmostEqual(self.timing(across()).worst, 20 - taken)

    def test_the_lut_before_a_register_has_no_wire_to_it(self):
        design = netlist(a=register("10 10 SLICEA.FF0", {"Q": 10}),
                         l=lut("10 12 SLICEA.K0", {"A": 10, "F": 11}),
                         b=register("10 12 SLICEA.FF0", {"DI": 11, "Q": 12}))
        self.assertAlmostEqual(self.timing(design).worst, 20 - 0.525 - 0.08 * 10 - 0.236)

    def test_a_block_ram_begins_late(self):
        design = netlist(a=cell("DP16KD", "10 22 EBR0", {"CLKA": CLOCK, "DOA0": 10}),
                         b=register("10 22 SLICEA.FF0", {"M": 10, "Q": 11}))
        self.assertAlmostEqual(self.timing(design).worst, 20 - 5.73 - 0.24 - 0.2)

    def test_only_paths_between_registers_of_the_clock_count(self):
        design = across()
        design["modules"]["top"]["cells"]["a"]["connections"]["CLK"] = [OTHER_CLOCK]
        timing = self.timing(design)  # from b to c, in the same column
        self.assertAlmostEqual(timing.worst, 20 - 0.525 - 0.08 * 16 - 0.2)
        self.assertEqual(timing.late(), 0)

    def test_a_loop_of_logic_is_an_error(self):
        design = netlist(l=lut("1 1 SLICEA.K0", {"A": 11, "F": 10}),
                         m=lut("1 1 SLICEA.K1", {"A": 10, "F": 11}))
        with self.assertRaisesRegex(ValueError, "a loop of logic"):
            self.timing(design)


class SlicesTest(unittest.TestCase):
    def free(self, design, lut, register, tile):
        there = placed.Placed(design["modules"]["top"])
        found = slices.Slices(there.cells)
        lut, register = (there.names.index(name) if name else slices.NONE
                         for name in (lut, register))
        return found.free(lut, register, *tile)

    def test_a_lut_finds_the_first_free_place(self):
        design = netlist(l=lut("1 1 SLICEA.K0", {"F": 10}), m=lut("2 1 SLICEA.K0", {"F": 11}))
        self.assertEqual(self.free(design, "l", None, (2, 1)), 1)
        self.assertEqual(self.free(filled(design, [(2, 1)]), "l", None, (2, 1)), slices.NONE)

    def test_a_cell_that_drives_a_constant_has_a_place(self):
        design = netlist(l=lut("1 1 SLICEA.K0", {"F": 10}),
                         **{"$PACKER_GND": lut("2 1 SLICEA.K0", {"F": 11})})
        self.assertEqual(self.free(design, "l", None, (2, 1)), 1)

    def test_a_place_is_free_again_when_its_cells_have_moved(self):
        design = netlist(l=lut("1 1 SLICEA.K0", {"F": 10}), m=lut("2 1 SLICEA.K0", {"F": 11}))
        found = slices.Slices(placed.Placed(design["modules"]["top"]).cells)
        found.move(0, slices.NONE, (1, 1, 0), (2, 1, 5))
        self.assertEqual(found.free(1, slices.NONE, 1, 1), 0)
        self.assertEqual(found.bel(0, 2, 1), "X2/Y1/SLICEC.K1")

    def test_no_place_is_outside_of_the_slices(self):
        design = netlist(l=lut("3 3 SLICEA.K0", {"F": 10}))
        for tile in ((2, 2), (-1, 3), (9, 3)):
            self.assertEqual(self.free(design, "l", None, tile), slices.NONE)

    def test_a_lut_stands_neither_in_a_chain_nor_before_a_register_with_one(self):
        design = netlist(l=lut("1 1 SLICEA.K0", {"F": 10}),
                         m=lut("2 1 SLICEA.K0", {"F": 11}, MODE="CCU2"),
                         d=register("2 1 SLICEB.FF0", {"DI": 12, "Q": 13}),
                         e=register("2 1 SLICEB.FF1", {"M": 12, "Q": 14}))
        self.assertEqual(self.free(design, "l", None, (2, 1)), 3)

    def test_registers_share_clock_reset_and_enable(self):
        design = netlist(a=register("1 1 SLICEA.FF0", {"M": 10, "Q": 11, "CE": 12, "LSR": 13}),
                         b=register("2 1 SLICEA.FF0", {"M": 10, "Q": 14, "CE": 15, "LSR": 13}),
                         c=register("3 1 SLICEA.FF0", {"M": 10, "Q": 16, "CE": 12, "LSR": 17}),
                         d=register("4 1 SLICEA.FF0", {"M": 10, "Q": 18}, OTHER_CLOCK))
        self.assertEqual(self.free(design, None, "a", (2, 1)), 2)  # not in a slice of CE 15
        self.assertEqual(self.free(design, None, "a", (3, 1)), slices.NONE)
        self.assertEqual(self.free(design, None, "a", (4, 1)), slices.NONE)

    def test_a_register_keeps_away_from_memories(self):
        design = netlist(a=register("1 1 SLICEA.FF0", {"M": 10, "Q": 11}),
                         w=cell("TRELLIS_RAMW", "2 1 SLICEC.RAMW", {"A0": 11}),
                         m=lut("2 1 SLICEA.K0", {"F": 12}, MODE="DPRAM"))
        self.assertEqual(self.free(design, None, "a", (2, 1)), slices.NONE)

    def test_tiles_change_all_they_hold(self):
        design = netlist(a=register("1 1 SLICEA.FF0", {"M": 10, "Q": 11}),
                         l=lut("1 1 SLICEB.K1", {"F": 13}),
                         w=cell("TRELLIS_RAMW", "2 1 SLICEC.RAMW", {"A0": 11}),
                         m=lut("2 1 SLICEA.K0", {"F": 12}, MODE="DPRAM"))
        there = placed.Placed(design["modules"]["top"])
        found = slices.Slices(there.cells)
        found.swap((1, 1), (2, 1))
        names = {tile: {there.names[int(at)] for at in found.content(tile)}
                 for tile in ((1, 1), (2, 1))}
        self.assertEqual(names, {(1, 1): {"w", "m"}, (2, 1): {"a", "l"}})
        self.assertEqual(found.bel(there.names.index("w"), 1, 1), "X1/Y1/SLICEC.RAMW")
        self.assertEqual(found.bel(there.names.index("l"), 2, 1), "X2/Y1/SLICEB.K1")


def setUpModule():
    global placed, placed_timing, slices
    from rtl.syn import placed, placed_timing, slices


if __name__ == "__main__":
    sys.exit(solver.test())
