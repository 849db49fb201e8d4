#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests prove.py on a counter: what holds is proved, and each kind of bug is reported."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from rtl import prove  # noqa: E402

# Counts from 0 to 5, and begins again.
COUNTER = """
module counter (input clk_i, input go_i);
  reg [3:0] count = 0;
  always @(posedge clk_i) if (go_i) count <= count == 5 ? 0 : count + 1;
  always @(*) begin {} end
endmodule
"""


class Counter(unittest.TestCase):
    def found(self, properties, depth=2, cover=5, pdr=False):
        """The options of smtbmc that show what is wrong, of assertions and of covers."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "counter.sv"
            source.write_text(COUNTER.format(properties))
            base = source.with_suffix("")
            self.assertEqual(
                prove.models(f"read_verilog -sv -formal {source}; ", "counter", base), 0)
            return prove.not_proved(base, depth, pdr), prove.not_reached(base, cover)

    def test_what_holds(self):
        self.assertEqual(self.found("assert (count <= 5); cover (count == 5); cover (go_i);"),
                         ([], []))

    def test_violated_from_reset(self):
        self.assertEqual(self.found("assert (count <= 3);", depth=5), (["-t", "5"], []))

    def test_violated_after_the_depth(self):
        self.assertEqual(self.found("assert (count <= 3);"), (["-i", "-t", "2"], []))

    def test_one_of_several_is_violated(self):
        self.assertEqual(self.found("assert (count <= 5); assert (!(go_i && count == 1));"),
                         (["-t", "2"], []))

    def test_not_inductive(self):  # 8 is not reached, but nothing excludes it
        self.assertEqual(self.found("assert (count != 9);"), (["-i", "-t", "2"], []))

    def test_invariant_that_is_searched_for(self):
        self.assertEqual(self.found("assert (count != 9);", pdr=True), ([], []))
        self.assertEqual(self.found("assert (count <= 4);", pdr=True), (["-t", "6"], []))

    def test_assumption_of_each_clock(self):
        self.assertEqual(self.found("assume (!go_i || count != 3); cover (count == 3); "
                                    "assert (count <= 3 || count > 5);"), ([], []))

    def test_cover_out_of_reach(self):
        self.assertEqual(self.found("cover (count == 5);", cover=4), ([], ["-c", "-t", "4"]))
        self.assertEqual(self.found("cover (go_i); cover (count == 6);"), ([], ["-c", "-t", "5"]))

    def test_assumptions_that_contradict_each_other(self):
        self.assertEqual(self.found("assume (count == 1); assert (count <= 5); cover (1);"),
                         ([], ["-c", "-t", "5"]))


if __name__ == "__main__":
    unittest.main()
