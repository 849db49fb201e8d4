#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast programs run on each engine; prints the table of docs/verbs.md.

usage: cost.py ROCI [--width N] [--megabytes N] [--rounds N] [--beside OTHER | --model]
               [--pairs N]

Both engines in one run, one after the other on the same machine. The time of ib_write_bw is that of
its transfer, by its own report: it spends more than a second to measure the processor's clock. Ends
with 1 when the model engine does not move 20 times the bytes per second of the RTL engine.

--beside compares with the program of another build instead, on the model: pairs of runs, and
medians of the processor time of the simulator in user mode. --model runs the model alone, so many
times, and prints the best, the median and the worst: other work on the machine decides about them.
"""
import os
import pathlib
import re
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

SECONDS = 1200
WANTED = 20
SIZE = 65536


def finish(pair):
    end = time.monotonic() + SECONDS
    results = [Simulator.finish(process, end) for process in pair]
    for status, text in results:
        assert status == 0, text
    return results[0][1]


def pingpong(simulator, rounds):
    """Seconds as ibv_rc_pingpong measures them, of messages of 4 KiB."""
    text = finish(simulator.start_pair(f"ibv_rc_pingpong -g 0 -s 4096 -n {rounds}", SECONDS))
    return float(re.search(rf"{rounds} iters in ([\d.]+) seconds", text).group(1))


def write(simulator, megabytes):
    """Seconds, of messages of 64 KiB."""
    count = megabytes * 2**20 // SIZE
    text = finish(simulator.start_pair(f"ib_write_bw -s {SIZE} -n {count}", SECONDS))
    average = re.search(rf"^ *{SIZE} +{count} +[\d.]+ +([\d.]+)", text, re.M).group(1)
    return megabytes / float(average)


def user_seconds(roci, what, amount):
    """Of a simulator on the model, without its start: what /proc counts in ticks of 10 ms."""
    def ticks(simulator):
        text = pathlib.Path(f"/proc/{simulator.status()['pid']}/stat").read_text()
        return int(text.rpartition(")")[2].split()[11])
    with Simulator(roci, "cost", ["--engine", "model"]) as simulator:
        start = ticks(simulator)
        what(simulator, amount)
        return (ticks(simulator) - start) / os.sysconf("SC_CLK_TCK")


def compare(args):
    """The same work by two programs, in turns."""
    print("| | this | other | ratio |\n|---|---:|---:|---:|")
    for text, what, amount in ((f"`ibv_rc_pingpong -s 4096 -n {args.rounds}`", pingpong,
                                args.rounds),
                               (f"`ib_write_bw -s {SIZE}`, {args.megabytes} MiB", write,
                                args.megabytes)):
        found = {args.roci: [], args.beside: []}
        for pair in range(args.pairs):
            for roci in sorted(found, reverse=pair % 2 == 1):
                found[roci].append(user_seconds(roci, what, amount))
        this, other = (statistics.median(found[roci]) for roci in (args.roci, args.beside))
        print(f"| {text} | {this:.3f} | {other:.3f} | {this / other:.3f} |", flush=True)
    return 0


def alone(args):
    """The model by itself, as programs report it."""
    found = []
    with Simulator(args.roci, "cost", ["--engine", "model"]) as simulator:
        for _ in range(args.pairs):
            found.append((1e6 * pingpong(simulator, args.rounds) / args.rounds,
                          args.megabytes / write(simulator, args.megabytes)))
    us, rates = (sorted(values) for values in zip(*found))
    print(f"| {args.pairs} runs of each | best | median | worst |\n|---|---:|---:|---:|")
    print(f"| `ibv_rc_pingpong -s 4096 -n {args.rounds}`, us an iteration | {us[0]:.1f} "
          f"| {statistics.median(us):.1f} | {us[-1]:.1f} |")
    print(f"| `ib_write_bw -s {SIZE}`, {args.megabytes} MiB, MB/s | {rates[-1]:.0f} "
          f"| {statistics.median(rates):.0f} | {rates[0]:.0f} |")
    return 0


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=1000)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--beside")
    choice.add_argument("--model", action="store_true")
    parser.add_argument("--pairs", type=int, default=11)
    args = parser.parse_args()
    if args.beside:
        return compare(args)
    if args.model:
        return alone(args)
    found = {}
    for engine in ("rtl", "model"):
        with Simulator(args.roci, "cost", ["--engine", engine, "--width",
                                                   args.width]) as simulator:
            clocks = simulator.status()["clocks"]
            start = processes.cpu_seconds(simulator.status()["pid"])
            found[engine] = [pingpong(simulator, args.rounds), write(simulator, args.megabytes),
                             0, simulator.status()["clocks"] - clocks]
            found[engine][2] = processes.cpu_seconds(simulator.status()["pid"]) - start
    ratio = found["rtl"][1] / found["model"][1]
    rows = [(f"`ibv_rc_pingpong -s 4096 -n {args.rounds}`, seconds", 0),
            (f"`ib_write_bw -s {SIZE}`, {args.megabytes} MiB, seconds", 1),
            ("processor time of the simulator for both, seconds", 2)]
    print(f"| | rtl, {args.width} bits | model | ratio |\n|---|---:|---:|---:|")
    for text, i in rows:
        rtl, model = found["rtl"][i], found["model"][i]
        print(f"| {text} | {rtl:.2f} | {model:.2f} | {rtl / model:.0f} |")
    print(f"clocks: rtl {found['rtl'][3]}, model {found['model'][3]}")
    if ratio < WANTED:
        print(f"the model moves {ratio:.1f} times the bytes per second, {WANTED} wanted")
    return 0 if ratio >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
