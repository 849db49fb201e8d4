#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults under live programs: runs the cases of live_faults.toml and of its tables, checks which
packets and processes faults hit, and gives scripts that are wrong.

usage: live_faults.py ROCI REQUESTS [--cm-events PROGRAM] [--engine E] [--width N] [--only TEXT]
                      [--without PROGRAM] [--step N] [--times N] [--jobs N] [--seed N]
                      [--report FILE] [UP OPTIONS]

--without ib_ leaves out perftest, whose programs measure the processor's clock for some 100 ms.
--step 3 takes every third line of each table. --times 100 runs each case so often, in an order that
comes from the seed, and --jobs is the number of simulators that do so at once. --report writes
the counts of each case (JSON). A case passes when its faults fired and the outputs of client
and server have their texts.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import live_fault_cases
import live_fault_checks
from live_fault_runs import Runner, Runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, begin, seeded_parser  # noqa: E402

SECONDS = 60
GOOD = '[[fault]]\naction = "drop"\nnode = "n0"\n'
# Text of a script -> line and words of the error.
WRONG = {
    'action = "drop"': (1, "tables [[fault]]"),
    "": (1, "1 to 1000 tables"),
    '[[fault]]\nnode = "n0"': (1, "'action' is missing"),
    '[[fault]]\naction = "lose"': (2, "'lose' is no action"),
    GOOD + 'colour = "red"': (4, "no field 'colour'"),
    GOOD + 'delay = "1us"': (4, "no field 'delay'"),
    '[[fault]]\naction = "drop"\nnode = "n7"': (3, "no node 'n7'"),
    '[[fault]]\naction = "drop"\npeer = "outside"': (3, "no outside"),
    GOOD + "nth = -3": (4, "'nth' must be a number from 1"),
    GOOD + "every = 0": (4, "'every' must be a number from 1"),
    GOOD + "nth = 2\nfrom = 1": (4, "'nth' stands alone"),
    GOOD + "from = 9\nto = 3": (1, "'from' 9 is after 'to' 3"),
    GOOD + "queue_pair = 77": (4, "no queue pair 77 exists"),
    GOOD + "process = 4194304": (4, "no process 4194304"),
    GOOD + 'opcode = "ack"\nposition = "middle"': (1, "no opcode fulfils"),
    GOOD + 'cm = "REQ"\nprogram = "rping"': (1, "belong to no process"),
    GOOD + 'opcode = "RcSendFrist"': (4, "no opcode 'RcSendFrist'"),
    GOOD + "psn_offset = 16777216": (4, "'psn_offset' must be"),
    GOOD + "message = 0": (4, "'message' must be a number from 1"),
    GOOD + 'cm = "REQ"\nmessage = 2': (1, "belong to no process"),
    GOOD + "name = 3": (4, "'name' must be a text"),
    '[[fault]]\naction = "mark_ecn"\nvalue = 3': (3, "no field 'value'"),
    '[[fault]]\naction = "stop_completions"\nopcode = "send"': (3, "no field 'opcode'"),
    '[[fault]]\naction = "stop_completions"\ncompletions = 1': (3, "must be a number from 2"),
    '[[fault]]\naction = "stop_completions"\ntime = "0s"': (3, "longer than 0"),
    '[[fault]]\naction = "stop_completions"\nqueue_pair = 1\nnth_queue_pair = 1': (1, "twice"),
    '[[fault]]\naction = "nak"\ncode = "rnr"\nopcode = "response"': (1, "a NAK responds"),
    '[[fault]]\naction = "nak"\ncode = "access"\ntimer = 3': (4, "'timer' is for the code rnr"),
    '[[fault]]\naction = "corrupt"\nfield = "colour"': (3, "no field 'colour' to corrupt"),
    '[[fault]]\naction = "corrupt"\nfield = "icrc"\nrepair = true': (4, "not corrupt"),
    '[[fault]]\naction = "delay"': (1, "'delay' is missing"),
    '[[fault]]\naction = "unplug"\ntime = "5 apples"': (3, "'time'"),
    '[[fault]]\naction = "fail_memory"\nopcode = "send"': (3, "no field 'opcode'"),
    GOOD + "\n[[fault]]\naction = drop": (6, ""),
}


def rejected(done, line, words, path):
    lines = done.stderr.splitlines()
    assert done.returncode == 2 and len(lines) == 1, (done.returncode, done.stderr)
    assert lines[0].startswith(f"roci: {path}:{line}: ") and words in lines[0], (lines, line, words)


def check_wrong(simulator):
    """Wrong scripts: one line that names file and line, and nothing is applied."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/F.toml"
        for text, (line, words) in WRONG.items():
            # A good fault before the wrong one must not be applied either.
            before = GOOD if text.startswith("[[fault]]") else ""
            pathlib.Path(path).write_text(before + text)
            done = subprocess.run([simulator.roci, "fault", "add", path, "--name", simulator.name],
                                  capture_output=True, text=True, check=False)
            rejected(done, line + before.count("\n"), words, path)
        assert json.loads(simulator.command("fault", "list", "--json")) == []
        done = subprocess.run([simulator.roci, "up", "--name", f"{simulator.name}-wrong",
                               "--engine", "model", "--faults", path],
                              capture_output=True, text=True, check=False)
        rejected(done, 9, "", path)


def check_silent(simulator):
    """A fault that never fired is reported by status and down."""
    simulator.command("fault", "add", "action=drop", "name=quiet", "node=n1", "cm=DREP")
    words = "fault 'quiet'"
    text = simulator.command("status")
    assert "'quiet' (arguments:1, drop) never fired" in text, (words, text)
    text = simulator.command("down")
    assert "'quiet' (arguments:1, drop) never fired" in text, (words, text)
    simulator.command("up", *simulator.options)


def check_exact(roci, options, requests):
    """Each run hits the same packet; the capture has the fault and its NAK."""
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder) / "run.pcapng"
        with Simulator(roci, "exact", [*options, "--pcap", str(capture)]) as simulator:
            for action in ("action=drop", "action=nak code=rnr timer=1") * 2:
                simulator.command("fault", "add", *action.split(), "node=n1", "program=requests",
                                  "nth_queue_pair=1", "psn_offset=4", "nth=1")
                process, server = simulator.start_pair(requests)
                status, text = simulator.finish(process, time.monotonic() + SECONDS)
                simulator.finish(server, time.monotonic() + SECONDS)
                assert status == 0, text
                fault, = json.loads(simulator.command("fault", "list", "--json"))
                assert fault["fired"] == 1, fault
                # 3000 bytes are three packets: the second message begins at 3.
                entry = fault["log"][0]
                assert (entry["opcode"], entry["psn"], entry["from"]) == \
                    ("RcSendMiddle", 0x1004, "n1"), entry
                simulator.command("fault", "clear")
        frames = capture.read_bytes()
        for comment in (b"fault 1: lost", b"fault 2: lost", b"fault 2: RNR NAK, timer 1",
                        b"fault 3: lost", b"fault 4: RNR NAK, timer 1"):
            assert frames.count(comment) == 1, (comment, frames.count(comment))
        processes.run(sys.executable, str(ROOT / "testbench/tools/rocitest/check_pcap.py"),
                      str(capture))


def check_properties(args, options, requests):
    """What needs more than the output of a program."""
    with Simulator(args.roci, "faults", options) as simulator:
        check_wrong(simulator)
        check_silent(simulator)
        check_exact(args.roci, options, requests)
        live_fault_checks.check_msn(args.roci, options, requests)
        live_fault_checks.check_processes(simulator, requests)
        live_fault_checks.check_numbers(simulator, requests)
        live_fault_checks.check_marks(args.roci, options)


def commit():
    return processes.run("git", "-C", str(ROOT), "describe", "--always", "--dirty").stdout.strip()


def engine_name(args):
    return args.engine if args.engine == "model" else f"{args.engine}, {args.width} bits"


def write_report(path, args, runs, at):
    """Counts by case, for docs/measured; `at` is the commit."""
    result = json.loads(path.read_text()) if path.exists() else {}
    result[engine_name(args)] = {
        "commit": at, "seed": args.seed, "times": args.times,
        "headings": ["shows", "program and fault", "runs", "passed", "seconds"],
        "rows": list(runs.rows())}
    text = []
    for name, entry in result.items():
        rows = ",\n    ".join(json.dumps(row) for row in entry["rows"])
        head = json.dumps({key: value for key, value in entry.items() if key != "rows"})
        text.append(f'  "{name}": {head[:-1]},\n   "rows": [\n    {rows}]}}')
    path.write_text("{\n" + ",\n".join(text) + "\n}\n")


def main():
    parser = seeded_parser(__doc__)
    parser.add_argument("requests")
    parser.add_argument("--cm-events", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--without", default="none")
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--report", type=pathlib.Path)
    args, options = begin(parser)
    requests = os.path.abspath(args.requests)
    programs = {"requests": requests}
    if args.cm_events:
        programs["cm_events"] = os.path.abspath(args.cm_events)
    cases = [case for case in live_fault_cases.all_cases(args.step)
             if args.only in case["shows"] + case["why"] + case["script"]
             and case.get("engine", args.engine) == args.engine
             and (args.cm_events or not case["program"].startswith("cm_events"))
             and not (case.get("slow") and args.step > 1)
             and not case["program"].startswith(args.without)]
    if not args.only:
        check_properties(args, options, requests)
    runs = Runs(cases, args.times, args.seed)
    at = commit()
    try:
        runs.run([Runner(args.roci, options, programs) for _ in range(args.jobs)])
    finally:
        if args.report:
            write_report(args.report, args, runs, at)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = runs.seconds + used.ru_utime + used.ru_stime
    done, bad = sum(runs.counts.values()), sum(runs.failed.values())
    print(f"{engine_name(args)}, commit {at}: {len(cases)} cases, {done} runs, {bad} failed, "
          f"{seconds:.0f} s of processor time")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
