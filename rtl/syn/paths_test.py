#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests paths.py on netlists whose levels and delays are worked out by hand."""
import json
import math
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import paths  # noqa: E402


def cell(kind, inputs, outputs):
    pins = {**inputs, **outputs}
    return {"type": kind, "attributes": {"src": "block.sv:7.1-7.2"},
            "port_directions": {**dict.fromkeys(inputs, "input"),
                                **dict.fromkeys(outputs, "output")},
            "connections": {pin: [bit] for pin, bit in pins.items()}}


def netlist(cells, ports=None, names=None):
    module = {"attributes": {"top": "1"}, "ports": ports or {}, "cells": cells,
              "netnames": {name: {"hide_name": 0, "bits": [bit],
                                  "attributes": {"src": "block.sv:5.3-5.9"}}
                           for name, bit in (names or {}).items()}}
    return paths.Netlist(json.dumps({"modules": {"block": module}}))


class Paths(unittest.TestCase):
    def test_two_luts_between_registers(self):
        found = netlist({"a": cell("FDRE", {"D": 9}, {"Q": 2}),
                         "x": cell("LUT2", {"I0": 2}, {"O": 3}),
                         "y": cell("LUT4", {"I0": 3}, {"O": 4}),
                         "b": cell("FDRE", {"D": 4}, {"Q": 5})}, names={"a_q": 2, "b_q": 5})
        ns, levels, most, bit, end = found.ends_by_delay()[0]
        self.assertEqual((levels, most, end), (2, 2, "b_q (block.sv:5)"))
        self.assertAlmostEqual(ns, 3 * 0.20 + 2 * 0.10)  # three nets of one load, two LUTs
        self.assertEqual(found.path(ns, levels, bit, end).start, "a_q (block.sv:5)")

    def test_fan_out_slows_a_net(self):
        cells = {"a": cell("FDRE", {"D": 9}, {"Q": 2})}
        for i in range(8):
            cells[f"b{i}"] = cell("FDRE", {"D": 2}, {"Q": 20 + i})
        self.assertAlmostEqual(netlist(cells).ends_by_delay()[0][0], 0.20 + 0.045 * math.log2(8))

    def test_block_ram_is_slow_to_read_and_an_end_to_write(self):
        found = netlist({"m": cell("RAMB36E2", {"ADDRARDADDR": 2}, {"DOUTADOUT": 3}),
                         "b": cell("FDRE", {"D": 3}, {"Q": 2})})
        self.assertAlmostEqual(found.ends_by_delay()[0][0], 0.90 + 0.20)
        self.assertEqual(len(found.ends), 2)

    def test_lut_ram_is_a_level_from_its_address(self):
        found = netlist({"m": cell("RAM32M", {"ADDRA": 2, "DIA": 7}, {"DOA": 3}),
                         "b": cell("FDRE", {"D": 3}, {"Q": 2})})
        self.assertEqual(found.ends_by_delay()[0][2], 1)
        self.assertEqual(found.sizes["LUTRAM"], 4)

    def test_a_carry_chain_is_entered_and_left_once(self):
        found = netlist({"a": cell("FDRE", {"D": 9}, {"Q": 2}),
                         "x": cell("LUT2", {"I0": 2}, {"O": 3}),
                         "c": cell("CARRY4", {"S": 3}, {"CO": 4}),
                         "d": cell("CARRY4", {"CI": 4}, {"CO": 5}),
                         "e": cell("CARRY4", {"CI": 5}, {"O": 6}),
                         "b": cell("FDRE", {"D": 6}, {"Q": 7})})
        ns, levels, *_ = found.ends_by_delay()[0]
        self.assertEqual(levels, 1)
        self.assertAlmostEqual(ns, 3 * 0.20 + 0.10 + 0.10 + 0.025 + 0.10)

    def test_a_carry_from_elsewhere_is_routed(self):
        found = netlist({"a": cell("FDRE", {"D": 9}, {"Q": 2}),
                         "c": cell("CARRY4", {"CI": 2}, {"CO": 3}),
                         "b": cell("FDRE", {"D": 3}, {"Q": 4})})
        self.assertAlmostEqual(found.ends_by_delay()[0][0], 0.20 + 0.10 + 0.20)

    def test_an_address_that_only_writes_ends_a_path(self):
        found = netlist({"m": cell("RAM32M", {"ADDRA": 2, "ADDRD": 8}, {"DOA": 3}),
                         "b": cell("FDRE", {"D": 3}, {"Q": 4}),
                         "a": cell("FDRE", {"D": 9}, {"Q": 8})})
        found.worst = found.arrivals()
        self.assertEqual([bit for bit, *_ in found.arcs[3]], [2])
        self.assertIn(8, [bit for bit, _ in found.ends])

    def test_shift_register_ends_a_path(self):
        found = netlist({"s": cell("SRL16E", {"D": 2, "A0": 8}, {"Q": 3}),
                         "x": cell("LUT1", {"I0": 3}, {"O": 2})})
        self.assertEqual(found.ends_by_delay()[0][2], 2)  # its address to LUT1, not D to Q

    def test_a_loop_is_an_error(self):
        with self.assertRaises(ValueError):
            netlist({"x": cell("LUT1", {"I0": 2}, {"O": 3}),
                     "y": cell("LUT1", {"I0": 3}, {"O": 2}),
                     "b": cell("FDRE", {"D": 2}, {"Q": 4})}).ends_by_delay()

    def test_an_unknown_cell_is_an_error(self):
        with self.assertRaises(ValueError):
            netlist({"x": cell("DSP48E2", {"A": 2}, {"P": 3})})


if __name__ == "__main__":
    unittest.main()
