# SPDX-License-Identifier: Apache-2.0
"""What nextpnr reads and writes: netlists in JSON, flat, with the places of their cells."""
import json
import pathlib
import re


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def write(netlist, path):
    pathlib.Path(path).write_text(json.dumps(netlist), encoding="utf-8")


def largest(netlist):
    """The module with the most cells, which is the flat design."""
    return max(netlist["modules"].values(), key=lambda module: len(module["cells"]))


def place(cell):
    """Column and row of a cell, or None where it has not been placed."""
    at = re.match(r"X(\d+)/Y(\d+)/", cell["attributes"].get("NEXTPNR_BEL", ""))
    return (int(at[1]), int(at[2])) if at else None
