#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds that netlists and proofs were run since what they follow from was changed.

usage: tested.py [--build DIR] --check
       tested.py [--build DIR] --update [TEST...]

The results of some tests follow from sources, parameters and tools alone, and take minutes:
netlist.* run the test of a block on what Yosys makes of its source, proof.* prove its assertions,
synthesis.sound_* elaborate the engine. They are long runs; docs/measured/tested.json has a digest
of what each followed from when it passed. --check compares; --update runs the tests whose digest
differs, or the given ones, and writes the digests of those that pass.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402
from rtl.syn import blocks  # noqa: E402

SCRIPTS = ROOT / "rtl"
TABLE = ROOT / "docs/measured/tested.json"


def listed(text):
    """Test -> (module or block, options) from lines such as `netlist.timer_64 timer Width=64`."""
    return {test: (name, options) for test, name, *options in
            (line.split() for line in text.splitlines())}


def texts(folder, patterns):
    """The texts of the files of a folder that match, in the order of their names."""
    return [path.read_text() for pattern in patterns.split()
            for path in sorted(folder.glob(pattern))]


def digest(test, name, options, tools):
    """Changes with all that the result of a test follows from, except for compilers."""
    if test.startswith("proof."):
        sources = sorted(yosys.sources(name, formal=True), key=lambda path: path.name)
        sources += [yosys.RTL / "common/assert.svh", yosys.RTL / "roci_pkg.sv"]
        return blocks.hash_of([tools, *options, *(blocks.plain(path.read_text())
                                                  for path in sources),
                               *texts(SCRIPTS, "yosys.py prove.py cover_as_assert.v")])
    if test.startswith("netlist."):
        used = (texts(blocks.blocks()[name].parent, "*_test.cpp *.hpp")
                + texts(yosys.RTL / "common/test", "*.hpp")
                + texts(SCRIPTS, "yosys.py netlist.vlt"))
    else:
        used = texts(SCRIPTS, "yosys.py syn/synth.py")
    return blocks.digest(name, tools, *options, *used)


def differences(known, digests):
    """Reports each test that was not run on what is there."""
    for test in sorted(known.keys() | digests.keys()):
        if test not in digests:
            yield f"{test}: there is no such test"
        elif test not in known:
            yield f"{test}: has not been run"
        elif known[test] != digests[test]:
            yield f"{test}: not run since the sources have changed"


def passes(build, test):
    """Whether the test passes; ctest builds its program first."""
    return subprocess.run(["ctest", "--test-dir", build, "--no-tests=error",
                           "--output-on-failure", "-R", f"^{test}$"]).returncode == 0


def update(build, known, digests, tests):
    """Runs tests; returns those that failed."""
    for test in known.keys() - digests.keys():
        del known[test]
    failed = []
    for test in tests or [test for test in digests if known.get(test) != digests[test]]:
        if passes(build, test):
            known[test] = digests[test]
        else:
            known.pop(test, None)
            failed.append(test)
        TABLE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return failed


def tool_versions():
    z3 = subprocess.run(["z3", "--version"], capture_output=True, text=True, check=True).stdout
    return f"yosys {blocks.tool_version()} z3 {z3.split()[2]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", metavar="TEST")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--check", action="store_true")
    kind.add_argument("--update", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    tools = tool_versions()
    digests = {test: digest(test, *module, tools) for test, module in
               listed((args.build / "rtl/tested.txt").read_text()).items()}
    known = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    unknown = set(args.tests) - digests.keys()
    if unknown:
        parser.error(f"no test {', '.join(sorted(unknown))}; there are {' '.join(digests)}")
    if args.update:
        failed = update(args.build, known, digests, args.tests)
        print("\n".join(f"{test}: failed" for test in failed) or f"{TABLE.name}: written")
        return 1 if failed else 0
    found = list(differences(known, digests))
    print("\n".join([*found, "run rtl/syn/tested.py --update"] if found else
                    [f"{len(digests)} tests were run on these sources"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
