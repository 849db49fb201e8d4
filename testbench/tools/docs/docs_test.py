#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the scripts that write regions of pages on a small tree."""
import json
import pathlib
import shutil
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from testbench.tools.docs import boards, generate, program, sequence, sv, waveform  # noqa: E402
from testbench.tools.gates.tree import Tree  # noqa: E402

MODULE = """// SPDX-License-Identifier: Apache-2.0
// Counts beats of a stream. Saturates.
//
// Throughput: one beat a clock. Latency: two clocks, or
// three. Nothing stops it.
//
//   in --> count --> out

`include "assert.svh"

module roci_count #(
  parameter int unsigned Width = 8,  // bits, 1 to 64
  parameter logic [15:0] First = '0
) (
  input  logic                 clk_i,
  // what it counts
  input  roci_pkg::seg_t       seg_i,        // not looked at
  input  logic                 seg_valid_i,
  output logic                 seg_ready_o,

  output logic [Width-1:0]     count_o       // beats,
                                             // modulo 2^Width
);
  roci_fifo #(.Width(8)) u_fifo (.clk_i);
endmodule
"""
HELP = """run it
Usage: roci run [OPTIONS]

Options:
  -h,--help                   Print this help message and exit
  --loss P                    loss of frames, 1% | 0.01
  --listen [HOST:]PORT Needs: --wire
                              TCP port
"""


class SvTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="roci-docs-"))
        self.addCleanup(shutil.rmtree, self.root)
        block = self.root / "rtl/common/count"
        block.mkdir(parents=True)
        (block / "roci_count.sv").write_text(MODULE)
        (block / "block.cmake").write_text(
            "add_rtl_block(count WIDTHS 64 512 PROOF_DEPTH 3)\n"
            "add_rtl_block(count SUFFIX _few NO_NETLIST WIDTHS 64)\n")
        (block / "count_test.cpp").write_text('TEST_CASE("a") {}\nTEST_CASE("b") {}\n')
        self.page = block / "README.md"
        self.page.write_text("# count\n\n<!-- generated: block -->\n<!-- end -->\n\nProse.\n")

    def test_header_comment(self):
        module = sv.parse(self.page.parent / "roci_count.sv", "rtl/common/count/roci_count.sv")
        self.assertEqual(module.summary(), "Counts beats of a stream.")
        self.assertEqual(module.clocks("Throughput"), "one beat a clock")
        self.assertEqual(module.clocks("Latency"), "two clocks, or three")
        self.assertEqual(module.instances, ["roci_fifo"])

    def test_parameters_and_ports(self):
        module = sv.parse(self.page.parent / "roci_count.sv", "rtl/common/count/roci_count.sv")
        self.assertEqual([(p.name, p.default, p.comment) for p in module.parameters],
                         [("Width", "8", "bits, 1 to 64"), ("First", "'0", "")])
        self.assertEqual([(p.name, p.kind, p.type) for p in module.ports],
                         [("clk_i", "input", "logic"), ("seg_i", "input", "roci_pkg::seg_t"),
                          ("seg_valid_i", "input", "logic"), ("seg_ready_o", "output", "logic"),
                          ("count_o", "output", "[Width-1:0]")])
        self.assertEqual([p.group for p in module.ports], ["", *["what it counts"] * 3, ""])
        self.assertEqual(module.ports[-1].comment, "beats, modulo 2^Width")

    def test_a_page_is_written_and_a_stale_one_is_noticed(self):
        name = "rtl/common/count/README.md"
        writer = generate.Writer(Tree(self.root), None)
        text = writer.page(name)
        for part in ("| `Width` | `int unsigned` | `8` | bits, 1 to 64 |",
                     "| `seg_i` | in | `seg_t` | not looked at; valid, ready |",
                     "`lint\\|rtl\\|netlist.count_64`", "`lint\\|rtl.count_few_64`",
                     "`proof.count_512`", "2 cases", "Prose."):
            self.assertIn(part, text)
        self.page.write_text(text)
        self.assertEqual(generate.Writer(Tree(self.root), None).page(name), text)
        source = self.page.parent / "roci_count.sv"
        source.write_text(MODULE.replace("Width = 8", "Width = 9"))
        self.assertNotEqual(generate.Writer(Tree(self.root), None).page(name), text)

    def test_sizes_and_paths_come_from_the_table(self):
        row = {"levels": 3, "ns": 1.5, "over": 2, "ends": 2000, "LUT": 1000, "LUTRAM": 24, "FF": 5,
               "BRAM36": 1, "BRAM18": 1, "path": ["a_q (x.sv:1)", "b_q (y.sv:2)"], "commit": "c0de"}
        (self.root / "docs/measured").mkdir(parents=True)
        (self.root / "docs/measured/timing.json").write_text(
            json.dumps({"rows": {"count 64": {**row, "LUT": 100}, "count 512": row}}))
        (self.root / "docs/measured/forms.json").write_text(
            json.dumps({"rows": {"1024 count": {**row, "LUT": 1100}, "absent count": row}}))
        (self.root / "rtl/roci_nic.sv").write_text("module roci_nic;\n  roci_count #(.A(1)) u ();")
        page = self.root / "docs/page.md"
        page.write_text("".join(f"<!-- generated: {kind} -->\n<!-- end -->\n" for kind in
                                ("timing tops", "timing blocks", "sizes", "forms", "placed"))
                        + "At <!-- generated: synthesized timing --><!-- end -->.")
        text = generate.Writer(Tree(self.root), None).page("docs/page.md")
        for part in ("| count | 124 | 3 | 1.50 | 1,024 | 3 | 1.50 | 2 of 2,000 | `a_q (x.sv:1)`, "
                     "`b_q (y.sv:2)` |", "| sum | 100 | 24 | 5 | 1 | 1 | 1,000 | 24 | 5 | 1 | 1 |",
                     "124 LUTs at 64 bits, 1,024 at 512 bits",
                     "| 1,024 queue pairs | 1,100 | 24 | 1,124 (+9.8%) | 5 | 1.5 | 3 | 1.50 |",
                     "commit c0de<!-- end -->."):
            self.assertIn(part, text)
        self.assertEqual(text.count("| count | 124 | 3 |"), 1)
        text = generate.Writer(Tree(self.root), None).page("rtl/common/count/README.md")
        self.assertIn("| LUT / FF / BRAM36 | 124 / 5 / 1.5 at 64 bits; 1,024 / 5", text)

    def test_a_placed_block_names_compiled_tools(self):
        row = {"LUT4": 2000, "carry": 4, "LUTRAM": 6, "FF": 8, "BRAM": 1, "commit": "c0de"}
        placed = {**row, "fmax": 73.6, "logic_ns": 5.1, "routing_ns": 8.5, "luts": 9, "carries": 2,
                  "path": ["a_q (x.sv:1)", "b_q"]}
        late = {**row, "LUT4": 1000, "note": "yosys did not end", "compiled": ["yosys", "ecppack"]}
        (self.root / "docs/measured").mkdir(parents=True)
        (self.root / "docs/measured/place.json").write_text(
            json.dumps({"rows": {"count": placed, "nic": late}}))
        page = self.root / "docs/page.md"
        page.write_text("<!-- generated: placed -->\n<!-- end -->\n")
        text = generate.Writer(Tree(self.root), None).page("docs/page.md")
        self.assertIn("| whole engine, compiled yosys, compiled ecppack | 1,000 | 4 | 6 | 8 | 1 | "
                      "yosys did not end |  | c0de |\n| count | 2,000 | 4 | 6 | 8 | 1 | 73.6 | "
                      "5.1 + 8.5, 9 + 2, `a_q (x.sv:1)`, `b_q` | c0de |\n", text)

    def test_cells_and_clocks_of_a_board_come_from_its_table(self):
        (self.root / "docs/measured").mkdir(parents=True)
        row = {"comb": 60000, "bram": 181, "compiled": [], "commit": "c0de"}
        (self.root / "docs/measured/ecpix5.json").write_text(json.dumps({
            "parts": {"adapter": {"LUT4": 50000, "FF": 1, "DP16KD": 104, "commit": "bead"},
                      "rest": {"LUT4": 10000, "FF": 2, "DP16KD": 52, "commit": "bead"}},
            "seeds": {"1": {**row, "clocks": {"core": [40, 20], "sys": [51.0, 50]}},
                      "12": {**row, "clocks": {"core": [19.5, 20], "sys": [60, 50]},
                             "compiled": ["yosys"]}}}))
        page = self.root / "docs/page.md"
        page.write_text("".join(f"<!-- generated: board_{kind} -->\n<!-- end -->\n"
                                for kind in ("parts", "seeds")))
        text = generate.Writer(Tree(self.root), None).page("docs/page.md")
        self.assertIn("| sum | 60,000 | 3 | 156 |\n| device | 83,640 | 83,640 | 208 |\n\n"
                      "72% of the LUTs, 75% of the block RAMs (commit bead).\n", text)
        empty = {"parts": {}, "seeds": {}}
        (self.root / "docs/measured/empty.json").write_text(json.dumps(empty))
        with mock.patch.object(boards, "TABLE", "docs/measured/empty.json"):
            self.assertEqual(list(boards.seeds_region(Tree(self.root), "", "")),
                             ["No seed has been routed."])
        self.assertIn("| seed | `core`, 20 MHz | `sys`, 50 MHz | least margin |", text)
        self.assertIn("| 1 | 40.0 | 51.0 | +2% | 60,000 | of PyPI | c0de |\n"
                      "| 12 | 19.5 | 60.0 | -3% | 60,000 | compiled yosys | c0de |\n", text)

    def test_proofs_come_from_the_sources(self):
        source = self.page.parent / "roci_count.sv"
        source.write_text(MODULE.replace("endmodule", """  `ASSERT(Counts, count_o != '0)
  if (Width != 0) begin : gen_width
    `ASSERT(Saturates, 1)
  end
  `COVER(Full, 1)
endmodule"""))
        (self.page.parent / "block.cmake").write_text(
            "add_rtl_block(count WIDTHS 64 PROOF_DEPTH 3)\n"
            "add_rtl_proof(count_empty TOP roci_count DEPTH 2 PARAMS Width=0 SOAK)\n")
        page = self.root / "docs/page.md"
        page.parent.mkdir()
        page.write_text("<!-- generated: proofs -->\n<!-- end -->\n")
        text = generate.Writer(Tree(self.root), None).page("docs/page.md")
        self.assertIn("| `count_64` | `roci_count` | Counts, Saturates | 1 | 3 |\n", text)
        self.assertIn("| `count_empty` (soak) | `roci_count` Width=0 | Counts | 1 | 2 |\n", text)

    def test_lines_of_a_source(self):
        page = self.root / "docs/page.md"
        page.parent.mkdir()
        page.write_text("<!-- generated: source rtl/*count.sv ^module 0 1 -->\n<!-- end -->\n")
        text = generate.Writer(Tree(self.root), None).page("docs/page.md")
        self.assertIn("(../rtl/common/count/roci_count.sv#L11)", text)
        self.assertIn("module roci_count #(\n  parameter int unsigned Width", text)

    def test_a_drawing(self):
        text = "title T\nactors a, b\na -> b: one\nb -x a: two\nnote a: three\ngap four\n"
        svg = "\n".join(sequence.Drawing(text).svg())
        for word in ("one", "two", "three", "four", sequence.LOST):
            self.assertIn(word, svg)
        with self.assertRaisesRegex(ValueError, "line 3: no actor c"):
            sequence.Drawing("title T\nactors a, b\na -> c: one\n")

    def test_times_of_a_signal(self):
        found = [(1, 7), (2, 3), (3, 5), (4, 7), (5, 5), (6, 5)]
        self.assertEqual(waveform.times(found, [7, 5], []), [4, 5])
        self.assertEqual(waveform.times(found, [7, 5], [3]), [1, 3])
        self.assertIsNone(waveform.times(found, [5, 3], []))

    def test_options_of_the_program(self):
        self.assertEqual([tuple(entry) for entry in program.entries(HELP)],
                         [("Options", "-h,--help", "Print this help message and exit"),
                          ("Options", "--loss P", "loss of frames, 1% | 0.01"),
                          ("Options", "--listen [HOST:]PORT Needs: --wire", "TCP port")])
        self.assertEqual(program.conditions("--a N Needs: --b Excludes: --c --d", "x"),
                         ("--a N", "(needs `--b`; not with `--c`, `--d`)", "x"))


if __name__ == "__main__":
    unittest.main()
