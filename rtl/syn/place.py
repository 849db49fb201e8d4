#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places and routes blocks of the engine on an ECP5, with Yosys and nextpnr from PyPI.

usage: place.py BLOCK... [--seed N] [--tools BIN] [--minutes M] [--build DIR] [--by-slack]
       place.py --engine             each top, and the whole engine
       place.py --update [BLOCK...]  the same, written to docs/measured/place.json
       place.py --check              the long test synthesis.place

The device is LFE5U-85F, the largest of its family, at speed grade 6. The engine has its smallest
configuration (ecp5.SMALL, from small.txt): 64 bits, 16 queue pairs, no options; a block has the
parameters that it has in there, and stands between shift registers, so paths through its ports
begin and end close to it. Printed: LUT4s with what carries and memories of LUTs take of them,
flip-flops, block RAMs, the clock that nextpnr reaches, and the slowest path with its sources.

A block that is larger than the device is not placed, and one on which a tool takes longer than M
minutes (ecp5.MINUTES) has its sizes only. When that holds for the whole engine, the lowest clock
of its tops, each alone on the device, is the upper bound of its clock.

--check compares with the table: LUT4s at most 3% more, the clock at most 15% lower, as another
netlist or seed moves it by about as much. The tools are installed into DIR/pypi (300 MB); their
first start takes minutes. Exit status 77 when that fails. What changes placements (placement.py)
needs numpy, scipy and numba, which go into DIR/solver. A row names the tools that --tools gave in
place of PyPI's.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402
from rtl.syn import blocks, ecp5, mapping, measure, placement, table, tools  # noqa: E402

TABLE = ROOT / "docs/measured/place.json"
PAGES = ROOT / "testbench/tools/docs/generate.py"
WHOLE = "nic"
LUTS_MORE, CLOCK_LESS = 1.03, 0.85


def row_of(engine, name, seed):
    """Synthesizes and, when it fits, places a block."""
    start = time.monotonic()
    size = engine.synthesize(name)
    row = {"LUT4": size["LUT"] + size["LUTRAM"], "carry": size["CARRY"],
           "LUTRAM": size["LUTRAM"], "FF": size["FF"], "BRAM": size["BRAM"]}
    if row["LUT4"] > ecp5.LUTS or row["BRAM"] > ecp5.BLOCK_RAMS:
        row["note"] = f"does not fit: {100 * row['LUT4'] / ecp5.LUTS:.0f}% of {ecp5.LUTS:,} LUT4"
    else:
        try:
            report = engine.place(name, seed)
        except tools.Failed as failure:
            late = isinstance(failure, tools.Late)
            row["note"] = str(failure) if late else "not placed"
            print(str(failure)[-600:], file=sys.stderr)
        else:
            clock = min(report["fmax"].values(), key=lambda c: c["achieved"])
            row["fmax"] = round(clock["achieved"], 1)
            row["comb"] = report["utilization"]["TRELLIS_COMB"]["used"]
            logic, routing, luts, carries, path = ecp5.worst_path(report)
            row.update(logic_ns=round(logic, 1), routing_ns=round(routing, 1), luts=luts,
                       carries=carries, path=path)
    if engine.by_slack:
        row["by_slack"] = True
    if engine.tools.names:
        row["compiled"] = engine.tools.names
    row.update(seed=seed, placer=placement.ROUTE[1], seconds=round(time.monotonic() - start),
               sources=ecp5.digest(name), commit=measure.commit(yosys.sources(f"roci_{name}")))
    return row


def show(name, row):
    print(f"{name}: {row['LUT4']:,} LUT4 (carries {row['carry']:,}, memories {row['LUTRAM']:,}), "
          f"{row['FF']:,} FF, {row['BRAM']} DP16KD; "
          + (f"{row['fmax']} MHz by seed {row['seed']}, {row['comb']:,} TRELLIS_COMB with the "
             f"shift registers" if "fmax" in row else row["note"]), flush=True)
    if "path" in row:
        print(f"  {row['logic_ns']} ns logic + {row['routing_ns']} ns routing, {row['luts']} LUTs "
              f"+ {row['carries']} carries:")
        for place in row["path"]:
            print(f"    {place}")


def bound(rows):
    """The clock of the engine, as far as it is known."""
    placed = {name: rows[name]["fmax"] for name in blocks.tops() if "fmax" in rows.get(name, {})}
    if WHOLE in rows and "fmax" not in rows[WHOLE] and placed:
        slowest = min(placed, key=placed.get)
        print(f"whole engine: {rows[WHOLE]['note']}; no faster than {slowest}, "
              f"{placed[slowest]} MHz by itself")


def write(rows):
    body = [f"  {json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows)]
    head = json.dumps({"tools": ecp5.pypi.PLACE, "device": ecp5.DEVICE_NAME,
                       "parameters": ecp5.SMALL, "command": mapping.COMMAND}, indent=1)
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(head.rstrip("\n}") + ',\n "rows": {\n' + ",\n".join(body) + "\n }\n}\n")


def worse(old, new):
    """What got worse, as a phrase, or None."""
    if new["LUT4"] > LUTS_MORE * old["LUT4"]:
        return f"{old['LUT4']:,} -> {new['LUT4']:,} LUT4"
    if "fmax" in old and new.get("fmax", 0) < CLOCK_LESS * old["fmax"]:
        return f"{old['fmax']} -> {new.get('fmax', 0)} MHz"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("blocks", nargs="*", metavar="BLOCK")
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/syn")
    parser.add_argument("--tools", metavar="BIN", type=tools.folder,
                        help="use yosys and nextpnr-ecp5 of this folder, where it has them")
    parser.add_argument("--minutes", metavar="M", type=float, default=ecp5.MINUTES,
                        help="that one of the tools may take")
    parser.add_argument("--by-slack", action="store_true",
                        help="anneal wires of slow paths as if they were longer; the whole engine "
                             "does not route then (decision 0043)")
    args = parser.parse_args()
    if args.minutes <= 0:
        parser.error("--minutes takes a number above 0")
    rows = table.read(TABLE)
    names = list(args.blocks)
    if args.check:
        names = list(rows)
    elif args.engine or (args.update and not names):
        names += [name for name in (*blocks.tops(), WHOLE) if name not in names]
    if not names:
        parser.error("name a block, or give --engine, --update or --check")
    engine = ecp5.Engine(args.build, args.tools, minutes=args.minutes, by_slack=args.by_slack)
    if not engine.tools.found:
        print("the tools cannot be installed from PyPI")
        return 77
    engine.elaborate()
    unknown = set(names) - set(engine.modules)
    if unknown:
        parser.error(f"not in the engine: {', '.join(sorted(unknown))}")
    bad, measured = [], {}
    for name in names:
        measured[name] = row_of(engine, name, args.seed)
        show(name, measured[name])
        if args.update:
            write({**rows, **measured})
        elif args.check and (phrase := worse(rows[name], measured[name])):
            bad.append(f"{name}: worse: {phrase}")
    bound({**rows, **measured})
    if args.update:
        subprocess.run([sys.executable, str(PAGES)], check=True)
    if bad:
        print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
