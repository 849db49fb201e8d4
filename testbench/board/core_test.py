#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests of cocotb on a verilated module, and reports each.

usage: core_test.py MODEL BENCH TOP FOLDER [PROGRAM [LIBRARY]]

MODEL is the program of vpi_main.cpp, BENCH a Python module of this folder, TOP the module that was
verilated, PROGRAM the shared library of program.cpp or agent.cpp, LIBRARY that of cocotbext-roce.
The packages come from PyPI into FOLDER/venv. Without a network for that the test is skipped
(status 77).
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))
from testbench.cocotb import simulate  # noqa: E402

PACKAGES = ("scapy==2.8.0",)


def main():
    if len(sys.argv) not in (5, 6, 7):
        print(__doc__, file=sys.stderr)
        return 2
    model, bench, top, folder = sys.argv[1:5]
    try:
        cocotb = simulate.Cocotb(folder, PACKAGES)
    except simulate.Missing as why:
        print(f"skipped: {why}")
        return simulate.SKIPPED
    more = dict(zip(("BOARD_PROGRAM", "COCOTBEXT_ROCE_LIBRARY"), sys.argv[5:]))
    return simulate.report(*cocotb.run(
        [model, f"{cocotb.libraries}/libcocotbvpi_verilator.so"], bench, top,
        (HERE, HERE.parent / "cocotb"), **more))


if __name__ == "__main__":
    sys.exit(main())
