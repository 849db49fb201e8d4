#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a small part of the tree twice, in a folder of its own: the second build must run no step.
The part has what was wrong before: sources that Verilator and Yosys write.

usage: second_build_test.py ROOT
"""
import subprocess
import sys
import tempfile

TARGETS = ["V_fifo", "N_fifo"]


def run(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stdout[-3000:]}")
    return done.stdout


def main():
    root = sys.argv[1]
    with tempfile.TemporaryDirectory() as build:
        # No order among libraries: only the named targets are built.
        run("cmake", "-S", root, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
            "-DROCI_BLOCKS=fifo", "-DROCI_PARTS=model;rtl", "-DCMAKE_OPTIMIZE_DEPENDENCIES=ON")
        known = run("ninja", "-C", build, "-t", "targets", "all")
        targets = [name for name in TARGETS if f"\n{name}: phony" in known]
        if "V_fifo" not in targets:
            sys.exit("no target V_fifo")
        run("cmake", "--build", build, "--target", *targets)
        again = run("ninja", "-C", build, "-d", "explain", *targets)
        if "no work to do" not in again:
            print(again)
            return 1
    print(f"a second build of {' '.join(targets)} does nothing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
