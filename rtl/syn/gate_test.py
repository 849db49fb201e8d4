#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check of timing.py on a small block of its own, which Yosys synthesizes."""
import contextlib
import io
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402
from rtl.syn import measure, paths, table, timing  # noqa: E402

PACKAGE = """package roci_pkg;
  localparam int unsigned Unused = 3;
  localparam int unsigned Bits = 8;   // of a word
  typedef struct packed {
    logic [Bits-1:0] low;
  } word_t;
endpackage
"""
# Each bit selects what becomes of the bits before it: a chain that ABC cannot shorten much.
SHORT = "next = a_q.low;"
LONG = ("next = '0; for (int i = 0; i < 20; i++) "
        "next = b_q[i] ? next + a_q.low : next ^ {a_q.low[3:0], b_q[i +: 4]};")
BLOCK = """// Two registers.
module roci_chain (
  input  logic            clk_i,
  input  roci_pkg::word_t a_i,
  input  logic [23:0]     b_i,
  output logic [7:0]      q_o
);
  roci_pkg::word_t a_q;
  logic [23:0] b_q;
  logic [7:0] next;
  always_comb begin
    %s
  end
  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
    q_o <= next;
  end
endmodule
"""
CHAIN = ("chain", 0)
NETLISTS = {}  # by sources: several tests synthesize the same ones


class GateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="roci-syn-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.kept = folder / "measured"

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="roci-syn-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.addCleanup(setattr, yosys, "RTL", yosys.RTL)
        self.addCleanup(setattr, measure, "synthesize", measure.synthesize)
        yosys.RTL = self.root
        self.synthesize, self.runs = measure.synthesize, []
        measure.synthesize = self.counted
        self.write("common/assert.svh", "")
        self.write("roci_pkg.sv", PACKAGE)
        self.write("chain/block.cmake", "")
        self.write("chain/roci_chain.sv", BLOCK % SHORT)
        self.meter = measure.Meter(self.root / "measured")
        if self.kept.exists():  # the block as it is here was measured by an earlier test
            shutil.copytree(self.kept, self.meter.folder)
        self.table = self.root / "timing.json"
        self.assertEqual(self.update(), [])
        if not self.kept.exists():
            shutil.copytree(self.meter.folder, self.kept)
        self.runs.clear()

    def counted(self, name, parameters):
        self.runs.append(name)
        root = str(self.root)
        sources = name, *(path.read_text() for path in sorted(self.root.rglob("*.sv")))
        if sources not in NETLISTS:
            NETLISTS[sources] = self.synthesize(name, parameters).replace(root, "<root>")
        return NETLISTS[sources].replace("<root>", root)

    def write(self, name, text):
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(text)

    def check(self, **options):
        options = {"anchor": None, **options}
        return list(timing.check(self.meter, table.read(self.table), [], **options))

    def update(self, accept=False):
        with contextlib.redirect_stdout(io.StringIO()):
            return timing.update(self.meter, self.table, [], accept)

    def test_of_an_unchanged_table_only_one_block_is_measured(self):
        self.assertEqual(self.check(anchor=CHAIN), [])
        self.assertEqual(self.runs, ["chain"])

    def test_comments_proofs_and_unused_declarations_change_nothing(self):
        proof = "`ifdef FORMAL\n  a: assert (1);\n`endif\n`ASSERT(Never, !(a_q && (b_q))) endmodule"
        self.write("chain/roci_chain.sv",
                   "// Other words.\n\n" + (BLOCK % SHORT).replace("endmodule", proof))
        self.write("roci_pkg.sv", PACKAGE.replace("Unused = 3", "Unused = 4"))
        self.assertEqual(self.check(), [])
        self.assertEqual(self.runs, [])

    def test_a_row_of_an_earlier_model_counts_until_its_code_changes(self):
        rows = table.read(self.table)
        rows["chain any"].update(model=1, sources=self.meter.digest(*CHAIN, model=1))
        table.write(self.table, rows, self.meter.tool)
        self.assertEqual(self.check(), [])
        self.assertEqual(self.update(), [])
        self.assertEqual(table.read(self.table)["chain any"]["model"], 1)
        timing.update(self.meter, self.table, [], False, earlier=True)
        self.assertEqual(table.read(self.table)["chain any"]["model"], paths.MODEL)
        rows["chain any"]["sources"] = "0"
        table.write(self.table, rows, self.meter.tool)
        self.assertEqual(len(self.check()), 1)

    def test_a_used_declaration_changes_the_digest(self):
        before = self.meter.digest(*CHAIN)
        self.write("roci_pkg.sv", PACKAGE.replace("Bits = 8", "Bits = 9"))
        self.assertNotEqual(self.meter.digest(*CHAIN), before)

    def test_a_planted_long_path_is_worse_and_not_written(self):
        self.write("chain/roci_chain.sv", BLOCK % LONG)
        found = self.check()
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"^chain any: worse: levels 0 -> [1-9]\d?, ns 0\.\d+ -> ")
        self.assertRegex(found[0], r"\n    a_q\[\d\] \(roci_chain\.sv:8\)\n")
        old = table.read(self.table)["chain any"]
        self.assertEqual(self.update(), ["chain any"])
        self.assertEqual(table.read(self.table)["chain any"], old)
        self.assertEqual(self.update(accept=True), [])
        self.assertEqual(self.check(), [])
        self.assertEqual(self.runs, ["chain"])  # what the check measured is kept for the update

    def test_a_changed_source_with_equal_figures_asks_for_the_update(self):
        self.write("chain/roci_chain.sv", (BLOCK % SHORT).replace("a_q", "first_q"))
        self.assertEqual(self.check(), ["chain any: its sources have changed, not worse (the same "
                                        f"figures): run {timing.UPDATE}"])
        self.assertEqual(self.update(), [])
        self.assertEqual(self.check(), [])

    def test_a_better_block_asks_for_the_update(self):
        self.write("chain/roci_chain.sv", BLOCK % LONG)
        self.update(accept=True)
        self.write("chain/roci_chain.sv", BLOCK % SHORT)
        self.assertRegex(self.check()[0], r"its sources have changed, better \(levels \d+ -> 0")

    def test_what_takes_long_is_not_measured(self):
        self.write("chain/roci_chain.sv", (BLOCK % SHORT).replace("a_q", "first_q"))
        self.assertRegex(self.check(seconds=-1)[0], r"not measured here, as that takes about \d+ s")
        self.assertEqual(self.runs, [])

    def test_a_table_that_was_edited_is_noticed(self):
        rows = table.read(self.table)
        rows["chain any"]["ns"] += 0.01
        table.write(self.table, rows, self.meter.tool)
        self.assertRegex(self.check(anchor=CHAIN)[0], "the same sources have other figures, ns")

    def test_rows_and_blocks_belong_together(self):
        rows = table.read(self.table)
        table.write(self.table, {"gone any": rows["chain any"]}, self.meter.tool)
        self.assertEqual([line.split(";")[0] for line in self.check()],
                         ["gone any: there is no such block", "chain any: not in the table"])
        self.update()
        self.assertEqual(list(table.read(self.table)), ["chain any"])

    def test_another_tool_measures_anew(self):
        self.meter.tool = "0.70"
        self.assertIn("its sources have changed", self.check()[0])


if __name__ == "__main__":
    unittest.main()
