#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tested.py finds when sources, tests and table differ."""
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402
from rtl.syn import tested  # noqa: E402


class TestedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        patched = mock.patch.object(yosys, "RTL", self.root)
        patched.start()
        self.addCleanup(patched.stop)
        self.write("common/assert.svh", "")
        self.write("roci_pkg.sv", "package roci_pkg; endpackage")
        self.write("count/block.cmake", "")
        self.write("count/roci_count.sv", "module roci_count; endmodule")
        self.write("count/count_test.cpp", "int main() {}")

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def digest(self, *parameters, tool="0.23"):
        return tested.digest("netlist.count", "count", list(parameters), tool)

    def test_the_digest_follows_what_is_tested(self):
        before = self.digest("Depth=2")
        self.assertNotEqual(before, self.digest("Depth=3"))
        self.assertNotEqual(before, self.digest("Depth=2", tool="0.24"))
        self.write("count/roci_count.sv", "module roci_count; // a comment\nendmodule")
        self.assertEqual(before, self.digest("Depth=2"))
        self.write("count/roci_count.sv", "module roci_count; wire a; endmodule")
        changed = self.digest("Depth=2")
        self.assertNotEqual(before, changed)
        self.write("count/count_test.cpp", "int main() { return 1; }")
        tested_anew = self.digest("Depth=2")
        self.assertNotEqual(changed, tested_anew)
        self.write("common/test/bench.hpp", "struct Bench {};")
        self.assertNotEqual(tested_anew, self.digest("Depth=2"))

    def test_a_proof_follows_from_the_assertions_too(self):
        def proof():
            return tested.digest("proof.count", "roci_count", ["2"], "0.23")

        netlist, before = self.digest(), proof()
        self.write("count/roci_count.sv", "module roci_count; `ASSERT(Holds, 1) endmodule")
        self.assertNotEqual(before, proof())
        self.assertEqual(netlist, self.digest())

    def test_each_difference_is_named(self):
        known = {"fifo": "1", "count_64": "2", "gone": "3"}
        self.assertEqual(list(tested.differences(known, {"fifo": "1", "count_64": "9",
                                                           "timer": "4"})),
                         ["count_64: not run since the sources have changed",
                          "gone: there is no such test", "timer: has not been run"])
        self.assertEqual(list(tested.differences(known, known)), [])

    def test_the_list_of_the_build(self):
        self.assertEqual(tested.listed("netlist.timer timer\nproof.count roci_count 2 4 Depth=2\n"),
                         {"netlist.timer": ("timer", []),
                          "proof.count": ("roci_count", ["2", "4", "Depth=2"])})

    def test_only_what_passes_is_written(self):
        table = self.root / "tested.json"
        known, digests = {"a": "old", "b": "old", "gone": "3"}, {"a": "1", "b": "2", "c": "3"}
        with mock.patch.object(tested, "TABLE", table), \
                mock.patch.object(tested, "passes", lambda build, name: name != "b"):
            self.assertEqual(tested.update("build", known, digests, []), ["b"])
        self.assertEqual(known, {"a": "1", "c": "3"})
        self.assertIn('"c": "3"', table.read_text())


if __name__ == "__main__":
    unittest.main()
