#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shares.py on a block whose LUTs are known, as Yosys maps it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import blocks, paths, shares  # noqa: E402

# A LUT a bit for the choice among four, one for the enable, one for the output, and what two
# registers share: a parity of eleven bits cannot be one LUT.
BLOCK = """module roci_choice (
  input  logic        clk_i,
  input  logic [1:0]  select_i,
  input  logic [31:0] a_i,
  input  logic [5:0]  enable_i,
  output logic        any_o,
  output logic        odd_o
);
  logic [5:0] chosen_q;
  logic       first_q, second_q, parity;
  assign parity = ^a_i[10:0];
  assign any_o  = |chosen_q;
  assign odd_o  = !second_q;
  always_ff @(posedge clk_i) begin
    if (&enable_i) chosen_q <= a_i[8*select_i +: 6];
    first_q  <= parity;
    second_q <= parity && !first_q;
  end
endmodule
"""


class SharesTest(unittest.TestCase):
    def test_what_luts_feed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "block.sv").write_text(BLOCK)
            out = folder / "netlist.json"
            subprocess.run(["yosys", "-q", "-p", f"read_verilog -sv {folder}/block.sv; "
                            f"{blocks.COMMAND} -top roci_choice; write_json {out}"], check=True)
            module = paths.top_module(out.read_text())
        logic, memory = shares.shares(module)
        self.assertEqual(logic["chosen_q"], 6)
        self.assertEqual(logic["chosen_q.CE"], 1)
        self.assertEqual(logic["output any_o"], 1)
        self.assertGreaterEqual(logic["first_q & second_q"], 2)
        self.assertEqual(logic["second_q"], 1)
        types = [cell["type"] for cell in module["cells"].values()]
        self.assertEqual(sum(logic.values()), sum(kind.startswith("LUT") for kind in types))
        self.assertEqual(sum(memory.values()), 0)

    def test_memory(self):
        cell = {"type": "RAM32M16", "connections": {}, "port_directions": {}}
        module = {"netnames": {}, "ports": {},
                  "cells": {"u_fifo.mem.0.0": cell, "u_fifo.mem.0.1": cell}}
        self.assertEqual(shares.shares(module)[1], {"u_fifo.mem": 16})

    def test_many_words_are_one_line(self):
        self.assertEqual(shares.line({"u_a.b", "u_a.c"}), "u_a.b & u_a.c")
        self.assertEqual(shares.line({"u_a.b", "u_a.c", "u_a.d", "u_a.e"}), "u_a.* (4 words)")


if __name__ == "__main__":
    unittest.main()
