#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages of 64 KiB fill the link of an adapter of each of the named widths: its buffers hold what
a round trip of memory needs. All figures are simulated.

usage: widths.py ROCI WIDTH...
"""
import json
import subprocess
import sys
import tempfile

SHARE = 0.98  # least share of the bound that headers and gaps leave


def main():
    roci, *widths = sys.argv[1:]
    if not widths:
        sys.exit(__doc__)
    slow = []
    for width in widths:
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            subprocess.run([roci, "bench", "--width", width, "--only", "goodput", "--quick",
                            "--json", out.name], check=True)
            rows = json.load(open(out.name))["goodput"]
        slow += [f"{width} bits: {row['op']}, MTU {row['mtu']}, "
                 f"{'both ways' if row['both_ways'] else 'one way'}: {row['gbps']:.2f} Gb/s of "
                 f"{row['bound_gbps']:.2f}" for row in rows
                 if row["gbps"] < SHARE * row["bound_gbps"]]
    print("\n".join(slow) or "each row reaches its share of the bound")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
