#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests of cocotb on a verilated module, and reports each.

usage: core_test.py MODEL BENCH TOP FOLDER [PROGRAM]

MODEL is the program of vpi_main.cpp, BENCH a Python module of this folder, TOP the module that was
verilated, PROGRAM the shared library of program.cpp. The packages of PACKAGES come from PyPI into a
virtual environment in FOLDER/venv, which is made when it is missing. Without a network for that the
test is skipped (status 77).
"""
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import pypi  # noqa: E402

# cocotb 2 needs a newer Verilator than Debian has.
PACKAGES = ("cocotb==1.9.2", "cocotb-bus==0.3.0", "cocotbext-axi==0.1.28", "find_libpython==0.5.1",
            "scapy==2.8.0")
LIBRARY = "/libcocotbvpi_verilator.so"
SKIPPED = 77


def said_by(python, code):
    return subprocess.run([python, "-c", code], capture_output=True, text=True,
                          check=True).stdout.strip()


def main():
    if len(sys.argv) not in (5, 6):
        print(__doc__, file=sys.stderr)
        return 2
    model, bench, top, folder = sys.argv[1:5]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    programs = pypi.tools(folder / "venv", PACKAGES)
    if programs is None:
        print(f"skipped: {', '.join(PACKAGES)} cannot be installed from PyPI")
        return SKIPPED
    python = programs / "python"
    results = folder / f"{bench}.xml"
    results.unlink(missing_ok=True)
    library = said_by(python, "import cocotb.config as c; print(c.libs_dir)") + LIBRARY
    environment = {
        **os.environ, "MODULE": bench, "TOPLEVEL": top, "TOPLEVEL_LANG": "verilog",
        "COCOTB_RESULTS_FILE": str(results), "VIRTUAL_ENV": str(programs.parent),
        "LIBPYTHON_LOC": said_by(python, "import find_libpython as f; print(f.find_libpython())"),
        "PYTHONPATH": str(pathlib.Path(__file__).parent), "PYTHONDONTWRITEBYTECODE": "1",
        "COCOTB_LOG_LEVEL": "ERROR", "RANDOM_SEED": "1",
    }
    if len(sys.argv) == 6:
        environment["BOARD_PROGRAM"] = sys.argv[5]
    code = subprocess.run([model, library], env=environment, cwd=folder).returncode
    cases = (xml.etree.ElementTree.parse(results).getroot().findall(".//testcase")
             if results.exists() else [])
    failed = [case for case in cases if case.find("failure") is not None]
    for case in cases:
        print(f"{'failed' if case in failed else 'passed'} {case.get('name')}, "
              f"{float(case.get('sim_time_ns')) / 1000:.1f} us simulated, "
              f"{float(case.get('time')):.1f} s")
    if code or not cases:
        print(f"{model} ended with status {code} and {len(cases)} results")
    return 1 if code or failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
