#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the RTL in one place at a time and checks that the quick tests fail.

The changes are listed in mutants.txt and made in a copy of the sources; of each, only the tests it
names are built and run. A change whose text is no longer there exactly once, or that does not
compile, is an error: the list has to follow the sources.

usage: mutants.py [--work DIR] [--only TEXT] [--check] [--jobs N]
  --work DIR   copy and build (default: build-mutants beside the sources)
  --only TEXT  of the changes, only those whose heading holds TEXT
  --check      only compare the list with the sources
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Target and CTest.
SYSTEM = {"setup_case": "testbench.setup", "faults_case": "faults.lost_requests",
          "errors_case": "testbench.errors"}
GOAL = 95  # percent
TIMEOUT = 300


class Mutant:
    def __init__(self, heading, line):
        match = re.fullmatch(r"== ([a-z0-9_. ]+): (.+)", heading)
        if not match:
            sys.exit(f"mutants.txt:{line}: not a heading: {heading}")
        self.tests, self.title = match[1].split(), match[2]
        self.line, self.file, self.old, self.new = line, None, [], []

    def name(self):
        return f"{' '.join(self.tests)}: {self.title}"

    def apply(self, root):
        """Changes the copy; returns the former text."""
        path = root / "rtl" / self.file
        text = path.read_text()
        path.write_text(text.replace("\n".join(self.old), "\n".join(self.new), 1))
        return path, text

    def fault(self):
        path = ROOT / "rtl" / str(self.file)
        if not path.is_file():
            return f"no file rtl/{self.file}"
        count = path.read_text().count("\n".join(self.old))
        return None if self.old and count == 1 else f"text stands there {count} times"


def read_list():
    mutants = []
    lines = (pathlib.Path(__file__).parent / "mutants.txt").read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("== "):
            mutants.append(Mutant(line, number))
        elif line.startswith("-"):
            mutants[-1].old.append(line[2:])
        elif line.startswith("+"):
            mutants[-1].new.append(line[2:])
        elif line and not line.startswith("#"):
            mutants[-1].file = line
    return mutants


def targets(tests):
    return [t for test in tests for t in (["engines", *SYSTEM] if test == "system" else
                                          [] if test.startswith("proof.") else
                                          [f"rtl_{test}_test"])]


def ctest_names(tests):
    return [t for test in tests for t in (SYSTEM.values()
                                          if test == "system" else
                                          [test] if test.startswith("proof.") else
                                          ["rtl." + test])]


def quiet(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)


def blocks_of(tests):
    """The blocks whose names tests have, alone or followed by more."""
    blocks = {cmake.parent.name for cmake in (ROOT / "rtl").rglob("block.cmake")}
    names = [test.removeprefix("proof.") for test in tests if test != "system"]
    return sorted({max((b for b in blocks if f"{name}_".startswith(f"{b}_")), key=len,
                       default=name) for name in names})


def build(work, tests, jobs):
    names = targets(tests)
    if not names:
        return quiet("true")
    return quiet("cmake", "--build", str(work / "build"), "-j", str(jobs), "--target", *names)


def passes(work, tests):
    pattern = "^(" + "|".join(map(re.escape, ctest_names(tests))) + ")$"
    return quiet("ctest", "--test-dir", str(work / "build"), "-R", pattern, "--timeout",
                 str(TIMEOUT), "--no-tests=error").returncode == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build-mutants")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    mutants = read_list()
    stale = [(m, m.fault()) for m in mutants if m.fault()]
    for mutant, fault in stale:
        print(f"mutants.txt:{mutant.line}: {mutant.name()}: {fault}", file=sys.stderr)
    if stale:
        return 2
    if args.check:
        print(f"{len(mutants)} changes match the sources")
        return 0
    mutants = [m for m in mutants if args.only in m.name()]
    if not mutants:
        print(f"no change holds '{args.only}'", file=sys.stderr)
        return 2

    work = args.work.resolve()
    copy = work / "src"
    for name in quiet("git", "-C", str(ROOT), "ls-files", "--cached", "--others",
                      "--exclude-standard").stdout.splitlines():
        source, target = ROOT / name, copy / name
        if source.is_file() and not (target.is_file() and
                                     source.read_bytes() == target.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    tests = sorted({test for m in mutants for test in m.tests})
    blocks = blocks_of(tests)
    parts = "model;rtl;firmware;driver;testbench" if "system" in tests else "model;rtl"
    made = quiet("cmake", "-S", str(copy), "-B", str(work / "build"), "-G", "Ninja",
                 f"-DROCI_PARTS={parts}", f"-DROCI_BLOCKS={';'.join(blocks)}")
    if made.returncode == 0:
        made = build(work, tests, args.jobs)
    if made.returncode != 0 or not passes(work, tests):
        print(made.stdout[-2000:] + "\nthe sources as they are do not build or pass",
              file=sys.stderr)
        return 2

    caught, errors = 0, 0
    for mutant in mutants:
        begin = time.time()
        path, text = mutant.apply(copy)
        try:
            made = build(work, mutant.tests, args.jobs)
            if made.returncode != 0:
                verdict = "DOES NOT BUILD"
                errors += 1
                print(made.stdout[-1500:], file=sys.stderr)
            elif passes(work, mutant.tests):
                verdict = "MISSED"
            else:
                verdict = "caught"
                caught += 1
        finally:
            path.write_text(text)
        print(f"{verdict:8} {time.time() - begin:5.0f} s  {mutant.name()}", flush=True)
    share = 100 * caught / len(mutants)
    print(f"{caught} of {len(mutants)} caught, {share:.0f} %")
    return 2 if errors else share <= GOAL


if __name__ == "__main__":
    sys.exit(main())
