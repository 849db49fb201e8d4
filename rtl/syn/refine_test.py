#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What refine.py makes of small placed netlists.

usage: refine_test.py DIR

numpy and scipy come from PyPI into DIR/solver. Without a network for that the test is skipped
(status 77).
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import solver  # noqa: E402
from rtl.syn.small_netlists import (CLOCK, OTHER_CLOCK, across, bels, cell, lut,  # noqa: E402
                                    netlist, register, tile)


class RefineTest(solver.ScriptTest):
    script = ROOT / "rtl/syn/refine.py"

    def refined(self, design, mhz=200, clock="clk"):
        return self.run_to_out(self.file("placed", design), clock, str(mhz))

    def tile(self, design, name):
        return np.array(tile(bels(design)[name]))

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
        places = bels(out)
        self.assertEqual(len(set(places.values())), len(places))
        self.assertGreater(sum(places[f"l{at}"].startswith(("X10/", "X11/", "X12/"))
                               for at in range(24)), 20)

    def test_a_register_goes_with_the_lut_before_it(self):
        design = netlist(a=register("10 10 SLICEA.FF0", {"Q": 10, "M": 12}),
                         l=lut("60 10 SLICEA.K0", {"A": 10, "F": 11}),
                         b=register("60 10 SLICEA.FF0", {"DI": 11, "Q": 12}))
        _, out = self.refined(design)
        places = bels(out)
        self.assertEqual(places["l"].replace(".K", ".FF"), places["b"])
        self.assertLess(np.abs(self.tile(out, "a") - self.tile(out, "b")).sum(), 5)

    def test_cells_that_are_on_no_slow_path_stay(self):
        design = across()
        cells = design["modules"]["top"]["cells"]
        cells["spacer$0"] = lut("50 9 SLICEA.K1", {"A": 11, "F": 99})
        cells["chain"] = lut("50 9 SLICEB.K0", {"A": 10, "F": 98}, MODE="CCU2")
        cells["d"] = register("10 10 SLICEC.FF0", {"M": 98, "Q": 97})
        before, after = bels(design), bels(self.refined(design)[1])
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

    def test_block_rams_come_to_a_carry_chain_where_others_stand(self):
        sites = [(start + 2 * at, at) for start in range(4, 59, 9) for at in range(4)]
        cells = {f"idle{column}": cell("DP16KD", f"{column} 22 EBR{at}",
                                       {"CLKA": CLOCK, "DIA0": 1000 + column})
                 for column, at in sites}
        cells["driver"] = lut("30 70 SLICEA.K0", {"F": 1004}, MODE="CCU2")
        cells |= {"from": cell("DP16KD", "120 82 EBR3", {"CLKA": CLOCK, "DOA0": 10}),
                  "chain": lut("20 20 SLICEA.K0", {"A": 10, "F": 11}, MODE="CCU2"),
                  "to": cell("DP16KD", "114 70 EBR0", {"CLKA": CLOCK, "ADA3": 11})}
        design = netlist(**cells)
        _, out = self.refined(design, mhz=125)
        places = bels(out)
        for name in ("from", "to"):
            self.assertLess(np.abs(self.tile(out, name) - (20, 20)).sum(), 20, name)
            self.assertEqual(sum(place == places[name] for place in places.values()), 1, name)
        away = [name for name in cells if name.startswith("idle")
                and places[name] in ("X120/Y82/EBR3", "X114/Y70/EBR0")]
        self.assertEqual(len(away), 2)  # an exchange, since all sites in that row are taken
        for place in places.values():
            self.assertRegex(place, r"SLICE|^X\d+/Y(22|46|70|82)/EBR[0-3]$")
        self.assertEqual(places["chain"], "X20/Y20/SLICEA.K0")

    def test_each_of_two_clocks_gets_its_cells_together(self):
        design = across()
        design["modules"]["top"]["cells"].update(
            a2=register("30 10 SLICEA.FF0", {"Q": 20, "M": 23}, OTHER_CLOCK),
            l2=lut("70 9 SLICEA.K0", {"A": 20, "F": 21}),
            b2=register("30 10 SLICEB.FF0", {"M": 21, "Q": 22}, OTHER_CLOCK))
        done, out = self.run_to_out(self.file("placed", design), "clk", "200", "other", "200")
        self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()],
                         ["clk", "other"])
        for number in ("", "2"):
            for name in "ab":
                apart = np.abs(self.tile(out, f"l{number}") - self.tile(out, f"{name}{number}"))
                self.assertLess(apart.sum(), 3, name + number)

    def test_an_unknown_clock_is_an_error(self):
        done, out = self.refined(across(), clock="clock")
        self.assertEqual((done.returncode, done.stderr), (1, "refine.py: no net clock\n"))
        self.assertIsNone(out)

    def test_too_few_words_print_the_usage(self):
        for words in (("a",), ("placed", "clk", "50", "other", "out")):
            done = self.run_script(*words)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("usage: refine.py PLACED CLOCK MHZ"))


def setUpModule():
    global np
    import numpy as np


if __name__ == "__main__":
    sys.exit(solver.test())
