#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts of place.py, ecp5.py and tools.py that need no tool."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import ecp5, place, tools  # noqa: E402


def step(kind, delay, cell="", sources=()):
    return {"type": kind, "delay": delay, "from": {"cell": cell}, "to": {"cell": cell},
            "sources": list(sources)}


class PlaceTest(unittest.TestCase):
    def test_the_harness_connects_each_bit_once(self):
        ports = {"clk_i": {"direction": "input", "bits": [2]},
                 "a_i": {"direction": "input", "bits": [3, 4, 5]},
                 "b_i": {"direction": "input", "bits": [6]},
                 "q_o": {"direction": "output", "bits": [7, 8]}}
        text = ecp5.harness("roci_x", ports)
        self.assertIn("reg [3:0] in_q;", text)
        self.assertIn("roci_x u_block(.clk_i(clk), .a_i(in_q[0 +: 3]), .b_i(in_q[3 +: 1]), "
                      ".q_o(out[0 +: 2]));", text)

    def test_the_worst_path_is_counted(self):
        short = {"from": "posedge clk", "to": "posedge clk", "path": [step("routing", 1.0)]}
        pads = {"from": "<async>", "to": "posedge clk", "path": [step("routing", 90.0)]}
        long = {"from": "posedge clk", "to": "posedge clk", "path": [
            step("clk-to-q", 0.5, "u_block.a_q_TRELLIS_FF_Q_4"),
            step("routing", 2.0, sources=["/share/x.v:1.1-1.2", "rtl/x/roci_x.sv:5.1-5.9"]),
            step("logic", 0.2, "u_block.a_q_LUT4_A"), step("routing", 1.0),
            step("logic", 0.4, "u_block.sum_CCU2C_S0$CCU2_COMB0"), step("routing", 0.0),
            step("logic", 0.0, "u_block.sum_CCU2C_S0$CCU2_COMB1"),
            step("routing", 0.0, sources=["rtl/x/roci_x.sv:9.1-9.9"]),
            step("setup", 0.1, "u_block.u_ram.mem.0.4$DPRAM_COMB3")]}
        logic, routing, luts, carries, places = ecp5.worst_path(
            {"critical_paths": [short, pads, long]})
        self.assertAlmostEqual(logic, 1.2)
        self.assertAlmostEqual(routing, 3.0)
        self.assertEqual((luts, carries), (1, 1))
        self.assertEqual(places, ["a_q (roci_x.sv:5)", "(roci_x.sv:9)", "u_ram.mem"])

    def test_what_is_worse(self):
        old = {"LUT4": 1000, "fmax": 50.0}
        self.assertIsNone(place.worse(old, {"LUT4": 1029, "fmax": 43.0}))
        self.assertEqual(place.worse(old, {"LUT4": 1031, "fmax": 50.0}), "1,000 -> 1,031 LUT4")
        self.assertEqual(place.worse(old, {"LUT4": 1000, "fmax": 42.0}), "50.0 -> 42.0 MHz")
        self.assertEqual(place.worse(old, {"LUT4": 1000, "note": "not placed"}), "50.0 -> 0 MHz")


class ToolsTest(unittest.TestCase):
    """Tools of a folder, which are scripts here."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in tools.NAMES:
            (self.folder / name).write_text(f'#!/bin/sh\necho {name} in $PWD: "$@"\n')
            (self.folder / name).chmod(0o755)

    def used(self):
        return tools.Tools(self.folder / "pypi", tools.folder(self.folder))

    def test_the_tools_of_a_folder_are_used(self):
        self.assertEqual(self.used().run("ecppack", ["--bit", 5], self.folder, 1),
                         f"ecppack in {self.folder}: --bit 5\n")
        self.assertFalse((self.folder / "pypi").exists())

    def test_only_a_compiled_tool_has_threads(self):
        used = self.used()
        self.assertEqual(used.threads("nextpnr-ecp5"), min(4, os.cpu_count()))
        (self.folder / "nextpnr-ecp5").chmod(0o644)
        self.assertEqual(used.threads("nextpnr-ecp5"), 1)

    def test_which_tools_are_compiled_is_known(self):
        self.assertEqual(self.used().names, list(tools.NAMES))

    def test_an_error_says_what_the_tool_said(self):
        (self.folder / "yosys").write_text("#!/bin/sh\necho no such file >&2\nexit 1\n")
        with self.assertRaisesRegex(tools.Failed, "^yosys: no such file\n$"):
            self.used().run("yosys", [], self.folder, 1)

    def test_a_tool_that_takes_too_long_is_named(self):
        (self.folder / "yosys").write_text("#!/bin/sh\nexec sleep 100\n")
        with self.assertRaisesRegex(tools.Late, "^yosys did not end within 0.001 minutes$"):
            self.used().run("yosys", [], self.folder, 0.001)

    def test_a_tool_is_ended_when_its_caller_says_so(self):
        (self.folder / "yosys").write_text("#!/bin/sh\ntouch begun\nexec sleep 100\n")
        begun = self.folder / "begun"
        self.assertIsNone(self.used().run("yosys", [], self.folder, 1, begun.exists))

    def test_an_engine_gives_its_minutes_to_the_tools(self):
        (self.folder / "yosys").write_text("#!/bin/sh\nexec sleep 100\n")
        (self.folder / "ecp5").mkdir()
        engine = ecp5.Engine(self.folder, self.folder, minutes=0.001)
        with self.assertRaisesRegex(tools.Late, "within 0.001 minutes"):
            engine.run("yosys")

    def test_minutes_that_are_none_are_rejected(self):
        for given in ("0", "-3", "ten"):
            done = subprocess.run([sys.executable, ROOT / "rtl/syn/place.py", "timer",
                                   "--minutes", given], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, given)
            self.assertIn("--minutes", done.stderr)

    def test_a_folder_without_a_tool_is_rejected(self):
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "has none of yosys, nextpnr"):
            tools.folder("/proc")


if __name__ == "__main__":
    unittest.main()
