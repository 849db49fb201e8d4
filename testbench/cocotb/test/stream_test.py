#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs stream_bench.py by cocotb in Icarus Verilog.

usage: stream_test.py FOLDER LIBRARY

The packages of PACKAGES come from PyPI into FOLDER/venv. Without a network for that, or without
Icarus, the test is skipped (status 77).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from rtl.syn import pypi  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("cocotb==1.9.2", "cocotb-bus==0.3.0", "cocotbext-axi==0.1.28", "find_libpython==0.5.1")
SKIPPED = 77


def main():
    folder, library = pathlib.Path(sys.argv[1]), str(pathlib.Path(sys.argv[2]).resolve())
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.which("iverilog") is None:
        print("skipped: iverilog is not there")
        return SKIPPED
    programs = pypi.tools(folder / "venv", PACKAGES)
    if programs is None:
        print(f"skipped: {', '.join(PACKAGES)} cannot be installed from PyPI")
        return SKIPPED
    python = programs / "python"

    def said(code):
        return subprocess.run([python, "-c", code], capture_output=True, text=True,
                              check=True).stdout.strip()

    subprocess.run(["iverilog", "-g2012", "-s", "stream", "-o", folder / "stream.vvp",
                    HERE / "stream.sv"], check=True)
    results = folder / "stream.xml"
    results.unlink(missing_ok=True)
    paths = (HERE, ROOT / "testbench/cocotb",
             said("import sysconfig; print(sysconfig.get_path('purelib'))"))
    environment = {
        **os.environ, "MODULE": "stream_bench", "TOPLEVEL": "stream", "TOPLEVEL_LANG": "verilog",
        "COCOTB_RESULTS_FILE": str(results), "VIRTUAL_ENV": str(programs.parent),
        "LIBPYTHON_LOC": said("import find_libpython as f; print(f.find_libpython())"),
        "PYTHONPATH": ":".join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1",
        "COCOTB_LOG_LEVEL": "ERROR", "RANDOM_SEED": "1", "COCOTBEXT_ROCE_LIBRARY": library,
    }
    subprocess.run(["vvp", "-M", said("import cocotb.config as c; print(c.libs_dir)"), "-m",
                    "libcocotbvpi_icarus", folder / "stream.vvp"], env=environment, check=False,
                   cwd=folder)
    cases = (xml.etree.ElementTree.parse(results).getroot().findall(".//testcase")
             if results.exists() else [])
    for case in cases:
        failed = case.find("failure") is not None
        print(f"{'failed' if failed else 'passed'} {case.get('name')}, "
              f"{float(case.get('sim_time_ns')) / 1000:.1f} us simulated, "
              f"{float(case.get('time')):.1f} s")
    return 0 if cases and all(case.find("failure") is None for case in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
