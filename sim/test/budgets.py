#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the performance budgets, all in simulated clocks, so that no test depends on the machine.

usage: budgets.py ROCI
"""
import json
import subprocess
import sys
import tempfile

GOODPUT_SHARE = 0.95        # of the bound of the wire, 64 KiB messages
CLOCKS_PER_SMALL_WRITE = 8  # 64 bytes, many queue pairs
LATENCY_CLOCKS = 64         # doorbell to wire, wire to memory
LOSS_SHARE = 0.95           # of (1-p)/(1+pW) at 1%


def bench(roci, part):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([roci, "bench", "--quick", "--only", part, "--json", out.name], check=True)
        return json.load(open(out.name))[part]


def main():
    roci = sys.argv[1]
    wrong = []
    for row in bench(roci, "goodput"):
        if row["gbps"] < GOODPUT_SHARE * row["bound_gbps"]:
            wrong.append(f"goodput {row['op']} MTU {row['mtu']}: {row['gbps']:.1f} Gb/s")
    for row in bench(roci, "rate"):
        if row["bytes"] == 64 and row["clocks_per_message"] > CLOCKS_PER_SMALL_WRITE:
            wrong.append(f"64-byte WRITE: {row['clocks_per_message']:.2f} clocks")
    latency = bench(roci, "latency")
    for name in ("doorbell_to_wire_clocks", "wire_to_memory_clocks"):
        if latency[name] > LATENCY_CLOCKS:
            wrong.append(f"{name}: {latency[name]:.1f}")
    for row in bench(roci, "loss"):
        if row["gbps"] < LOSS_SHARE * row["bound_gbps"]:
            wrong.append(f"loss {row['loss']} MTU {row['mtu']}: {row['gbps']:.1f} Gb/s")
    print("\n".join(wrong) or "all budgets hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
