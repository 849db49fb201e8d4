#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the adapter in LiteX, whose packages come from PyPI.

usage: litex_test.py blocks|sources FOLDER
       litex_test.py dram|wishbone FOLDER LIBRARY

blocks runs blocks.py and frames.py. sources installs the package of rtl/board/litex by pip, which
must bring all of its RTL, and elaborates each SoC of soc.py, whose Verilog Verilator reads with the
RTL without a warning. With a memory, the SoC is verilated and runs under main.cpp with LIBRARY,
program.cpp of testbench/board: once on a link without loss, once with a byte of each seventh frame
damaged. LiteEth finds as many wrong FCS as there were, the adapter drops these frames, and the
transport repairs the loss. The packages are installed into the virtual environment FOLDER/venv;
without a network for that the test is skipped (status 77).
"""
import json
import pathlib
import re
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
EVERY = 7
ARRAYS = {"dram": "ddr3_words", "wishbone": "main_ram"}  # the memory of the bench in Verilog
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


def verilate(work, array, bench="main.cpp", cells=(), optimize="-O0"):
    """The program of a SoC whose memory is `array` in Verilog, or None."""
    board = json.loads((work / "board.json").read_text())
    (work / "public.vlt").write_text(
        f'`verilator_config\npublic_flat_rw -module "board" -var "{array}"\n')
    defines = [f"#define SOC_MEMORY board__DOT__{array}"]
    defines += [f"#define SOC_{name.upper()} {value}" for name, value in board["values"].items()]
    (work / "soc.hpp").write_text("\n".join(defines) + "\n")
    # The processor has public parts, which would keep the hierarchy.
    built = run(["verilator", "--cc", "--exe", "--build", "--flatten", "--assert", "-O3",
                 "--timescale", "1ps/1ps", "--top-module", "board", "--Mdir", work / "build", "-o",
                 "board",
                 *(f"-I{folder}" for folder in board["includes"]), ROOT / "rtl/lint.vlt",
                 HERE / "board.vlt", work / "public.vlt", *board["sources"], work / "board.v",
                 *(HERE / name for name in (*cells, bench)), "-CFLAGS",
                 f"-std=c++17 -I{ROOT} -I{work}", "-LDFLAGS",
                 "-lz -ldl", "-MAKEFLAGS", f"OPT_FAST={optimize}", "-MAKEFLAGS", "OPT_SLOW=-O0"])
    return work / "build/board" if built else None


def transfers(program, library, every):
    """What is not as it must be, a line each."""
    done = subprocess.run([program, library, str(every)], capture_output=True, text=True,
                          cwd=program.parents[1])
    print((done.stdout + done.stderr).strip())
    if done.returncode:
        return ["the transfers failed"]
    count = {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", done.stdout)}
    wanted = {"crc_errors": count["damaged"], "rx_damaged": count["damaged"],
              "preamble_errors": 0, "rx_lost": 0, "tx_lost": 0, "bus_errors": 0}
    bad = [f"{name} is {count[name]}, not {value}" for name, value in wanted.items()
           if count[name] != value]
    if count["frames"] < 30 or (every and count["damaged"] < 4):
        bad.append("too few frames")
    return bad


def runs(programs, work, memory, library):
    if not run([programs / "python", HERE / "soc.py", work, memory]):
        return False
    program = verilate(work, ARRAYS[memory])  # to optimize takes longer than it saves
    if program is None:
        return False
    bad = transfers(program, library, 0) + transfers(program, library, EVERY)
    print("\n".join(bad))
    return not bad


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else ""
    if len(sys.argv) != {"blocks": 3, "sources": 3, "dram": 4, "wishbone": 4}.get(kind):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    programs = pypi.tools(folder / "venv", PACKAGES)
    if programs is None:
        print(f"skipped: {', '.join(PACKAGES)} cannot be installed from PyPI")
        return SKIPPED
    if kind in ARRAYS:
        return 0 if runs(programs, folder / f"run_{kind}", kind, sys.argv[3]) else 1
    if kind == "blocks":
        done = [run([programs / "python", HERE / f"{name}.py", SEED])
                for name in ("blocks", "frames")]
        return 0 if all(done) else 1
    ok = installs(programs, folder)
    for memory in MEMORIES:
        ok = elaborates(programs, folder / memory, memory) and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
