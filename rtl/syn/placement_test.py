#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which runs of nextpnr placement.py makes, with tools that are stand-ins."""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import nextpnr, placement, tools  # noqa: E402
from rtl.syn.small_netlists import lut, netlist  # noqa: E402


def iterations(*shared, late=""):
    """What router2 writes into its log, with so many shared wires in each iteration."""
    late = late and f"tmgfail={late} "
    return "".join(f"Info:     iter={at} wires=99999 overused={count} overuse=1 {late}archfail=NA\n"
                   for at, count in enumerate(shared, 1))


PLACED, BARE, ROUTED, AGAIN = (json.dumps(netlist(**{name: lut("1 2 SLICEA.K0", {})}))
                               for name in ("placed", "bare", "routed", "again"))
SPACED = f"{nextpnr.SPACER}0"
ANNEALED = ("anneal.py", "x_3_placed.json", "x_3_placed.json")


class RunsTest(unittest.TestCase):
    """Which runs of nextpnr a netlist gets."""

    def placed(self, kind, congested=0, log="", routed=BARE, clock=None, limit=0, spaced="",
               by_slack=False, part=1.0):
        """(log, netlist, whether it is routed) of each run, and what the scripts were given.

        The netlist has a cell of `kind`, and ends in `spaced`. As many routings get stuck as
        `congested` says, when they may be stopped. Each placement writes `log`, and the last
        routing `routed`; `clock`, if any, is what it reaches and needs. Routing again comes to
        `limit` MHz, and to `part` of each step.
        """
        runs, solved, self.for_wires, self.inputs = [], [], [], []
        left, for_wires, inputs = congested, self.for_wires, self.inputs
        reached = clock and clock[0]
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
                nonlocal reached
                lpf = (folder / option["--lpf"]).read_text()
                tried.append(float(lpf.split()[-2]))
                comes_to = reached + part * (tried[-1] - reached)
                (folder / option["--log"]).write_text(
                    iterations(*[9] * 50, late=3)
                    + f"clock 'a': {comes_to:.2f} MHz (PASS at {tried[-1]:.2f} MHz)")
                if tried[-1] > limit and stop():
                    return None
                reached = comes_to
                (folder / option["--write"]).write_text(AGAIN)
                (folder / option["--report"]).write_text(json.dumps(
                    {"fmax": {"a": {"achieved": comes_to, "constraint": tried[-1]}}}))
                return ""

            def solve(self, script, args, folder):
                solved.append((script.name, *args))
                if args[0] == "remove":
                    (folder / args[-1]).write_text(BARE)
                if args[0] == "add":
                    (folder / args[-1]).write_text((folder / args[-2]).read_text() + SPACED)

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "x.json").write_text('{"cells": {"a": {"type": "%s"}}}' % kind + spaced)
            (path / "x_sites.json").write_text((path / "x.json").read_text())
            placing = placement.Placement(Used(), path, 1, "x_3", 3, (), by_slack=by_slack)
            self.report = placing.run(placing.with_sites("x"))
            self.source = placing.source
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

    def test_placements_that_miss_a_clock_are_annealed_for_it_and_all_are_refined(self):
        for reached, turns, by_slack in ((40, 2, True), (40, 2, False), (50, 1, True)):
            _, solved = self.placed("LUT4", 1, f"""
                Info: Max frequency for clock 'a': {reached}.00 MHz (PASS at 50.00 MHz)
                Info: Max frequency for clock 'b': 40.00 MHz (PASS at 20.00 MHz)
                """, by_slack=by_slack)
            late = ("a", "55.00") if by_slack and reached < 50 else ()
            moves = [(*ANNEALED[:-1], *late, ANNEALED[-1]),
                     ("refine.py", "x_3_placed.json", "a", "55.00", "b", "22.00",
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
        self.assertEqual(self.source, "x_3_spaced.json")

    def test_a_netlist_may_come_with_spacers_of_another_seed(self):
        runs, solved = self.placed("LUT4", spaced=SPACED)
        self.assertEqual(runs, [("x_3_placed.log", "x.json", False),
                                ("x_3.log", "x_3_fixed.json", True)])
        self.assertEqual(solved, [
            ANNEALED, ("spacers.py", "remove", "x_3_placed.json", "x_3_bare.json")])
        self.assertEqual(self.source, "x.json")

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
        for limit, tried in ((60, [42, 44, 46, 48, 50]),
                             (49.6, [42, 44, 46, 48, 50, 49, 50, 49.5, 50, 49.75, 49.62]),
                             (45, [42, 44, 46, 45, 46, 45.5, 45.25, 45.12]),
                             (43.1, [42, 44, 43, 44, 43.5, 43.25, 43.12]),
                             (39, [42, 41, 40.5, 40.25, 40.12])):
            with self.subTest(limit=limit):
                self.placed("LUT4", clock=(40, 50), limit=limit)
                self.assertEqual(self.tried, tried)
                best = max((mhz for mhz in tried if mhz <= limit), default=None)
                self.assertEqual(self.report, {"fmax": {"a": {"achieved": best, "constraint": 50}}}
                                 if best else {"fmax": 5})

    def test_no_step_leads_beyond_what_is_needed(self):
        self.placed("LUT4", clock=(49, 50), limit=49.6)
        self.assertEqual(self.tried, [50, 49.5, 50, 49.75, 49.62])

    def test_steps_of_which_little_is_reached_become_smaller(self):
        self.placed("LUT4", clock=(40, 50), limit=60, part=0.4)
        self.assertEqual(self.tried, [42, 41.8, 41.7, 41.65, 41.62])

    def test_a_clock_that_is_met_is_not_routed_again(self):
        self.placed("LUT4", clock=(50, 50), limit=60)
        self.assertEqual(self.tried, [])

    def test_what_is_routed_again_begins_with_the_best(self):
        self.placed("LUT4", clock=(40, 50), limit=45, routed=ROUTED)
        self.assertEqual([list(cells) for cells in self.inputs],
                         [["placed"], ["routed"], *7 * [["again"]]])
        self.assertEqual(self.settings[0], placement.COST)
        for settings in self.settings[1:]:
            self.assertEqual(float(settings["router2/initCurrCongWeight"]), placement.PRICE)
            self.assertEqual({int(settings[name], 2) for name in
                              ("router/tmg_ripup", "timing_driven")}, {1})


if __name__ == "__main__":
    unittest.main()
