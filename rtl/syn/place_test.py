#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts of place.py, ecp5.py and tools.py that need no tool."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import ecp5, place, placement, tools  # noqa: E402
from rtl.syn.small_netlists import lut, netlist  # noqa: E402


def step(kind, delay, cell="", sources=()):
    return {"type": kind, "delay": delay, "from": {"cell": cell}, "to": {"cell": cell},
            "sources": list(sources)}


def iterations(*shared, late=""):
    """What router2 writes into its log, with so many shared wires in each iteration."""
    late = late and f"tmgfail={late} "
    return "".join(f"Info:     iter={at} wires=99999 overused={count} overuse=1 {late}archfail=NA\n"
                   for at, count in enumerate(shared, 1))


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


PLACED, BARE, ROUTED, AGAIN = (json.dumps(netlist(**{name: lut("1 2 SLICEA.K0", {})}))
                               for name in ("placed", "bare", "routed", "again"))
ANNEALED = ("anneal.py", "x_3_placed.json", "x_3_placed.json")


class RunsTest(unittest.TestCase):
    """Which runs of nextpnr a netlist gets."""

    def placed(self, kind, congested=0, log="", routed=BARE, clock=None, limit=0):
        """(log, netlist, whether it is routed) of each run, and what the scripts were given.

        As many routings get stuck as `congested` says, when they may be stopped. Each placement
        writes `log`, and the last routing `routed`; `clock`, if any, is what it reaches and needs.
        Routing again comes to `limit` MHz.
        """
        runs, solved, self.for_wires, self.inputs = [], [], [], []
        left, for_wires, inputs = congested, self.for_wires, self.inputs
        tried, all_settings, seeds = self.tried, self.settings, self.seeds = [], [], []

        class Used:
            def threads(self, _):
                return 1

            def run(self, name, args, folder, minutes, stop):
                nonlocal left
                option = dict(zip(args, args[1:]))
                routes = "--no-route" not in args
                runs.append((option["--log"], option["--json"], routes))
                seeds.append(option["--seed"])
                for_wires.append("--no-tmdriv" in args)
                if routes:
                    top = json.loads((folder / option["--json"]).read_text())["modules"]["top"]
                    inputs.append({name: cell["attributes"] for name, cell in top["cells"].items()})
                    all_settings.append(top.get("settings"))
                if not routes:
                    (folder / option["--log"]).write_text(log)
                    (folder / option["--write"]).write_text(PLACED)
                    return ""
                if "--tmg-ripup" in args:
                    return self.again(option, folder, stop)
                ends, left = not left, max(0, left - 1)
                (folder / option["--log"]).write_text(
                    iterations(900, 60, *((0,) if ends else range(61, 90)))
                    + ("clock 'a': %.2f MHz (PASS at %.2f MHz)" % clock if clock else ""))
                if stop and stop():
                    return None
                (folder / option["--write"]).write_text(routed)
                (folder / option["--report"]).write_text('{"fmax": 5}')
                return ""

            def again(self, option, folder, stop):
                lpf = (folder / option["--lpf"]).read_text()
                tried.append(float(lpf.split()[-2]))
                (folder / option["--log"]).write_text(
                    iterations(*[9] * 50, late=3)
                    + f"clock 'a': {tried[-1]:.2f} MHz (PASS at {tried[-1]:.2f} MHz)")
                if tried[-1] > limit and stop():
                    return None
                (folder / option["--write"]).write_text(AGAIN)
                (folder / option["--report"]).write_text(json.dumps(
                    {"fmax": {"a": {"achieved": tried[-1], "constraint": tried[-1]}}}))
                return ""

            def solve(self, script, args, folder):
                solved.append((script.name, *args))
                if args[0] == "remove":
                    (folder / args[-1]).write_text(BARE)

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "x.json").write_text('{"cells": {"a": {"type": "%s"}}}' % kind)
            (path / "x_sites.json").write_text((path / "x.json").read_text())
            placing = placement.Placement(Used(), path, 1, "x_3", 3, ())
            self.report = placing.run(placing.with_sites("x"))
        if not clock:
            self.assertEqual(self.report, {"fmax": 5})
        return runs, solved

    def test_block_rams_get_their_sites_by_a_first_placement(self):
        runs, solved = self.placed("DP16KD")
        self.assertEqual(runs, [("x_first.log", "x.json", False),
                                ("x_3_placed.log", "x_sites.json", False),
                                ("x_3.log", "x_3_fixed.json", True)])
        self.assertEqual(self.seeds, [placement.FIRST_SEED, 3, 3])
        self.assertEqual(solved, [("ram_sites.py", "x_first.json", "x.json", "x_sites.json"),
                                  ANNEALED])

    def test_without_block_rams_one_placement_is_enough(self):
        self.assertEqual(self.placed("LUT4"), ([("x_3_placed.log", "x.json", False),
                                                ("x_3.log", "x_3_fixed.json", True)], []))

    def test_placements_that_miss_a_clock_or_have_spacers_are_shortened_for_all_clocks(self):
        for reached, turns in ((40, 2), (50, 1)):
            _, solved = self.placed("LUT4", 1, f"""
                Info: Max frequency for clock 'a': {reached}.00 MHz (PASS at 50.00 MHz)
                Info: Max frequency for clock 'b': 40.00 MHz (PASS at 20.00 MHz)
                """)
            moves = [ANNEALED, ("refine.py", "x_3_placed.json", "a", "55.00", "b", "22.00",
                                "x_3_placed.json")]
            self.assertEqual([one for one in solved if one[0] != "spacers.py"], turns * moves)
            self.assertEqual(solved[-3:-1], moves)

    def test_a_netlist_on_which_the_router_gets_stuck_gets_spacers(self):
        runs, solved = self.placed("LUT4", congested=1)
        self.assertEqual(runs, [("x_3_placed.log", "x.json", False),
                                ("x_3.log", "x_3_fixed.json", True),
                                ("x_3_placed.log", "x_3_spaced.json", False),
                                ("x_3.log", "x_3_fixed.json", True)])
        self.assertEqual(self.for_wires, [False] * 4)
        self.assertEqual(self.inputs, [{name: {"BEL": "X1/Y2/SLICEA.K0"}}
                                       for name in ("placed", "bare")])
        self.assertEqual(solved, [
            ("spacers.py", "add", "x_3_placed.json", "x_3_congestion_by_coordinate_10.csv",
             "x.json", "x_3_spaced.json"),
            ANNEALED,
            ("spacers.py", "remove", "x_3_placed.json", "x_3_bare.json")])

    def test_a_routing_that_exchanges_inputs_of_a_memory_is_an_error(self):
        wrong = netlist(memory=lut("1 2 SLICEA.K0", {}, MODE="DPRAM"))
        wrong["modules"]["top"]["netnames"]["clk"]["attributes"] = {
            "ROUTING": "X1/Y2/A0_SLICE;X1/Y2/0_0_B0->0_0_A0_SLICE;1"}
        with self.assertRaisesRegex(tools.Failed, "exchanged 1 .*X1/Y2/0_0_B0->0_0_A0_SLICE"):
            self.placed("LUT4", routed=json.dumps(wrong))

    def test_clocks_that_are_met_are_not_routed_by_timing(self):
        for second, for_wires in ((20, True), (19, False)):
            self.placed("LUT4", log=f"""
                Info: Max frequency for clock 'a': 40.00 MHz (FAIL at 50.00 MHz)
                Info: Max frequency for clock 'b': {second}.00 MHz (PASS at 20.00 MHz)
                """)
            self.assertEqual(self.for_wires, [False, for_wires])

    def test_more_spacers_come_to_those_that_were_too_few(self):
        runs, solved = self.placed("LUT4", congested=9)
        self.assertEqual(len(runs), 2 * placement.TURNS)  # the last one is not stopped
        self.assertEqual(self.for_wires, [False] * 5 + [True])  # and leaves timing out
        self.assertEqual(solved[3][-2:], ("x_3_spaced.json", "x_3_spaced.json"))

    def test_late_nets_are_routed_again_as_far_as_that_goes(self):
        for limit, tried in ((60, [42, 44, 46, 48, 50]), (45, [42, 44, 46, 45, 46]),
                             (43.2, [42, 44, 43, 44]), (39, [42, 41])):
            with self.subTest(limit=limit):
                self.placed("LUT4", clock=(40, 50), limit=limit)
                self.assertEqual(self.tried, tried)
                best = max((mhz for mhz in tried if mhz <= limit), default=None)
                self.assertEqual(self.report, {"fmax": {"a": {"achieved": best, "constraint": 50}}}
                                 if best else {"fmax": 5})

    def test_a_clock_that_is_met_is_not_routed_again(self):
        self.placed("LUT4", clock=(50, 50), limit=60)
        self.assertEqual(self.tried, [])

    def test_what_is_routed_again_begins_with_the_best(self):
        self.placed("LUT4", clock=(40, 50), limit=45, routed=ROUTED)
        self.assertEqual([list(cells) for cells in self.inputs],
                         [["placed"], ["routed"], *4 * [["again"]]])
        self.assertEqual(self.settings[0], placement.COST)
        for settings in self.settings[1:]:
            self.assertEqual(float(settings["router2/initCurrCongWeight"]), placement.PRICE)
            self.assertEqual({int(settings[name], 2) for name in
                              ("router/tmg_ripup", "timing_driven")}, {1})


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
