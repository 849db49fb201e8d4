#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules that hold over the whole tree; prints one line for each violation.

usage: gates.py [--root DIR] [GATE...]     all gates by default; --list names them
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from testbench.tools.gates import layers, names, text, tree  # noqa: E402

GATES = {
    "format": text.layout,
    "columns": text.columns,
    "licence": text.licence,
    "modes": text.modes,
    "sizes": text.sizes,
    "lengths": text.lengths,
    "layers": layers.layers,
    "ids": names.ids,
    "links": names.links,
    "words": names.words,
    "comments": names.comments,
}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("gates", nargs="*", metavar="GATE")
    args = parser.parse_args()
    if args.list:
        for name, gate in GATES.items():
            print(f"{name:10} {gate.__doc__}")
        return 0
    unknown = [name for name in args.gates if name not in GATES]
    if unknown:
        parser.error(f"no gate {unknown[0]}; there are {', '.join(GATES)}")
    seen = tree.Tree(args.root)
    found = [f"{name}: {line}" for name in args.gates or GATES for line in GATES[name](seen)]
    print("\n".join(found) if found else "no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
