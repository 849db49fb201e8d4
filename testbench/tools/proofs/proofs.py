#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs of a build one by one; prints result and CPU seconds of each.

The proofs are the tests labelled `proof`. Their properties stand in docs/verification.md.

usage: proofs.py BUILD [--only TEXT] [--soak]
  --only TEXT   proofs whose name holds TEXT
  --soak        the long ones too
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from testbench.tools.gates.tree import Tree  # noqa: E402
from testbench.tools.proofs import listed  # noqa: E402


def run(build, name):
    """Runs a proof: its CPU seconds, and whether it holds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["ctest", "--test-dir", str(build), "-R", f"^{re.escape(name)}$"],
                          stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, done.returncode == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--soak", action="store_true")
    args = parser.parse_args()
    built = subprocess.run(["ctest", "--test-dir", str(args.build), "-N", "-R", "^proof"],
                           capture_output=True, text=True, check=True).stdout
    known = listed.proofs(Tree(ROOT))
    names = [n for n in re.findall(r"Test +#\d+: (proof\.\S+)", built)
             if args.only in n and n in known and (args.soak or not known[n].soak)]
    if not names:
        print(f"no proof '{args.only}' in {args.build}", file=sys.stderr)
        return 2
    failed = 0
    for name in names:
        seconds, holds = run(args.build, name)
        failed += not holds
        print(f"{name:30} {'holds' if holds else 'FAILED':7} {seconds:8.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
