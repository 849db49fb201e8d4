#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Longest paths and sizes of RTL blocks, from the netlist that Yosys maps for UltraScale+.

usage: timing.py [BLOCK...] [--width 64|128|256|512] [--qps N] [--budget NS] [--paths N]
       timing.py --check [BLOCK...]                    the test synthesis.timing
       timing.py --update [BLOCK...] [--accept-worse] [--earlier-models]

BLOCK is a block's name, such as rx_parse or rq; without one, all are meant. Each block is
synthesized by itself and flat, so paths between two blocks are not seen; the tops rx, tx, sq, rq,
dma and control hold the paths between their own blocks. The delay model is that of paths.py.

Without an option, prints for each block: the most LUT levels of any path, the slowest path in ns,
the number of path ends that miss the budget (4.0 ns, 250 MHz), LUTs of logic and of memory, and the
slowest paths with their source.

--check compares with the table docs/measured/timing.json. A row is measured anew only when the
code of its block has changed, the rows that took longest not at all (SECONDS in all); one small
block is always measured. Exit status 1 when a block got worse, or when a row is not of the sources.
--update measures the rows whose code has changed, writes the table and the pages that show it. A
row that got worse stays as it was, with exit status 1, unless --accept-worse is given. Rows of an
earlier delay model stay as long as the code is the same, unless --earlier-models is given.
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import blocks, measure, paths, table  # noqa: E402

TABLE = ROOT / "docs/measured/timing.json"
PAGES = ROOT / "testbench/tools/docs/generate.py"
ANCHOR = ("fifo", 0) # the row that is measured in each run of the check
SECONDS = 75        # what --check spends on changed rows, by the seconds that the table gives them
UPDATE = "rtl/syn/timing.py --update"


def report(name, width, meter, budget, count):
    row, netlist = meter.measure(name, width)
    ends = netlist.ends_by_delay()
    over = sum(ns > budget for ns, *_ in ends)
    print(f"{name}: {row['levels']} LUT levels, {row['ns']:.2f} ns, {over} of {len(ends)} path "
          f"ends over {budget} ns, {row['LUT']} + {row['LUTRAM']} LUT, {row['FF']} FF, "
          f"{row['BRAM36'] + row['BRAM18'] / 2:g} BRAM36")
    for path in measure.slowest(netlist, ends, count):
        print(f"  {path.ns:.2f} ns, {path.levels} levels: {path.start} -> {path.end}")
        for net, source in path.through:
            print(f"    {net} {paths.short(source)}")


def check(meter, rows, names, seconds=SECONDS, anchor=ANCHOR):
    """What is wrong with the table, a line for each."""
    wanted = list(table.keys(names))
    if not names:
        labels = {table.label(*key) for key in table.keys()}
        for label in sorted(set(rows) - labels):
            yield f"{label}: there is no such block; run {UPDATE}"
        row = anchor and rows.get(table.label(*anchor))
        if row and row["sources"] == meter.digest(*anchor):
            new = meter.measure(*anchor)[0]
            if table.differences(row, new) != table.differences(row, row):
                yield (f"{table.label(*anchor)}: the same sources have other figures, "
                       f"{table.differences(row, new)}: the tool, the delay model (raise MODEL in "
                       f"paths.py) or the table was changed; run {UPDATE}")
    changed = [key for key in wanted if table.label(*key) not in rows
               or not meter.is_of_sources(rows[table.label(*key)], *key)]
    cost = {key: 0 if meter.known(*key) else rows.get(table.label(*key), {}).get("seconds", 20)
            for key in changed}
    for key in sorted(changed, key=cost.get):
        label, old = table.label(*key), rows.get(table.label(*key))
        seconds -= cost[key]
        if seconds < 0:
            yield (f"{label}: its sources have changed; not measured here, as that takes about "
                   f"{cost[key]} s: run {UPDATE}")
            continue
        new = meter.row(*key)
        if old is None:
            yield f"{label}: not in the table; run {UPDATE}"
            continue
        word, figures = table.verdict(old, new)
        if word == "worse":
            yield f"{label}: worse: {figures}; the slowest path:\n    " + "\n    ".join(new["path"])
        else:
            yield f"{label}: its sources have changed, {word} ({figures}): run {UPDATE}"


def update(meter, path, names, accept, earlier=False):
    """Measures what has changed and writes the table; the labels of rows that got worse."""
    rows, bad = table.read(path), []
    if not names:
        labels = {table.label(*key) for key in table.keys()}
        rows = {label: row for label, row in rows.items() if label in labels}
    for key in table.keys(names):
        label = table.label(*key)
        old = rows.get(label)
        if old and meter.is_of_sources(old, *key) and not (
                earlier and old.get("model", 1) != paths.MODEL):
            continue
        new = meter.row(*key)
        word, figures = table.verdict(old, new) if old else ("new", f"{new['levels']} levels, "
                                                                    f"{new['ns']} ns")
        print(f"{label}: {word}: {figures}", flush=True)
        if word == "worse" and not accept:
            bad.append(label)
            continue
        rows[label] = new
        table.write(path, rows, meter.tool)
    table.write(path, rows, meter.tool)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("blocks", nargs="*", metavar="BLOCK")
    parser.add_argument("--width", type=int, default=512, choices=[64, 128, 256, 512])
    parser.add_argument("--qps", type=int, default=measure.QPS)
    parser.add_argument("--budget", type=float, default=measure.BUDGET_NS)
    parser.add_argument("--paths", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--accept-worse", action="store_true")
    parser.add_argument("--earlier-models", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/syn",
                        help="keeps measurements in DIR/measured")
    args = parser.parse_args()
    unknown = set(args.blocks) - set(blocks.blocks())
    if unknown:
        parser.error(f"no block {', '.join(sorted(unknown))}; "
                     f"there are {' '.join(blocks.blocks())}")
    meter = measure.Meter(args.build / "measured", args.qps)
    if args.check:
        found = list(check(meter, table.read(TABLE), args.blocks))
        print("\n".join(found) or f"{TABLE.name} is of these sources; measured: "
              f"{table.label(*ANCHOR)}")
        return 1 if found else 0
    if args.update:
        bad = update(meter, TABLE, args.blocks, args.accept_worse, args.earlier_models)
        subprocess.run([sys.executable, str(PAGES)], check=True)
        for label in bad:
            print(f"{label}: worse, and not written; --accept-worse writes it")
        return 1 if bad else 0
    for name in args.blocks or blocks.blocks():
        report(name, args.width, meter, args.budget, args.paths)
    return 0


if __name__ == "__main__":
    sys.exit(main())
