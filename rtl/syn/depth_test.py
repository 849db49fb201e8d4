#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""depth.py on logic whose depth is known."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import depth  # noqa: E402

# Whether all of 216 bits are set needs at least three levels of LUTs with six inputs, of 100 bits
# no more than that; a bit of six needs one.
BLOCK = """module roci_all_set (
  input  logic         clk_i,
  input  logic [215:0] a_i,
  output logic         wide_q,
  output logic         narrow_q,
  output logic         bit_q
);
  always_ff @(posedge clk_i) begin
    wide_q   <= &a_i;
    narrow_q <= &a_i[99:0];
    bit_q    <= ^a_i[5:0];
  end
endmodule
"""


class DepthTest(unittest.TestCase):
    def test_ends_by_depth(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "block.sv").write_text(BLOCK)
            most, found = depth.deepest(depth.extract("read_verilog -sv block.sv;", "roci_all_set",
                                                      folder))
        self.assertGreaterEqual(most, 3)
        self.assertEqual(found[0][:2], (most, 216))
        self.assertEqual([inputs for _, inputs, _ in found], [216, 100])
        self.assertLessEqual(found[1][0], most)

    def test_levels(self):
        blif = ".names a b c\n11 1\n.names c d\n1 1\n.names d \\\ne f\n11 1\n"
        found = depth.levels(blif)
        self.assertEqual({net: found[net] for net in "acdf"}, {"a": 0, "c": 1, "d": 1, "f": 2})


if __name__ == "__main__":
    unittest.main()
