#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges Linux Soft-RoCE, in the guest of testbench/verify/interop, by `roci conform --target`.

usage: rxe.py --roci PROGRAM --cache DIR [--out DIR] [--report PAGE] [--id PATTERN ...]

The guest is started again when a test crashes its kernel, and the run goes on after that test. With
--report the verdicts go into a page, between its two marks. Exit status 0: the run is complete,
whatever the verdicts; 2: it is not.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT))
from testbench.verify.interop import image, machine  # noqa: E402

AGENT_PORT = 7471
MOST_GUESTS = 12
LOOP_SECONDS = 3  # half of what the kernel calls a soft lockup
BEGIN, END = "<!-- verdicts -->", "<!-- end of verdicts -->"
MOST_TEXT = 300  # characters of what was seen


def start_guest(options, wire, number):
    """A guest at 10.0.0.1, the address of the captured exchanges, with an agent."""
    guest = machine.Guest(options.cache, options.out / f"guest{number}", wire[1], wire[0],
                          forward=[AGENT_PORT], host=1)
    # A kernel that loops says so before the agent is given up.
    guest.check(f"echo {LOOP_SECONDS} >/proc/sys/kernel/watchdog_thresh")
    guest.check(f"agent 0.0.0.0:{AGENT_PORT} >/tmp/agent.log 2>&1 & "
                "while ! grep -q listening /tmp/agent.log; do sleep 0.1; done")
    return guest


def crash_of(folder):
    """The line of the guest's console that has the reason of a crash, and where it was."""
    lines = (folder / "console.log").read_text(errors="replace").splitlines()
    for word in ("BUG:", "Oops", "Kernel panic", "general protection"):
        for at, line in enumerate(lines):
            if word in line:
                where = next((re.search(r"RIP: \w+:(\w+)", one) for one in lines[at:]
                              if re.search(r"RIP: \w+:\w+\+", one)), None)
                return ((line.partition("] ")[2] or line) +
                        (f", in {where[1]}" if where else ""))
    return ""


def run(options):
    """The report of all tests, and (title, reason) of those that crashed the guest."""
    report, crashes, release = options.out / "report.json", [], ""
    report.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="roci-rxe-") as sockets:
        reports = ["--json", report, "--junit", options.out / "report.xml", "--html",
                   options.out / "report.html", "--failures", options.out / "failures"]
        for number in range(MOST_GUESTS):
            wire = [f"{sockets}/{end}{number}" for end in ("peer", "guest")]
            guest = start_guest(options, wire, number)
            release = guest.release
            with guest:
                command = [options.roci, "conform", "--target",
                           f"127.0.0.1:{guest.ports[AGENT_PORT]}", "--wire",
                           f"dgram:{wire[0]},{wire[1]}", *reports]
                if report.exists():
                    command += ["--resume", report]
                for pattern in options.id:
                    command += ["--id", pattern]
                with open(options.out / f"run{number}.txt", "w") as output:
                    done = subprocess.run(command, stdout=output, check=False)
            found = json.loads(report.read_text()) if report.exists() else {}
            if done.returncode in (0, 1):
                return found, crashes, release
            if not found.get("tests"):
                raise machine.GuestError(f"no test ran, see {options.out}/run{number}.txt")
            crash = crash_of(options.out / f"guest{number}")
            reason = f"the kernel of the guest crashed: {crash}" if crash else found["lost"]
            # The test in which the guest ended is the last one, unless it ended between two.
            if found["tests"][-1].get("seen") == found["lost"]:
                crashes.append((len(found["tests"]) - 1, reason))
            print(f"guest {number} ended after {len(found['tests'])} tests: {reason}", flush=True)
    raise machine.GuestError(f"more than {MOST_GUESTS} guests ended")


def cell(text):
    text = " ".join(str(text).split())
    text = text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + " ..."
    return text.replace("|", "\\|")


def page_of(found, crashes, release):
    """The lines of the page between its marks."""
    statements, tests = found["statements"], found["tests"]
    for index, reason in crashes:
        tests[index]["seen"] = reason
    counts = {word: sum(s["verdict"] == word for s in statements)
              for word in ("pass", "FAIL", "undecided", "not testable here")}
    lines = [f"Linux {release}, `{found['target']}`: {counts['pass']} statements hold, "
             f"{counts['FAIL']} do not, {counts['undecided']} are undecided, "
             f"{counts['not testable here']} are not testable here; "
             f"{sum(t['verdict'] == 'pass' for t in tests)} of "
             f"{sum(t['verdict'] != 'not testable here' for t in tests)} tests pass.", "",
             "| statement | | verdict |", "|---|---|---|"]
    for one in statements:
        if one["verdict"] == "-":
            continue
        why = f": {one['reason']}" if "reason" in one else ""
        lines.append(f"| {one['id']} | {cell(one['statement'])} | {one['verdict']}{cell(why)} |")
    lines += ["", "## Deviations", "", "| statements | test | expected | seen |",
              "|---|---|---|---|"]
    for test in tests:
        if test["verdict"] == "FAIL":
            lines.append(f"| {' '.join(test['ids'])} | {cell(test['title'])} "
                         f"| {cell(test['expected'])} | {cell(test['seen'])} |")
    return lines


def causes_missing(found, text):
    """Statements that fail without a row in the page's table of causes, and rows of others."""
    failed = {one["id"] for one in found["statements"] if one["verdict"] == "FAIL"}
    rows = re.findall(r"^\| ([A-Z]+-\d+[^|]*)\| `", text, re.MULTILINE)
    explained = {name for row in rows for name in re.findall(r"[A-Z]+-\d+", row)}
    yield from (f"{one}: no cause on the page" for one in sorted(failed - explained))
    yield from (f"{one}: a cause on the page, but no failure" for one in sorted(explained - failed))


def main():
    parser = argparse.ArgumentParser(description="Soft-RoCE under the conformance tests")
    parser.add_argument("--roci", required=True, help="the program")
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder of the guest")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("roci-rxe"),
                        help="folder for reports and consoles [roci-rxe]")
    parser.add_argument("--report", type=pathlib.Path, help="page to write the verdicts into")
    parser.add_argument("--id", action="append", default=[], help="only tests of these statements")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.cache = options.cache.resolve()
    try:
        found, crashes, release = run(options)
        lines = page_of(found, crashes, release)
        if options.report:
            head, rest = options.report.read_text().split(BEGIN, 1)
            rest = rest.split(END, 1)[1]
            for line in causes_missing(found, head):
                print(line)
            options.report.write_text("\n".join([head + BEGIN, *lines, END + rest]))
        print(lines[0])
        return 0
    except (image.Missing, machine.GuestError, OSError, ValueError) as error:
        print(f"rxe.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
