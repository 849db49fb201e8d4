#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says what the LUTs of a block are for: which register, memory or output they feed.

usage: shares.py BLOCK [--width W] [--count N]

A LUT counts for the words that its value reaches without passing a register. One that reaches
several stands in a line with all of them, or, when there are many, in one with the part of the
names that they have in common. `.CE` and `.R` are enable and reset of a register. LUTs that are
memory are listed by memory.

Compare a block by itself with the same block within its top: where there are levels to spare
(depth.py), the mapper at times takes more LUTs. A choice among four takes one LUT a bit: look at
words that take more.
"""
import argparse
import collections
import graphlib
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import blocks, cells, measure, paths  # noqa: E402

# Cells whose outputs follow their inputs in the same clock, and have no name of their own.
THROUGH = re.compile(f"{paths.LUT.pattern}|{paths.FREE.pattern}|{paths.CARRY.pattern}")
FEW = 3      # words that a line names
PART = re.compile(r"\.\d+\.\d+(\..*)?$")  # what Yosys appends to the name of a memory


def outputs(cell):
    return [bit for port, bits in cell["connections"].items() for bit in bits
            if cell["port_directions"][port] == "output"]


def end_name(name, cell, port, names):
    """What a pin of a register or a memory is called."""
    label = next((names[bit] for bit in outputs(cell) if bit in names), PART.sub("", name))
    return label if port == "D" or port.startswith("DI") else f"{label}.{port}"


def reached(module):
    """{cell: the words that it reaches}, for cells that stand for no word themselves."""
    names, reaches = {}, {}
    for bit, net, _, _ in paths.named_bits(module):
        names.setdefault(bit, net)
    readers, ends = collections.defaultdict(set), collections.defaultdict(set)
    for port, entry in module["ports"].items():
        for bit in entry["bits"]:
            if entry["direction"] == "output":
                ends[bit].add(f"output {port}")
    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                continue
            for bit in bits:
                if THROUGH.match(cell["type"]):
                    readers[bit].add(name)
                else:
                    ends[bit].add(end_name(name, cell, port, names))
    follows = {name: {reader for bit in outputs(cell) for reader in readers[bit]}
               for name, cell in module["cells"].items() if THROUGH.match(cell["type"])}
    for name in graphlib.TopologicalSorter(follows).static_order():
        words = {word for bit in outputs(module["cells"][name]) for word in ends[bit]}
        reaches[name] = frozenset(words.union(*(reaches[reader] for reader in follows[name])))
    return reaches


def line(words):
    """How a set of words is shown."""
    if len(words) <= FEW:
        return " & ".join(sorted(words)) or "nothing"
    return f"{os.path.commonprefix(sorted(words))}* ({len(words)} words)"


def shares(module):
    """(LUTs by the words that they reach, LUTs of memory by memory)."""
    logic, memory = collections.Counter(), collections.Counter()
    reaches = reached(module)
    for name, cell in module["cells"].items():
        size = cells.sizes({cell["type"]: 1}, cells.XCUP)
        if size["LUT"]:
            logic[line(reaches.get(name, frozenset()))] += size["LUT"]
        if size["LUTRAM"]:
            memory[PART.sub("", name)] += size["LUTRAM"]
    return logic, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("block", choices=blocks.blocks(), metavar="BLOCK")
    parser.add_argument("--width", type=int, default=512, choices=[64, 128, 256, 512])
    parser.add_argument("--count", type=int, default=20, help="lines of each list")
    args = parser.parse_args()
    top = paths.top_module(measure.synthesize(
        args.block, blocks.parameters(args.block, args.width, measure.QPS)))
    for what, found in zip(("LUTs of logic, by what they feed", "LUTs of memory"), shares(top)):
        print(f"{args.block}: {sum(found.values()):,} {what}")
        for word, count in found.most_common(args.count):
            print(f"{count:7,}  {word}")


if __name__ == "__main__":
    main()
