#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Debian's own verbs programs on two nodes of a simulator in the background.

usage: stock.py ROCI [--engine E] [--width N] [--list NAME] [--only TEXT] [--at-once N]
                [UP OPTIONS...]

The lists are in programs.py. All programs of a line must end with exit status 0 within the time;
the programs verify the data themselves. Options that are not known here go to `roci up`:
--loss 1% --reorder 1%.
"""
import pathlib
import sys
import time

import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402


def run_alone(simulator):
    """Returns how many of the programs without a partner failed."""
    bad = 0
    for line, wanted in programs.ALONE:
        for node in ("n0", "n1"):
            status, text = simulator.run(node, line)
            good = status == 0 and wanted in text
            bad += not good
            print(f"{'ok  ' if good else 'FAIL'}          {line}, on {node}", flush=True)
            if not good:
                print(text[-1000:], flush=True)
    return bad


def run_watched(simulator, wanted):
    """ibv_asyncwatch prints events of the port; it never ends by itself and is killed."""
    watch = simulator.start("n1", "ibv_asyncwatch -d roci0")
    try:
        simulator.first_line(watch)  # it has opened the device
        simulator.command("link", "n1", "down")
        simulator.command("link", "n1", "up")
        seen = [watch.stdout.readline() for _ in wanted]
    finally:
        watch.kill()
        watch.wait()
    good = all(text in line for text, line in zip(wanted, seen))
    print(f"{'ok  ' if good else 'FAIL'}          ibv_asyncwatch: {seen}", flush=True)
    return 0 if good else 1


def run_line(simulator, line, seconds):
    start = time.monotonic()
    pairs = [simulator.start_pair(part, seconds) for part in line.split(" & ")]
    results = [simulator.finish(process, start + seconds) for pair in pairs for process in pair]
    good = all(status == 0 for status, _ in results)
    print(f"{'ok  ' if good else 'FAIL'} {time.monotonic() - start:6.1f} s  {line}", flush=True)
    for i, (status, text) in enumerate(results if not good else []):
        print(f"  {'client' if i % 2 == 0 else 'server'}, exit {status}:\n{text[-600:]}",
              flush=True)
    return not good


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--list", choices=programs.LISTS, default="quick")
    parser.add_argument("--only", default="", help="lines with this text")
    parser.add_argument("--at-once", type=int, default=1, help="lines that run at the same time")
    parser.add_argument("--seconds", type=int, default=120, help="for one line")
    args, options = parser.parse_known_args()
    lines = [line for line in programs.LISTS[args.list] if args.only in line]
    lines = [" & ".join(lines[i:i + args.at_once]) for i in range(0, len(lines), args.at_once)]
    bad = 0
    with Simulator(args.roci, "stock", ["--engine", args.engine, "--width", args.width,
                                                *options]) as simulator:
        if args.list in ("quick", "pingpong", "all") and not args.only:
            bad += run_alone(simulator)
            bad += run_watched(simulator, ("PORT_ERR", "PORT_ACTIVE"))
        before = simulator.holdings()
        good = sum(not run_line(simulator, line, args.seconds) for line in lines)
        try:
            processes.until(lambda: simulator.holdings() == before, "")
        except AssertionError:
            print(f"FAIL: not destroyed: {simulator.holdings()}, before {before}")
            bad += 1
        status = simulator.status()
    print(f"{good} of {len(lines)} lines succeeded; {status['simulated_ns'] / 1e9:.3f} s simulated,"
          f" {status['clocks']} clocks")
    return 1 if bad or good < len(lines) or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
