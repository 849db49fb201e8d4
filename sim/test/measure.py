#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the figures of docs/performance.md and docs/operation_timings.md, and writes them to
docs/measured; the target write_docs then brings the pages up to date.

usage: measure.py ROCI [PART...]
parts: figures, sizes, services, loss, operations, narrow; default: all
`loss` takes 11 minutes of processor time, the others together about four.
"""
import json
import pathlib
import subprocess
import sys

import budgets

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = ROOT / "docs/measured"


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True,
                          text=True).stdout.strip()


def write(name, command, headings, rows):
    commit = git("rev-parse", "--short", "HEAD")
    if git("status", "--porcelain", "--untracked-files=no", "--", "rtl", "sim", "testbench",
           "driver", "firmware", "model"):
        sys.exit("commit the sources first: a figure names the commit that it was measured on")
    lines = ",\n    ".join(json.dumps(row) for row in rows)
    MEASURED.mkdir(exist_ok=True)
    (MEASURED / f"{name}.json").write_text(
        f'{{\n  "commit": "{commit}",\n  "command": "{command}",\n'
        f'  "headings": {json.dumps(headings)},\n  "rows": [\n    {lines}\n  ]\n}}\n')


def figures(roci, name="figures", width="512"):
    rows = []
    for figure, value, budget in budgets.figures(roci, "--width", width):
        kind, limit = budget or ("", 0)
        # The budgets in clocks are for 512 bits: at 64 the link itself is slower.
        held = budget and (width == "512" or kind == "at least")
        rows.append([figure, round(value, 2), f"{kind} {limit:.2f}" if held else "none"])
    if width == "512":
        for mtu, gbps, formula in budgets.goodput_at_loss(roci):
            rows.append([f"WRITE of 64 KiB, MTU {mtu}, 1% loss, Gb/s", round(gbps, 2),
                         f"at least {budgets.LOSS_SHARE * formula:.2f}"])
    write(name, f"roci bench --width {width}", ["figure", "measured", "budget"], rows)


def sizes(roci):
    table = {}
    for row in budgets.bench(roci, "sizes"):
        table.setdefault(row["bytes"], {})[row["op"]] = row["gbps"]
    rows = [[size] + [round(table[size][op], 1) for op in ("write", "send", "read")]
            for size in sorted(table)]
    write("sizes", "roci bench --only sizes", ["bytes", "WRITE", "SEND", "READ"], rows)


def services(roci):
    rows = [[row["service"], row["qps"], round(row["clocks_per_message"], 2),
             round(row["bound_clocks"], 2), row["undelivered"]]
            for row in budgets.bench(roci, "services")]
    write("services", "roci bench --only services",
          ["service", "queue pairs", "clocks", "on the link", "not delivered"], rows)


def loss(roci):
    rows = [[row["mtu"], f"{100 * row['loss']:g}%", f"{row['gbps_min']:.2f}",
             f"{row['gbps_median']:.2f}", f"{row['gbps_max']:.2f}",
             f"{row['formula_median_gbps']:.2f}",
             f"{100 * row['share_min']:.1f} to {100 * row['share_max']:.1f}%"]
            for row in spread(roci)]
    write("loss", "roci bench --only loss --seeds 20",
          ["MTU", "loss", "min", "median", "max", "formula", "of the formula"], rows)


def spread(roci):
    out = MEASURED / "spread.tmp"
    subprocess.run([roci, "bench", "--only", "loss", "--seeds", "20", "--json", out], check=True)
    rows = json.loads(out.read_text())["spread"]
    out.unlink()
    return rows


def operations(roci):
    for width in ("64", "512"):
        rows = [[row["operation"], row["bytes"], round(row["post_to_completion_clocks"]),
                 round(row["stream_clocks"], 2)]
                for row in budgets.bench(roci, "operations", "--width", width)]
        write(f"operations_{width}", f"roci bench --only operations --width {width}",
              ["operation", "bytes", "post to completion", "in a stream"], rows)


def main():
    parts = {"figures": figures, "sizes": sizes, "services": services, "loss": loss,
             "operations": operations,
             "narrow": lambda roci: figures(roci, "figures_64", "64")}
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(parts):
        sys.exit(__doc__)
    for part in sys.argv[2:] or parts:
        parts[part](sys.argv[1])


if __name__ == "__main__":
    main()
