#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of the engine in other forms: with 1,024 queue pairs, and without its options.

usage: forms.py [--check | --update] [--build DIR]

Each block that roci_nic is wired from is synthesized by itself and flat, at 512 bits, with the
parameters that roci_nic gives it in that form, as timing.py does for the form of its table. That
takes some ten minutes. Prints the sums.

--update writes docs/measured/forms.json and the pages that show it. --check measures what is not of
the sources any more; exit status 1 when a sum is more than a hundredth above that of the table, or
above LIMITS.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402
from rtl.syn import blocks, measure, table, timing  # noqa: E402

TABLE = ROOT / "docs/measured/forms.json"
WIDTH = 512
OPTIONS = ("Atomics", "KeyOps", "Srq", "QpCounters", "Networks", "Posts", "Attachments")
FORMS = {"1024": {"NumQps": 1024}, "absent": dict.fromkeys(OPTIONS, 0) | {"NumSrqs": 2}}
# Most LUTs of a form, of logic and memory, by those of the form of timing.json.
LIMITS = {"1024": lambda default: 1.05 * default, "absent": lambda default: 52_000}
SLACK = 1.01  # names and order of the sources move the mapping a little


def instances(parameters):
    """Block -> its parameters in a roci_nic with these ones, which skips no time."""
    parameters = parameters | {"DataWidth": WIDTH, "Skips": 0}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "nic.json"
        sets = "".join(f" -set {name} {value}" for name, value in parameters.items())
        script = (f"read_verilog -sv -I {yosys.RTL}/common {yosys.RTL}/roci_pkg.sv; "
                  f"read_verilog -sv -defer -I {yosys.RTL}/common {yosys.RTL}/roci_nic.sv; "
                  f"chparam{sets} roci_nic; hierarchy -top roci_nic; write_json {out}")
        subprocess.run(["yosys", "-q", "-p", script], check=True)
        modules = json.loads(out.read_text())["modules"]
    nic = next(module for name, module in modules.items() if "roci_nic" in name)
    given = {cell["type"].removeprefix("roci_"): cell["parameters"]
             for cell in nic["cells"].values()}
    return {name: {key: int(value, 2) for key, value in given[name].items()}
            for name in blocks.tops()}


def measured(build, rows, again):
    """Label -> row of every block in every form; `again`: also those that the table has."""
    result = {}
    for form, parameters in FORMS.items():
        given = instances(parameters)
        meter = measure.Meter(build / "measured", parameters=lambda name, _: given[name])
        for name in blocks.tops():
            label = f"{form} {name}"
            old = rows.get(label)
            fresh = old and not again and old["sources"] == meter.digest(name, WIDTH)
            result[label] = old if fresh else meter.row(name, WIDTH)
    return result


def luts(rows):
    return sum(row["LUT"] + row["LUTRAM"] for row in rows)


def sums(rows):
    """Form -> LUTs."""
    return {form: luts(row for label, row in rows.items() if label.split()[0] == form)
            for form in FORMS}


def base():
    """LUTs of the form of timing.json."""
    rows = table.read(timing.TABLE)
    return luts(rows[table.label(*key)] for key in table.keys(blocks.tops())
                if key[1] in (0, WIDTH))


def complaints(old, new, default):
    """What is wrong with the sums of LUTs that are measured now, a line for each."""
    for form, count in new.items():
        limit = LIMITS[form](default)
        if count > limit:
            yield f"{form}: {count} LUTs, at most {limit:.0f} are allowed"
        if count > SLACK * old[form]:
            yield f"{form}: {count} LUTs, {old[form]} in {TABLE.name}: make it smaller, or --update"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/syn",
                        help="keeps measurements in DIR/measured")
    args = parser.parse_args()
    old = table.read(TABLE)
    new = measured(args.build, old, args.update)
    found, default = sums(new), base()
    for form, count in found.items():
        print(f"{form}: {count} LUTs, {count / default - 1:+.1%} of {default}")
    if args.update:
        table.write(TABLE, new, blocks.tool_version())
        subprocess.run([sys.executable, str(timing.PAGES)], check=True)
    if args.check:
        wrong = list(complaints(sums(old), found, default))
        print("\n".join(wrong) or "no form is larger")
        return 1 if wrong else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
