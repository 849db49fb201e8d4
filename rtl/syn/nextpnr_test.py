#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is read from, and done to, netlists of nextpnr."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import nextpnr  # noqa: E402
from rtl.syn.small_netlists import lut, netlist, register  # noqa: E402


def routed(mode, *wires, bel="SLICEB.K1"):
    """A LUT of a mode at column 7 and row 5, and a net with some wires there."""
    design = netlist(one=lut(f"7 5 {bel}", {}, MODE=mode))
    design["modules"]["top"]["netnames"] = {
        "a": {"attributes": {}},
        "b": {"attributes": {"ROUTING": "".join(f"X7/Y5/W;X7/Y5/0_0_{wire};1;" for wire in wires)}}}
    return design


class NextpnrTest(unittest.TestCase):
    def test_places_become_demands(self):
        design = netlist(a=register("10 11 SLICEA.FF0", {}), b=lut("3 4 SLICED.K1", {}))
        design["modules"]["top"]["cells"]["c"] = {"type": "VCC", "attributes": {}}
        for cell in design["modules"]["top"]["cells"].values():
            cell["attributes"]["BEL_STRENGTH"] = "1"
        nextpnr.demand_places(design)
        self.assertEqual({name: cell["attributes"]
                          for name, cell in design["modules"]["top"]["cells"].items()},
                         {"a": {"BEL": "X10/Y11/SLICEA.FF0"}, "b": {"BEL": "X3/Y4/SLICED.K1"},
                          "c": {}})

    def test_inputs_of_logic_may_be_exchanged(self):
        self.assertEqual(nextpnr.exchanged(routed("LOGIC", "A3->0_0_D3_SLICE")), [])

    def test_those_of_memories_and_of_what_writes_them_may_not(self):
        for mode in ("DPRAM", "RAMW_BLOCK"):
            found = nextpnr.exchanged(routed(mode, "A3->0_0_A3_SLICE", "A3->0_0_B3_SLICE"))
            self.assertEqual(found, ["X7/Y5/0_0_A3->0_0_B3_SLICE"])

    def test_those_of_a_carry_only_inside_its_halves(self):
        found = nextpnr.exchanged(routed("CCU2", "A3->0_0_B3_SLICE", "D3->0_0_C3_SLICE",
                                         "B3->0_0_C3_SLICE", "C3->0_0_C3_SLICE"))
        self.assertEqual(found, ["X7/Y5/0_0_B3->0_0_C3_SLICE"])

    def test_other_luts_of_the_tile_do_not_matter(self):
        for bel in ("SLICEB.K0", "SLICEC.K1"):
            self.assertEqual(nextpnr.exchanged(routed("DPRAM", "A3->0_0_B3_SLICE", bel=bel)), [])


if __name__ == "__main__":
    unittest.main()
