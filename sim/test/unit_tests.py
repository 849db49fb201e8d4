#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of google/rdma-unit-test on a node and prints a table.

usage: unit_tests.py ROCI FOLDER [--engine E] [--width N] [--only FILTER] [--patience N]
                     [--seconds N] [UP OPTIONS...]

FOLDER holds the built programs of unit/ or traffic/, one or several, which docs/verbs.md says how
to build. Each suite of cases is a process of its own; when one ends without a report, its cases run
one by one, so that a crash or a stop costs one case. Exit status 0 when no case failed but those of
EXPLAINED.
"""
import collections
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

# Cases that fail for a reason that docs/verbs.md gives.
KEYS = ("ReadInvalidRKeyAndInvalidLKey", "FetchAddInvalidLKeyAndInvalidRKey",
        "FetchAddUnalignedInvalidLKey", "UnsignaledCompareSwapError", "CompareSwapInvalidLKey",
        "CompareSwapInvalidRKeyAndInvalidLKey", "CompareSwapUnalignedInvalidLKey")
EXPLAINED = {
    "CompChannelTest.RequestNotificationOnCqWithoutCompChannel", "MwType2AdvancedTest.Rebind",
    *(f"QpStateTest.{case}" for case in ("PostSendReset", "PostRecvReset", "PostSendInit",
                                         "PostSendRtr")),
    *(f"LoopbackRcQpTest.{case}" for case in KEYS),
    "UdBurstTest/UdBurstTest.TrafficOkAfterBurst/65536BurstSize"}


def cases_of(text):
    """{suite: [case]} from the output of --gtest_list_tests."""
    suites = collections.OrderedDict()
    for line in text.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith(" ") and word:
            suites[suite].append(word)
        elif word.endswith("."):
            suite = word[:-1]
            suites[suite] = []
    return suites


class Run:
    def __init__(self, simulator, program, arguments, seconds):
        self.simulator, self.program, self.arguments = simulator, program, arguments
        self.seconds = seconds

    def command(self, *more):
        return [self.simulator.roci, "exec", "n0", "--name", self.simulator.name, "--",
                str(self.program), "--device_name=roci0", *self.arguments, *more]

    def results(self, text, seconds):
        """{case: (result, text)} of the cases that the filter selects; None without a report."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            try:
                done = subprocess.run(
                    self.command(f"--gtest_filter={text}", f"--gtest_output=json:{report}"),
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False)
            except subprocess.TimeoutExpired as late:
                return None, f"stopped after {seconds} s\n" + (late.stdout or b"").decode()[-1500:]
            if not report.exists():
                return None, f"exit {done.returncode}\n" + done.stdout.decode()[-1500:]
            found = {}
            for suite in json.loads(report.read_text())["testsuites"]:
                for case in suite["testsuite"]:
                    name = f"{suite['name']}.{case['name']}"
                    failures = case.get("failures", [])
                    result = ("failed" if failures else
                              "skipped" if case.get("result") == "SKIPPED" else "passed")
                    reasons = failures or case.get("skipped", [])
                    found[name] = (result, "\n".join(one.get("failure", one.get("message", ""))
                                                     for one in reasons), case.get("time", ""))
            return found, ""

    def suite(self, suite, names):
        found = None
        if len(names) > 1:
            found, _ = self.results(f"{suite}.*", self.seconds)
        if found is not None:
            return found
        found = {}
        for name in names:
            one, text = self.results(f"{suite}.{name}", self.seconds)
            found.update(one or {f"{suite}.{name}": ("failed", text, "")})
        return found


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="*", help="suites or SUITE.CASE, as in a shell")
    parser.add_argument("--patience", type=int, default=1, help="the programs wait N times as long")
    parser.add_argument("--seconds", type=int, default=600, help="for the cases of one suite")
    parser.add_argument("--show", action="store_true", help="print each case")
    args, options = parser.parse_known_args()
    programs = [p for p in sorted(args.folder.iterdir()) if p.name.endswith("_test")
                and p.is_file() and os.access(p, os.X_OK)]
    if not programs:
        sys.exit(f"no program *_test in {args.folder}")
    width = [] if args.engine == "model" else ["--width", args.width]
    words = [f"--completion_wait_multiplier={args.patience}",
             f"--other_wait_multiplier={args.patience}"]
    wrong, seen = [], collections.Counter()
    print(f"{'suite':44} cases passed skipped failed seconds")
    with Simulator(args.roci, "unit-tests", ["--engine", args.engine, *width, *options]) as sim:
        for program in programs:
            run = Run(sim, program, words, args.seconds)
            listed = subprocess.run(run.command("--gtest_list_tests"), stdout=subprocess.PIPE,
                                    check=True, text=True).stdout
            for suite, names in cases_of(listed).items():
                if not fnmatch.fnmatch(suite, args.only):
                    names = [n for n in names if fnmatch.fnmatch(f"{suite}.{n}", args.only)]
                    if not names:
                        continue
                    found = {}
                    start = time.monotonic()
                    for name in names:
                        found.update(run.suite(suite, [name]))
                else:
                    start = time.monotonic()
                    found = run.suite(suite, names)
                count = collections.Counter(result for result, *_ in found.values())
                seen += count
                print(f"{suite:44} {len(found):5} {count['passed']:6} {count['skipped']:7} "
                      f"{count['failed']:6} {time.monotonic() - start:7.1f}", flush=True)
                for name, (result, text, seconds) in found.items():
                    if args.show:
                        print(f"  {result:7} {seconds:8} {name}")
                    if result == "failed":
                        known = name in EXPLAINED
                        print(f"  {'explained' if known else 'FAILED'} {name}\n"
                              f"    {text[:1500]}".replace("\n", "\n    "), flush=True)
                        wrong += [] if known else [name]
    print(f"{sum(seen.values())} cases: {seen['passed']} passed, {seen['skipped']} skipped, "
          f"{seen['failed']} failed, {len(wrong)} of them without an explanation")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
