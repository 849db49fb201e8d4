#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of stock perftest in simulated time beside those of `roci bench`, and ten runs of each
program, which print the same digits. It takes many minutes.

usage: simulated_figures.py ROCI [--only PART] [--write]

The mean of the differences must be below 5%, the largest below 10%. PART is bandwidth, latency or
repeated. --write writes docs/measured/simulated_bandwidth.json and simulated_latency.json.
"""
import pathlib
import statistics
import sys

import budgets
import measure
import simulated_time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

MEAN, LARGEST = 0.05, 0.10


class Comparison:
    """Figures of perftest beside those of `roci bench`."""

    def __init__(self, unit):
        self.unit, self.rows, self.errors = unit, [], []
        self.headings = ["operation", "MTU", "bytes", f"bench, {unit}", f"perftest, {unit}",
                         "difference, %"]

    def add(self, operation, mtu, size, expected, found):
        error = found / expected - 1
        self.errors.append(abs(error))
        self.rows.append([operation, mtu, size, round(expected, 2), round(found, 2),
                          round(100 * error, 1)])
        print(*self.rows[-1], sep="\t", flush=True)

    def judge(self):
        mean, largest = statistics.mean(self.errors), max(self.errors)
        for text, error in (("mean of the differences", mean), ("largest difference", largest)):
            self.rows.append([text, "", "", "", "", round(100 * error, 1)])
            print(f"{self.unit}: {text} {100 * error:.1f}%", flush=True)
        assert mean < MEAN and largest < LARGEST, (mean, largest)
        return self


def check_sizes(roci):
    """All sizes and operations, at two path MTUs."""
    found = Comparison("Gb/s")
    for mtu in "1024", "4096":
        rows = budgets.bench(roci, "sizes", "--mtu", mtu, "--largest", str(1 << 20))
        with Simulator(roci, "sizes", simulated_time.WIRE) as simulator:
            for row in rows:
                size, pairs = row["bytes"], row["qps"]
                if pairs == 8:
                    count, depth = max(32, min(256, (2 << 20) // size // pairs)), 16
                else:
                    count, depth = row["messages"], 4
                here = simulated_time.goodput(simulator, row["op"], size, row["mtu"], count,
                                              pairs, depth)
                found.add(row["op"].upper(), row["mtu"], size, row["gbps"], here)
    return found.judge()


def check_latencies(roci):
    """The latency programs; -I 0: the payload is read from memory, as `roci bench` has it."""
    programs = {"write": "ib_write_lat -I 0", "send": "ib_send_lat -I 0", "read": "ib_read_lat",
                "fetch and add": "ib_atomic_lat -A FETCH_AND_ADD"}
    found = Comparison("us")
    for mtu in "1024", "4096":
        rows = budgets.bench(roci, "latency", "--mtu", mtu)["programs"]
        with Simulator(roci, "latencies", simulated_time.WIRE) as simulator:
            for row in rows:
                words = f"-m {mtu}" + (f" -s {row['bytes']}" if row["bytes"] != 8 else "")
                here = simulated_time.latency(simulator, programs[row["op"].lower()], words, 20)
                name = row["op"].upper() if row["bytes"] != 8 else row["op"]
                found.add(name, mtu, row["bytes"], row["us"], here)
    return found.judge()


def check_repeated(roci):
    """Ten runs of each program, five of them beside two busy processes: the whole row of results
    has the same digits."""
    lines = [f"ib_{name}_bw {simulated_time.BENCH.format(pairs=8, depth=16)} -s 4096 -m 1024 -n 32"
             for name in ("write", "send", "read")] + [
        f"ib_{name}_lat -F -n 40" + ("" if name == "atomic" else " -s 64")
        for name in ("write", "send", "read", "atomic")]
    with Simulator(roci, "repeated", simulated_time.WIRE) as simulator:
        for line in lines:
            runs = [tuple(simulated_time.perftest(simulator, line)) for _ in range(5)]
            with simulated_time.Load():
                runs += [tuple(simulated_time.perftest(simulator, line)) for _ in range(5)]
            print(f"{line}: {runs[0]}", flush=True)
            assert len(set(runs)) == 1, runs
    print(f"ten runs of {len(lines)} programs: the same digits", flush=True)


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--only", choices=("bandwidth", "latency", "repeated"))
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    for part, check in (("latency", check_latencies), ("bandwidth", check_sizes)):
        if args.only in (None, part):
            found = check(args.roci)
            if args.write:
                measure.write(f"simulated_{part}", "simulated_figures.py ROCI --write",
                              found.headings, found.rows)
    if args.only in (None, "repeated"):
        check_repeated(args.roci)


if __name__ == "__main__":
    sys.exit(main())
