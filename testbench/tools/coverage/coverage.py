#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line and toggle coverage of the RTL by system tests.

Builds the adapter once more, with counters, in a folder of its own; runs the tests below on it;
merges the counters of all processes and prints a table by block, with --lines also lines never run.

usage: coverage.py [--build DIR] [--width BITS] [--toggle] [--lines] [--signals] [--only NAME]
[--keep]
  --build DIR   build folder (default: build-coverage beside the sources)
  --width BITS  data width: 64 (default) or 512
  --toggle      count toggles of signals up to 64 bits wide, too: takes minutes more to build
  --lines       list the lines without a count
  --signals     list the signals of which a bit never changed (with --toggle)
  --only NAME   of the tests, only those whose name holds NAME
  --keep        add to the counts of the last run
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Commands by name. Together they use all functions of the engine, at a size that counters permit.
CASES = ["setup", "transfers", "errors", "control", "shared", "unreliable", "stress"]
TESTS = {case: f"{{build}}/testbench/verify/cases/{case}_case" for case in CASES}
TESTS["faults"] = "{build}/testbench/verify/faults/faults_case"
TESTS["conform"] = "{build}/sim/roci-verify conform --width {width}"


def points(path):
    """Counters of a file of verilator_coverage: (kind, file, line, comment): count."""
    counts = {}
    for line in open(path, encoding="latin-1"):
        if not line.startswith("C '"):
            continue
        key, count = line[3:].rsplit("' ", 1)
        fields = dict(re.findall("\x01([^\x02]+)\x02([^\x01]*)", key))
        kind = "toggle" if "toggle" in fields.get("page", fields.get("t", "")) else "line"
        where = (kind, fields["f"], int(fields["l"]), fields.get("o", "") + fields.get("S", ""))
        counts[where] = counts.get(where, 0) + int(count)
    return counts


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-coverage")
    parser.add_argument("--width", choices=["64", "512"], default="64")
    parser.add_argument("--toggle", action="store_true")
    parser.add_argument("--signals", action="store_true")
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    build = args.build.resolve()
    run = lambda *command: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    kinds = "line;toggle" if args.toggle else "line"
    run("cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", f"-DROCI_COVERAGE={kinds}",
        "-DROCI_BLOCKS=none", f"-DROCI_NICS={args.width}")
    run("cmake", "--build", str(build), "--target", "engines", "roci-verify", "faults_case",
        *(f"{case}_case" for case in CASES))

    work = build / "counts"
    if not args.keep:
        shutil.rmtree(work, ignore_errors=True)
    for name, command in TESTS.items():
        if args.only not in name:
            continue
        folder = work / name
        folder.mkdir(parents=True, exist_ok=True)
        begin = time.time()
        done = subprocess.run(command.format(build=build, width=args.width).split(), cwd=folder,
                              env=dict(os.environ, ROCI_COVERAGE_DIR=str(folder),
                                       ROCI_WIDTH=args.width),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        files = list(folder.glob("*.dat"))
        print(f"{name}: exit {done.returncode}, {len(files)} adapters, "
              f"{time.time() - begin:.0f} s", file=sys.stderr)
        if done.returncode != 0:
            return 1
        run("verilator_coverage", "--write", str(folder / "merged"), *map(str, files))
        for file in files:
            file.unlink()
    merged = [str(file) for file in work.glob("*/merged")]
    if not merged:
        print("no test of that name", file=sys.stderr)
        return 2
    run("verilator_coverage", "--write", str(work / "merged"), *merged)

    seen = collections.defaultdict(lambda: {"line": [0, 0], "toggle": [0, 0]})
    missing = collections.defaultdict(set)
    still = collections.defaultdict(set)
    for (kind, file, line, comment), count in points(work / "merged").items():
        block = pathlib.Path(file).parent.name
        seen[block][kind][0] += count > 0
        seen[block][kind][1] += 1
        if kind == "line" and count == 0:
            missing[file].add(line)
        if kind == "toggle" and count == 0:
            still[file].add(re.split(r"[\[.:]", comment)[0])
    print("| Block | Lines | |" + " Toggles | |" * args.toggle)
    print("|---|---|---|" + "---|---|" * args.toggle)
    total = {"line": [0, 0], "toggle": [0, 0]}
    for block in sorted(seen):
        cells = []
        for kind in ("line", "toggle")[:1 + args.toggle]:
            hit, of = seen[block][kind]
            total[kind][0] += hit
            total[kind][1] += of
            cells += [f"{hit}/{of}", f"{100 * hit // of} %" if of else ""]
        print(f"| {block} | " + " | ".join(cells) + " |")
    print("| all | " + " | ".join(f"{hit}/{of} | {100 * hit // of} %"
                                  for hit, of in total.values() if of) + " |")
    if args.lines:
        for file in sorted(missing):
            text = (ROOT / file).read_text().splitlines()
            for line in sorted(missing[file]):
                print(f"{pathlib.Path(file).name}:{line}: {text[line - 1].strip()}")
    if args.signals:
        for file in sorted(still):
            print(f"{pathlib.Path(file).name}: {' '.join(sorted(still[file]))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
