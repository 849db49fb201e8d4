#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What mapping.py makes of a block RAM with logic after it, with the Yosys of Debian."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import mapping  # noqa: E402

# The parity of one bit of a memory and fifteen registers.
SOURCE = """module top(input clk, input [14:0] in, input write, input [9:0] row, input [17:0] word,
                      output reg parity);
  reg [17:0] mem [0:1023];
  reg [17:0] data;
  reg [14:0] in_q;
  always @(posedge clk) begin
    if (write) mem[row] <= word;
    data <= mem[row];
    in_q <= in;
    parity <= ^{in_q, data[3]};
  end
endmodule
"""


def levels(mapped):
    """LUTs between a block RAM and the register after it."""
    cells = mapped["modules"]["top"]["cells"].values()
    driver = {bit: cell for cell in cells for port, bits
              in cell["connections"].items() for bit in bits
              if port in ("Z", "Q") or port.startswith("DO")}

    def after(bit):
        cell = driver.get(bit, {"type": "constant"})
        if cell["type"] == "DP16KD":
            return 0
        if cell["type"] != "LUT4":
            return None
        found = [after(cell["connections"][port][0]) for port in "ABCD"]
        return max((1 + one for one in found if one is not None), default=None)

    return max(after(cell["connections"]["DI"][0]) or 0 for cell in cells
               if cell["type"] == "TRELLIS_FF")


class MappingTest(unittest.TestCase):
    def mapped(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "top.v").write_text(SOURCE)
            script = (f"read_verilog top.v; {mapping.commands(folder, 'top')} "
                      "write_json top.json")
            subprocess.run(["yosys", "-q", "-p", script], cwd=folder, check=True)
            return json.loads((folder / "top.json").read_text())

    def test_late_data_pass_one_lut(self):
        self.assertEqual(levels(self.mapped()), 1)

    def test_without_delays_they_pass_more(self):
        with mock.patch.object(mapping, "RAM_DATA", 0):
            self.assertGreater(levels(self.mapped()), 1)

    def test_no_lut_is_wider_than_four(self):
        types = {cell["type"] for cell in self.mapped()["modules"]["top"]["cells"].values()}
        self.assertIn("DP16KD", types)
        self.assertFalse(types & {"PFUMX", "L6MUX21"})


if __name__ == "__main__":
    unittest.main()
