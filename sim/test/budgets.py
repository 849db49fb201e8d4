#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the performance budgets and the published figures. All figures are simulated, so the result
does not depend on the machine.

usage: budgets.py ROCI [FIGURES]
FIGURES: docs/measured/figures.json; a figure measured here may differ from it by TOLERANCE
"""
import json
import subprocess
import sys
import tempfile

GOODPUT_SHARE = 0.95        # share of the bound of the link, 64 KiB messages
CLOCKS_PER_SMALL_WRITE = 3.6  # 64 bytes, many queue pairs
LATENCY_CLOCKS = 64         # doorbell to link, link to memory
COMPLETION_US = 2.80         # post to completion, 64 bytes inline, memory at 400 ns each way
POSTED_US = 2.10             # the same, the work request with its doorbell
LOSS_SHARE = 0.95           # share of (1-p)/(1+pW) at 1%
# How far a quick run, which has fewer messages, may be from the published figure.
TOLERANCE = {"Gb/s": 0.01, "clocks": 0.10, "us": 0.02}


def bench(roci, part, *options):
    """The rows of `roci bench --only part`."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([roci, "bench", *options, "--only", part, "--json", out.name], check=True)
        return json.load(open(out.name))[part]


def figures(roci, *options):
    """Name, measured value and budget of each figure; a budget is ("at least" or "at most", value).
    Goodput is in Gb/s, the rest in clocks of 4 ns."""
    for row in bench(roci, "goodput", *options):
        ways = "both ways" if row["both_ways"] else "one way"
        yield (f"{row['op'].upper()} of 64 KiB, MTU {row['mtu']}, {ways}, Gb/s", row["gbps"],
               ("at least", GOODPUT_SHARE * row["bound_gbps"]))
    # Never quick: with fewer messages, the queues inside the adapter do not fill.
    for row in bench(roci, "rate", *(word for word in options if word != "--quick")):
        if row["bytes"] == 64:
            yield ("WRITE of 64 bytes, 64 queue pairs, clocks", row["clocks_per_message"],
                   ("at most", CLOCKS_PER_SMALL_WRITE))
    latency = bench(roci, "latency", *options)
    yield ("doorbell to first beat on the link, 64 bytes inline, clocks",
           latency["doorbell_to_wire_clocks"], ("at most", LATENCY_CLOCKS))
    yield ("last beat received to first beat written, clocks",
           latency["wire_to_memory_clocks"], ("at most", LATENCY_CLOCKS))
    yield ("post to completion, WRITE of 64 bytes inline, us", latency["post_to_completion_us"],
           ("at most", COMPLETION_US))
    yield ("post to completion, the same with its doorbell, us", latency["posted_to_completion_us"],
           ("at most", POSTED_US))


def goodput_at_loss(roci, *options):
    """Rows of 1% loss; a short run meets few losses, so only the share of the formula is held."""
    for row in bench(roci, "loss", *options):
        if row["loss"] == 0.01:
            yield row["mtu"], row["gbps"], row["bound_gbps"]


def violations(roci, published):
    for name, value, budget in figures(roci, "--quick"):
        kind, limit = budget or ("", 0)
        if (kind == "at least" and value < limit) or (kind == "at most" and value > limit):
            yield f"{name}: {value:.2f}, the budget is {kind} {limit:.2f}"
        tolerance = TOLERANCE[name.rsplit(", ", 1)[1]]
        if name in published and abs(value / published[name] - 1) > tolerance:
            yield (f"{name}: {value:.2f}, docs/performance.md says {published[name]:.2f}: "
                   "run sim/test/measure.py")
    for mtu, gbps, formula in goodput_at_loss(roci, "--quick"):
        if gbps < LOSS_SHARE * formula:
            yield f"1% loss, MTU {mtu}: {gbps:.2f} Gb/s, the budget is {LOSS_SHARE * formula:.2f}"


def main():
    roci = sys.argv[1]
    published = {}
    if len(sys.argv) > 2:
        rows = json.load(open(sys.argv[2]))["rows"]
        published = {row[0]: row[1] for row in rows}
    wrong = list(violations(roci, published))
    print("\n".join(wrong) or "all budgets hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
