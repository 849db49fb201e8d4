#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the adapter in LiteX, whose packages come from PyPI.

usage: litex_test.py blocks|sources FOLDER

blocks runs blocks.py. sources installs the package of rtl/board/litex by pip, which must bring all
of its RTL, and elaborates each SoC of soc.py, whose Verilog Verilator reads with the RTL without a
warning. The packages are installed into the virtual environment FOLDER/venv; without a network for
that the test is skipped (status 77).
"""
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import pypi  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = ROOT / "rtl/board/litex"
PACKAGES = ("litex==2024.12", "liteeth==2024.12", "litedram==2024.12", "migen==0.10.0",
            "setuptools==65.5.0", "wheel==0.45.1")
MEMORIES = ("dram", "wishbone", "axi")
SEED = 1
SKIPPED = 77
# Run with the installed package alone.
INSTALLED = """
from roci_litex import defaults, small, sources
assert set(small()) < set(defaults())
missing = [str(path) for path in sources.needed() if not path.is_file()]
assert not missing and "site-packages" in str(sources.ROOT), (sources.ROOT, missing)
print(len(sources.needed()), "files installed")
"""


def run(command, **more):
    """Runs a tool; whether it succeeded. What it said is printed when it did not."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    print((done.stdout + done.stderr)[-4000:] if done.returncode else done.stdout.strip()[-400:])
    return done.returncode == 0


def installs(programs, folder):
    """From a copy of the folders that the package takes its files from."""
    copy = folder / "checkout/rtl"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "rtl", copy, ignore=shutil.ignore_patterns("__pycache__", "build"))
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
           "--no-build-isolation", "--force-reinstall"]
    ok = run([*pip, copy / "board/litex"])
    shutil.rmtree(copy)
    return ok and run([programs / "python", "-c", INSTALLED], cwd=folder)


def elaborates(programs, work, memory):
    if not run([programs / "python", HERE / "soc.py", work, memory]):
        return False
    board = json.loads((work / "board.json").read_text())
    return run(["verilator", "--lint-only", "--assert", "--timescale", "1ps/1ps", "--top-module",
                "board", *(f"-I{folder}" for folder in board["includes"]), ROOT / "rtl/lint.vlt",
                HERE / "board.vlt", *board["sources"], "board.v"], cwd=work)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("blocks", "sources"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    programs = pypi.tools(folder / "venv", PACKAGES)
    if programs is None:
        print(f"skipped: {', '.join(PACKAGES)} cannot be installed from PyPI")
        return SKIPPED
    if sys.argv[1] == "blocks":
        return 0 if run([programs / "python", HERE / "blocks.py", SEED]) else 1
    ok = installs(programs, folder)
    for memory in MEMORIES:
        ok = elaborates(programs, folder / memory, memory) and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
