#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the changes of a signal of a waveform: time and value of each, a line each. It runs in the
environment that has pywellen; `changes` runs it there.

usage: waveform.py FILE SIGNAL      SIGNAL: the hierarchical name without the top
"""
import pathlib
import subprocess
import sys

PACKAGES = ("pywellen==0.25.7",)


def changes(programs, file, signal):
    """(time, value) of each change; `programs`: the folder of the environment's programs."""
    run = subprocess.run([programs / "python", __file__, file, signal], check=True, text=True,
                         capture_output=True)
    return [tuple(map(int, line.split())) for line in run.stdout.splitlines()]


def times(found, values, idle):
    """The times at which a signal takes these values one after the other for the first time;
    `idle`: values that may lie between. None: it never does."""
    found = [(time, value) for time, value in found if value not in idle]
    for start in range(len(found) - len(values) + 1):
        part = found[start:start + len(values)]
        if [value for _, value in part] == list(values):
            return [time for time, _ in part]
    return None


def main():
    import pywellen  # only in that environment
    file, signal = sys.argv[1:]
    for variable in pywellen.Waveform(str(pathlib.Path(file))).all_vars():
        if variable.full_name == f"TOP.{signal}":
            for time, value in variable.tv:
                print(time, value)
            return 0
    sys.exit(f"{file}: no signal {signal}")


if __name__ == "__main__":
    sys.exit(main())
