#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of what board.py makes of the reports of its tools."""
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from rtl.board.ecpix5 import board, figures, flow  # noqa: E402

CHECK = """
168. Executing CHECK pass (checking for obvious problems).
Checking module roci_fifo...
Warning: Wire VexRiscv.\\IBusCachedPlugin_cache_io_cpu_fetch_isRemoved is used but has no driver.
"""
UNDRIVEN = "Warning: Wire ecpix5.\\basesoc_x is used but has no driver.\n"
LPF = """BLOCK RESETPATHS;
LOCATE COMP "clk100" SITE "K23";
IOBUF PORT "clk100" IO_TYPE=LVCMOS33;
LOCATE COMP "eth_tx_data[0]" SITE "D8";
LOCATE COMP "eth_tx_data[1]" SITE "C8";
FREQUENCY PORT "clk100" 100.0 MHz;"""
STAT = {
    "$paramod$1f\\roci_core": {"num_cells_by_type": {
        "LUT4": 100, "CCU2C": 10, "TRELLIS_DPR16X4": 5, "TRELLIS_FF": 70, "DP16KD": 3}},
    "\\VexRiscv": {"num_cells_by_type": {"LUT4": 7, "TRELLIS_FF": 8, "DP16KD": 1}},
    "\\ecpix5": {"num_cells_by_type": {"LUT4": 20, "PDPW16KD": 2, "TRELLIS_IO": 9, "roci_core": 1}},
}


def report(*rows):
    return {"fmax": {name: {"achieved": reached, "constraint": needed}
                     for name, reached, needed in rows}}


class Design(unittest.TestCase):
    def test_what_is_known_of_the_processor_is_no_problem(self):
        self.assertEqual(board.problems(CHECK, {"clk100": 1, "eth_tx_data": 2}, LPF), [])

    def test_an_undriven_wire_is_a_problem(self):
        self.assertEqual(board.problems(CHECK + UNDRIVEN, {"clk100": 1}, LPF), [UNDRIVEN.strip()])

    def test_a_bit_without_a_pin_is_a_problem(self):
        self.assertEqual(board.problems(CHECK, {"eth_tx_data": 3, "led": 1}, LPF),
                         ["port eth_tx_data[2] is on no pin", "port led is on no pin"])


class Size(unittest.TestCase):
    def test_cells_are_counted_by_part(self):
        # A CCU2C has two LUT4s, a TRELLIS_DPR16X4 keeps six.
        self.assertEqual(flow.sizes(STAT), {
            "adapter": {"LUT4": 150, "FF": 70, "DP16KD": 3},
            "processor": {"LUT4": 7, "FF": 8, "DP16KD": 1},
            flow.REST: {"LUT4": 20, "FF": 0, "DP16KD": 2}})

    def test_what_fits_has_no_excess(self):
        self.assertEqual(flow.excess({"a": dict(flow.LIMITS)}), [])

    def test_excess_is_of_the_sum(self):
        parts = {"a": {"LUT4": 83000, "FF": 1, "DP16KD": 200},
                 "b": {"LUT4": 640, "FF": 1, "DP16KD": 11}}
        self.assertEqual(flow.excess(parts), ["211 DP16KD of 208: 3 too many"])


class Figures(unittest.TestCase):
    """The table of docs/measured."""

    parts = {"a": {"LUT4": 1000, "FF": 10, "DP16KD": 4}, "b": {"LUT4": 100, "FF": 1, "DP16KD": 0}}

    def test_what_is_written_is_read(self):
        used = {"TRELLIS_COMB": {"used": 6}, "DP16KD": {"used": 4}}
        table = figures.with_parts({"parts": {}, "seeds": {}}, self.parts)
        for seed, reached in (12, 40.04), (2, 60.0):
            table = figures.with_seed(table, seed, {
                **report(("$glbnet$core_clk", reached, 20.0)), "utilization": used}, ["yosys"])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "table.json"
            figures.write(table, path)
            read = figures.read(path)
        self.assertEqual(read["device"], flow.DEVICE_NAME)
        self.assertEqual({name: {key: row[key] for key in flow.LIMITS}
                          for name, row in read["parts"].items()}, self.parts)
        self.assertEqual([(seed, row["clocks"], row["comb"], row["bram"], row["compiled"])
                          for seed, row in read["seeds"].items()],
                         [("2", {"core_clk": [60.0, 20.0]}, 6, 4, ["yosys"]),
                          ("12", {"core_clk": [40.0, 20.0]}, 6, 4, ["yosys"])])

    def test_an_update_is_read_by_the_pages(self):
        with mock.patch.object(figures, "write") as write, \
             mock.patch.object(board.subprocess, "run") as run:
            board.update({"parts": {}})
        write.assert_called_once_with({"parts": {}})
        self.assertTrue(pathlib.Path(run.call_args[0][0][1]).exists())

    def test_three_percent_more_cells_are_allowed(self):
        table = figures.with_parts({"parts": {}, "seeds": {}}, self.parts)
        now = {"a": {"LUT4": 1030, "FF": 10, "DP16KD": 5}, "b": {"LUT4": 104, "FF": 1, "DP16KD": 0}}
        self.assertEqual(figures.larger(table, now), ["a: 4 -> 5 DP16KD", "b: 100 -> 104 LUT4"])


class Steps:
    """In place of the tools: seed -> report."""

    def __init__(self, reports):
        self.reports, self.packed = reports, []

    def place(self, seed):
        return self.reports[seed]

    def pack(self, seed):
        self.packed.append(seed)
        return "ecpix5.bit"


@mock.patch("builtins.print")
class Timing(unittest.TestCase):
    slow = report(("$glbnet$sys_clk", 49.9, 50.0), ("$glbnet$eth_rx$TRELLIS_IO_IN", 140.0, 125.0))
    fast = report(("$glbnet$sys_clk", 50.0, 50.0), ("$glbnet$eth_rx_clk", 125.1, 125.0))

    def test_a_slow_clock_has_no_bitstream(self, said):
        steps = Steps({1: self.slow})
        self.assertEqual((board.placed(steps, [1]), steps.packed), (1, []))
        said.assert_any_call("seed 1: sys_clk: 49.9 MHz, 50.0 needed, margin -0%", flush=True)
        said.assert_any_call("seed 1: eth_rx: 140.0 MHz, 125.0 needed, margin +12%", flush=True)

    def test_the_first_seed_that_meets_every_clock_is_packed(self, _):
        steps = Steps({3: self.slow, 5: self.fast, 7: self.fast})
        self.assertEqual((board.placed(steps, [3, 5, 7]), steps.packed), (0, [5]))

    def test_every_seed_is_routed_when_all_are_compared(self, said):
        steps = Steps({2: self.slow, 3: self.fast, 5: self.slow, 7: self.fast})
        self.assertEqual((board.placed(steps, [2, 3, 5, 7], True), steps.packed), (0, [3]))
        for seed, reached in (2, 49.9), (3, 50.0), (5, 49.9), (7, 50.0):
            said.assert_any_call(f"seed {seed}: sys_clk: {reached} MHz, 50.0 needed, margin "
                                 f"{100 * (reached / 50 - 1):+.0f}%", flush=True)

    def test_sites_of_block_rams_and_spacers_are_made_once_for_all_seeds(self, _):
        placing = mock.Mock(**{"with_sites.return_value": "sites.json"}, source="spaced.json")
        with mock.patch.object(flow.placement, "Placement", return_value=placing):
            steps = flow.Flow("folder", None)
            for seed in 3, 5:
                steps.place(seed)
        placing.with_sites.assert_called_once_with(flow.TOP)
        self.assertEqual(placing.run.call_args_list,
                         [mock.call("sites.json"), mock.call("spaced.json")])

    def test_names_of_missed_clocks(self, _):
        self.assertEqual(flow.missed(self.slow), ["sys_clk: 49.9 MHz, 50.0 needed"])


if __name__ == "__main__":
    unittest.main()
