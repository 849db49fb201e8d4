#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the board in simulation: the SoC, verilated, its program, and the client of a host.

usage: ecpix5_build.py FOLDER

FOLDER gets ecpix5/build/board, ecpix5/program.bin and ecpix5/client. Packages come from PyPI;
without a network for that the status is 77.
"""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.board.ecpix5 import board, program  # noqa: E402
from rtl.syn import pypi  # noqa: E402
from testbench.litex import litex_test  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CLIENT = ROOT / "driver/examples/board"
ADDRESS, MAC = "10.0.0.5", program.MAC


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1]).resolve()
    work = folder / "ecpix5"
    work.mkdir(parents=True, exist_ok=True)
    programs = pypi.tools(folder / "ecpix5_venv", board.PACKAGES)
    if programs is None:
        print("skipped: the packages of LiteX cannot be installed from PyPI")
        return litex_test.SKIPPED
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}  # it compiles the BIOS
    if not litex_test.run([programs / "python", HERE / "ecpix5_soc.py", work], env=env):
        return 1
    csr = json.loads((work / "csr.json").read_text())
    memory_bytes = json.loads((work / "board.json").read_text())["values"]["bytes"]
    try:
        image, said = program.build(work / "program", csr, memory_bytes)
        (work / "program.bin").write_bytes(program.with_settings(image, ADDRESS, MAC))
    except program.Failed as error:
        print(error)
        return 1
    print(said)
    compiled = litex_test.run(["c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror",
                               f"-I{ROOT}", *sorted(CLIENT.glob("*.cpp")), "-libverbs", "-o",
                               work / "client"])
    made = litex_test.verilate(work, "ddr3_words", "ecpix5.cpp", ["ecp5_cells.v"], "-O1")
    return 0 if compiled and made else 1


if __name__ == "__main__":
    sys.exit(main())
