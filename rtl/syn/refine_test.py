#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paths and places of small placed netlists, and what refine.py makes of them.

usage: refine_test.py DIR

numpy and scipy come from PyPI into DIR/solver. Without a network for that the test is skipped
(status 77). Expected delays are sums of nextpnr's own figures (predictDelay, speed grade 6).
"""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import solver  # noqa: E402

CLOCK, OTHER_CLOCK = 1, 2
OUTPUTS = {"Q", "F", "FCO", "OFX", "DOA0", "WDO0", "WADO0"}


def cell(kind, at, ports, **parameters):
    """A cell at "column row bel", with a net (a number) for each port."""
    column, row, bel = at.split()
    return {"type": kind, "parameters": parameters,
            "attributes": {"NEXTPNR_BEL": f"X{column}/Y{row}/{bel}"},
            "port_directions": {port: "output" if port in OUTPUTS else "input" for port in ports},
            "connections": {port: [net] for port, net in ports.items()}}


def register(at, ports, clock=CLOCK, **parameters):
    return cell("TRELLIS_FF", at, {"CLK": clock, **ports}, **parameters)


def lut(at, ports, **parameters):
    return cell("TRELLIS_COMB", at, ports, **parameters)


def netlist(**cells):
    return {"modules": {"top": {"cells": cells, "netnames": {
        "clk": {"bits": [CLOCK]}, "other": {"bits": [OTHER_CLOCK]}}}}}


def across(middle="50 9 SLICEA.K0", spare="10 5 SLICED.FF1"):
    """Two registers in one tile with a LUT between them, and one by itself."""
    return netlist(a=register("10 10 SLICEA.FF0", {"Q": 10, "M": 13}),
                   l=lut(middle, {"A": 10, "F": 11}),
                   b=register("10 10 SLICEB.FF0", {"M": 11, "Q": 12}),
                   c=register(spare, {"M": 12, "Q": 13}))


def filled(design, tiles):
    """The design with LUTs on all places of some tiles."""
    for column, row in tiles:
        for place in range(8):
            bel = f"{column} {row} SLICE{'ABCD'[place // 2]}.K{place % 2}"
            design["modules"]["top"]["cells"].setdefault(
                f"x{column}_{row}_{place}", lut(bel, {"F": 9999 * column + 9 * row + place}))
    return design


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
        timing = placed_timing.Timing(design["modules"]["top"], "clk", 20.0)
        found = slices.Slices(timing.cells)
        lut, register = (timing.names.index(name) if name else slices.NONE
                         for name in (lut, register))
        return found.free(lut, register, *tile)

    def test_a_lut_finds_the_first_free_place(self):
        design = netlist(l=lut("1 1 SLICEA.K0", {"F": 10}), m=lut("2 1 SLICEA.K0", {"F": 11}))
        self.assertEqual(self.free(design, "l", None, (2, 1)), 1)
        self.assertEqual(self.free(filled(design, [(2, 1)]), "l", None, (2, 1)), slices.NONE)

    def test_a_place_is_free_again_when_its_cells_have_moved(self):
        design = netlist(l=lut("1 1 SLICEA.K0", {"F": 10}), m=lut("2 1 SLICEA.K0", {"F": 11}))
        timing = placed_timing.Timing(design["modules"]["top"], "clk", 20.0)
        found = slices.Slices(timing.cells)
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
        timing = placed_timing.Timing(design["modules"]["top"], "clk", 20.0)
        found = slices.Slices(timing.cells)
        found.swap((1, 1), (2, 1))
        names = {tile: {timing.names[int(at)] for at in found.content(tile)}
                 for tile in ((1, 1), (2, 1))}
        self.assertEqual(names, {(1, 1): {"w", "m"}, (2, 1): {"a", "l"}})
        self.assertEqual(found.bel(timing.names.index("w"), 1, 1), "X1/Y1/SLICEC.RAMW")
        self.assertEqual(found.bel(timing.names.index("l"), 2, 1), "X2/Y1/SLICEB.K1")


class RefineTest(solver.ScriptTest):
    script = ROOT / "rtl/syn/refine.py"

    def refined(self, design, mhz=200, clock="clk"):
        return self.run_to_out(self.file("placed", design), clock, str(mhz))

    def bels(self, design):
        return {name: cell["attributes"]["NEXTPNR_BEL"]
                for name, cell in design["modules"]["top"]["cells"].items()}

    def tile(self, design, name):
        column, row, _ = self.bels(design)[name].split("/")
        return np.array([int(column[1:]), int(row[1:])])

    def test_a_lut_and_the_registers_that_it_stands_between_come_together(self):
        done, out = self.refined(across())
        self.assertIn("clk: 105.9 -> ", done.stdout)  # by the first test of TimingTest
        for name in "ab":
            apart = np.abs(self.tile(out, "l") - self.tile(out, name)).sum()
            self.assertLess(apart, 3, name)

    def test_nothing_else_of_a_netlist_changes(self):
        _, out = self.refined(across())
        for cell in out["modules"]["top"]["cells"].values():
            del cell["attributes"]["NEXTPNR_BEL"]
        design = across()
        for cell in design["modules"]["top"]["cells"].values():
            del cell["attributes"]["NEXTPNR_BEL"]
        self.assertEqual(out, design)

    def test_a_clock_that_is_met_moves_nothing(self):
        _, out = self.refined(across(), mhz=50)
        self.assertEqual(out, across())

    def test_each_place_has_one_cell(self):
        cells = {}
        for at in range(24):  # all want to the same tile
            cells[f"a{at}"] = register(f"10 {10 + at} SLICEA.FF0", {"Q": 10 * at + 100, "M": 9})
            cells[f"l{at}"] = lut(f"60 {10 + at} SLICEA.K0",
                                  {"A": 10 * at + 100, "B": 100, "F": 10 * at + 101})
            cells[f"b{at}"] = register(f"10 20 SLICE{'ABCD'[at // 2 % 4]}.FF{at % 2}"
                                       if at < 8 else f"12 {10 + at} SLICEA.FF0",
                                       {"M": 10 * at + 101, "Q": 10 * at + 102})
        _, out = self.refined(netlist(**cells))
        bels = self.bels(out)
        self.assertEqual(len(set(bels.values())), len(bels))
        self.assertGreater(sum(bels[f"l{at}"].startswith(("X10/", "X11/", "X12/"))
                               for at in range(24)), 20)

    def test_a_register_goes_with_the_lut_before_it(self):
        design = netlist(a=register("10 10 SLICEA.FF0", {"Q": 10, "M": 12}),
                         l=lut("60 10 SLICEA.K0", {"A": 10, "F": 11}),
                         b=register("60 10 SLICEA.FF0", {"DI": 11, "Q": 12}))
        _, out = self.refined(design)
        bels = self.bels(out)
        self.assertEqual(bels["l"].replace(".K", ".FF"), bels["b"])
        self.assertLess(np.abs(self.tile(out, "a") - self.tile(out, "b")).sum(), 5)

    def test_cells_that_are_on_no_slow_path_stay(self):
        design = across()
        cells = design["modules"]["top"]["cells"]
        cells["spacer$0"] = lut("50 9 SLICEA.K1", {"A": 11, "F": 99})
        cells["chain"] = lut("50 9 SLICEB.K0", {"A": 10, "F": 98}, MODE="CCU2")
        cells["d"] = register("10 10 SLICEC.FF0", {"M": 98, "Q": 97})
        before, after = self.bels(design), self.bels(self.refined(design)[1])
        self.assertEqual({name for name in before if before[name] != after[name]} - set("abcdl"),
                         set())

    def test_a_memory_comes_to_its_registers(self):
        design = netlist(a=register("10 10 SLICEA.FF0", {"Q": 10, "M": 13}),
                         m=lut("60 10 SLICEA.K0", {"A": 10, "F": 11}, MODE="DPRAM"),
                         w=cell("TRELLIS_RAMW", "60 10 SLICEC.RAMW", {"A0": 10}),
                         b=register("10 11 SLICEB.FF0", {"M": 11, "Q": 13}),
                         c=lut("12 10 SLICEA.K0", {"A": 50, "F": 51}))
        _, out = self.refined(design, mhz=400)
        self.assertTrue((self.tile(out, "m") == self.tile(out, "w")).all())
        for name in "ab":
            self.assertLess(np.abs(self.tile(out, "m") - self.tile(out, name)).sum(), 10, name)

    def test_an_unknown_clock_is_an_error(self):
        done, out = self.refined(across(), clock="clock")
        self.assertEqual((done.returncode, done.stderr), (1, "refine.py: no net clock\n"))
        self.assertIsNone(out)

    def test_too_few_words_print_the_usage(self):
        done = self.run_script("a")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("usage: refine.py PLACED CLOCK MHZ OUT"))


def setUpModule():
    global np, placed_timing, slices
    import numpy as np
    from rtl.syn import placed_timing, slices


if __name__ == "__main__":
    sys.exit(solver.test())
