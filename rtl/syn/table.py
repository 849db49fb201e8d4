# SPDX-License-Identifier: Apache-2.0
"""The committed table of all blocks, and what a new measurement means for it.

A row is known by its block and width, such as `rx 512`; blocks without a width have one row, `any`.
"""
import json

from rtl.syn import blocks, measure

TOLERANCE_NS = 0.10  # a net more or less: names and order of the sources move the mapping a little
FIGURES = ("levels", "ns", "over", "ends", "LUT", "LUTRAM", "FF", "BRAM36", "BRAM18")


def keys(names=None):
    """(block, width) of each row that the table must have; width 0 for blocks without one."""
    for name in names or blocks.blocks():
        yield from ((name, width) for width in ((64, 512) if blocks.has_width(name) else (0,)))


def label(name, width):
    return f"{name} {width or 'any'}"


def read(path):
    return json.loads(path.read_text())["rows"] if path.exists() else {}


def write(path, rows, tool):
    """One line for each row, so that changes of two blocks merge."""
    head = {"yosys": tool, "command": blocks.COMMAND, "queue_pairs": measure.QPS,
            "budget_ns": measure.BUDGET_NS}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    body = [f"  {json.dumps(key)}: {json.dumps(rows[key])}" for key in sorted(rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + "\n".join(lines) + '\n "rows": {\n' + ",\n".join(body) + "\n }\n}\n")


def worse(old, new):
    return new["levels"] > old["levels"] or new["ns"] > old["ns"] + TOLERANCE_NS


def better(old, new):
    return new["levels"] < old["levels"] or new["ns"] < old["ns"] - TOLERANCE_NS


def differences(old, new):
    """The figures that differ, such as `levels 9 -> 12, ns 4.1 -> 5.2`."""
    return ", ".join(f"{key} {old.get(key)} -> {new.get(key)}" for key in FIGURES
                     if old.get(key) != new.get(key)) or "the same figures"


def verdict(old, new):
    """`worse`, `better` or `not worse`, with the figures that differ."""
    word = "worse" if worse(old, new) else "better" if better(old, new) else "not worse"
    return word, differences(old, new)
