#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds bitstream and program of a board: ./roci board ecpix5

usage: board.py ecpix5 [--program | --check | --size] [--seed N ...] [--every-seed]
                [--compare | --update] [--address IPV4] [--mac MAC] [--tools BIN] [--build DIR]

  --program   stop after the program of its processor
  --check     stop after the design: BIOS, pins, and what Yosys finds in the elaborated Verilog
  --size      stop after synthesis: cells of each part, and whether they fit the device
  --seed N    seeds of the placement, tried one after the other (1); the first that meets every
              clock gives the bitstream
  --every-seed  go on after that one, to compare the clocks of all
  --compare   fail when a part needs 3% more cells than docs/measured/ecpix5.json says
  --update    write cells and clocks into that file, and into docs/boards.md
  --address IPV4, --mac MAC  of the board (192.168.1.50, 02:52:4f:43:49:05)
  --tools BIN a folder with yosys, nextpnr-ecp5 or ecppack, which are used in place of PyPI's
  --build DIR where everything is written (build/board)

Tools and libraries come from PyPI, into DIR/tools, DIR/solver and DIR/litex. Exit status: 1 when
the design is wrong, does not fit, or a clock is too slow with every seed; 77 when PyPI cannot be
reached.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from rtl.board.ecpix5 import figures, flow, program  # noqa: E402
from rtl.syn import pypi, tools  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("litex==2024.12", "liteeth==2024.12", "litedram==2024.12", "litespi==2024.12",
            "litex-boards==2023.12", "migen==0.10.0", "meson==1.12.1", "ninja==1.13.2",
            "setuptools==65.5.0", "pythondata-cpu-vexriscv==1.0.1.post407",
            "pythondata-software-picolibc==1.7.9.post181",
            "pythondata-software-compiler-rt==0.0.post6206")
# The processor as it is published reads two inputs that its caches do not use, and LiteSPI with one
# bit of data its output as an input.
KNOWN = re.compile(r"^Warning: Wire (VexRiscv\.\\IBusCachedPlugin_\w+|"
                   r"ecpix5\.\\main_litespisdrphycore_dq_i \[0\]) is used but has no driver")
UNAVAILABLE = 77
PAGES = ROOT / "testbench/tools/docs/generate.py"


def design(folder, programs):
    """Runs soc.py; what it wrote about the SoC."""
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run([programs / "python", HERE / "soc.py", folder], env=env,
                          capture_output=True, text=True)
    (folder / "soc.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        raise tools.Failed(f"soc.py: {(done.stdout + done.stderr)[-3000:]}")
    soc = json.loads((folder / "soc.json").read_text())
    print(f"design: adapter of {soc['parameters']['NumQps']} queue pairs, sys {soc['sys_mhz']:.0f} "
          f"MHz, engine {soc['core_mhz']:.0f} MHz, BIOS {soc['bios_bytes']:,} of "
          f"{soc['rom_bytes']:,} bytes", flush=True)
    return soc


def programmed(folder, address, mac):
    """Compiles the program of the processor for the design in `folder`."""
    csr = json.loads((folder / "csr.json").read_text())
    image, said = program.build(folder / "program", csr)
    image = program.with_settings(image, address, mac)
    (folder / "program.bin").write_bytes(image)
    (folder / "program.fbi").write_bytes(program.for_flash(image))
    print(f"program: {address}, {mac}, {len(image):,} bytes; {'; '.join(said.splitlines())}",
          flush=True)


def problems(warnings, ports, constraints):
    """What is wrong with the elaborated design, a line each."""
    found = [line for line in warnings.splitlines()
             if line.startswith("Warning:") and not KNOWN.match(line)]
    return found + [f"port {bit} is on no pin" for bit in flow.unplaced(ports, constraints)]


def show_sizes(parts):
    print(f"{'part':<16}" + "".join(f"{key:>9}" for key in flow.LIMITS))
    for name, row in [*parts.items(), ("sum", flow.total(parts)), ("device", flow.LIMITS)]:
        print(f"{name:<16}" + "".join(f"{row[key]:>9,}" for key in flow.LIMITS))
    sys.stdout.flush()


def show_clocks(seed, report):
    for name, reached, needed in flow.clocks(report):
        print(f"seed {seed}: {name}: {reached:.1f} MHz, {needed:.1f} needed, margin "
              f"{100 * (reached / needed - 1):+.0f}%", flush=True)


def build(args):
    """0, or 1 when the board cannot be built; what is wrong is printed."""
    programs = pypi.tools(args.build / "litex", PACKAGES)
    used = tools.Tools(args.build / "tools", args.tools)
    if programs is None or not used.found:
        print("the tools cannot be installed from PyPI")
        return UNAVAILABLE
    folder = args.build / args.board
    folder.mkdir(exist_ok=True)
    soc = design(folder, programs)
    programmed(folder, args.address, args.mac)
    if args.program:
        return 0
    steps = flow.Flow(folder / "flow", used)
    others = steps.gather(folder / "gateware", soc["sources"])
    ports = steps.elaborate(others)
    bad = problems((steps.folder / "check.txt").read_text(), ports,
                   (steps.folder / f"{flow.TOP}.lpf").read_text())
    if bad:
        print("\n".join(bad))
        return 1
    print(f"elaborated: {sum(ports.values())} pins, nothing undriven or driven twice", flush=True)
    if args.check:
        return 0
    parts = steps.synthesize()
    print(flow.DEVICE_NAME)
    show_sizes(parts)
    too_large = flow.excess(parts)
    if too_large:
        print("does not fit: " + "; ".join(too_large))
        return 1
    if args.compare and (more := figures.larger(figures.read(), parts)):
        print("\n".join(more))
        return 1
    if args.update:
        update(figures.with_parts(figures.read(), parts))
    return 0 if args.size else placed(steps, args.seed, args.every_seed, args.update)


def update(table):
    figures.write(table)
    subprocess.run([sys.executable, PAGES, "docs/boards.md"], check=True)


def placed(steps, seeds, every=False, kept=False):
    """Places and routes with seeds up to the first that meets every clock, or with every one.

    With `kept` their clocks go into the table.
    """
    packed = False
    for seed in seeds:
        report = steps.place(seed)
        show_clocks(seed, report)
        if kept:
            update(figures.with_seed(figures.read(), seed, report, steps.tools.names))
        if not packed and not flow.missed(report):
            print(f"bitstream: {steps.pack(seed)}", flush=True)
            packed = True
        if packed and not every:
            break
    if not packed:
        print("timing is not met: no bitstream")
    return 0 if packed else 1


def main():
    parser = argparse.ArgumentParser(
        prog="roci board", description=__doc__, formatter_class=argparse.RawTextHelpFormatter,
        usage=argparse.SUPPRESS, add_help=False)
    parser.add_argument("board", choices=[flow.TOP])
    stop = parser.add_mutually_exclusive_group()
    stop.add_argument("--program", action="store_true")
    stop.add_argument("--check", action="store_true")
    stop.add_argument("--size", action="store_true")
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--every-seed", action="store_true")
    table = parser.add_mutually_exclusive_group()
    table.add_argument("--compare", action="store_true")
    table.add_argument("--update", action="store_true")
    parser.add_argument("--address", default=program.ADDRESS)
    parser.add_argument("--mac", default=program.MAC)
    parser.add_argument("--tools", type=tools.folder)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/board")
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        return 0
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.build.mkdir(parents=True, exist_ok=True)
    try:
        return build(args)
    except (tools.Failed, program.Failed) as failure:
        print(failure)
        return 1


if __name__ == "__main__":
    sys.exit(main())
