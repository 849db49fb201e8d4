#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs stream_bench.py by cocotb in Icarus Verilog.

usage: stream_test.py FOLDER LIBRARY

The packages come from PyPI into FOLDER/venv. Without a network for that, or without Icarus, the
test is skipped (status 77).
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT))
from testbench.cocotb import simulate  # noqa: E402


def main():
    folder, library = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    if shutil.which("iverilog") is None:
        print("skipped: iverilog is not there")
        return simulate.SKIPPED
    try:
        cocotb = simulate.Cocotb(folder)
    except simulate.Missing as why:
        print(f"skipped: {why}")
        return simulate.SKIPPED
    subprocess.run(["iverilog", "-g2012", "-s", "stream", "-o", folder / "stream.vvp",
                    HERE / "stream.sv"], check=True)
    return simulate.report(*cocotb.run(
        ["vvp", "-M", cocotb.libraries, "-m", "libcocotbvpi_icarus", folder / "stream.vvp"],
        "stream_bench", "stream", (HERE, HERE.parent), COCOTBEXT_ROCE_LIBRARY=library))


if __name__ == "__main__":
    sys.exit(main())
