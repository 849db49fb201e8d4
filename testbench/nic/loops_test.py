#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds that a verilated engine takes few turns of loops in a clock.

usage: loops_test.py FOLDER

Verilator unrolls loops of at most 64 turns. A longer one stays a loop of C++ that runs in every
clock, whether its result changes or not: what can be computed at elaboration belongs in a
localparam. FOLDER has the C++ of the engine; the sum of the turns of all loops must not exceed
TURNS.
"""
import pathlib
import re
import sys

TURNS = 512
# The loops of the scheduler end by a flag; those of the source compare a constant with a counter.
LOOP = re.compile(r"\bwhile \((?!(?:vlSelf->)?__V\w*Continue)(.*)")
COUNTER = re.compile(r"\(?0x([0-9a-f]+)U > \S*?(\w+)\)")


def loops(paths):
    """(turns, counter) of each loop of these files."""
    for path in paths:
        for condition in LOOP.findall(path.read_text()):
            bound = COUNTER.match(condition)
            assert bound, f"{path}: the turns of a loop are not known: {condition}"
            yield int(bound[1], 16), bound[2].replace("__DOT__", ".")


def main():
    folder = pathlib.Path(sys.argv[1])
    paths = [path for path in sorted(folder.glob("*__DepSet_*.cpp"))
             if not path.stem.endswith("__Slow")]  # what runs once
    assert paths, f"no C++ of Verilator in {folder}"
    found = list(loops(paths))
    total = sum(turns for turns, _ in found)
    for turns, counter in found:
        print(f"{turns} turns: {counter}")
    print(f"{total} turns of loops in a clock, at most {TURNS}")
    return 0 if total <= TURNS else 1


if __name__ == "__main__":
    sys.exit(main())
