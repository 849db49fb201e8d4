# SPDX-License-Identifier: Apache-2.0
"""What nextpnr reads and writes: netlists in JSON, flat, with the places of their cells."""
import json
import pathlib
import re
import sys

SPACER = "spacer$"  # what the cells of spacers.py are called


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def write(netlist, path):
    pathlib.Path(path).write_text(json.dumps(netlist), encoding="utf-8")


def largest(netlist):
    """The module with the most cells, which is the flat design."""
    return max(netlist["modules"].values(), key=lambda module: len(module["cells"]))


def goals(module, words):
    """MHz by clock from words CLOCK MHZ ...; ends the script when there is no such net."""
    found = dict(zip(words[::2], map(float, words[1::2])))
    for clock in found:
        if clock not in module["netnames"]:
            sys.exit(f"{pathlib.Path(sys.argv[0]).name}: no net {clock}")
    return found


def place(cell):
    """Column and row of a cell, or None where it has not been placed."""
    at = re.match(r"X(\d+)/Y(\d+)/", cell["attributes"].get("NEXTPNR_BEL", ""))
    return (int(at[1]), int(at[2])) if at else None


def slice_place(cell):
    """Column, row and place, 0 to 7, of a LUT or register in slices, or None for other cells."""
    at = re.fullmatch(r"X(\d+)/Y(\d+)/SLICE([A-D])\.(?:K|FF)([01])",
                      cell["attributes"].get("NEXTPNR_BEL", ""))
    return (int(at[1]), int(at[2]), 2 * "ABCD".index(at[3]) + int(at[4])) if at else None


def demand_places(netlist):
    """Makes the places of a placement demands on another one, which places nothing else.

    A run that takes a placement as it is (--no-place) binds cells before it knows their modes. Its
    router then exchanges inputs of all LUTs, also where that changes what they do.
    """
    for cell in largest(netlist)["cells"].values():
        at = cell["attributes"]
        at.pop("BEL_STRENGTH", None)
        if "NEXTPNR_BEL" in at:
            at["BEL"] = at.pop("NEXTPNR_BEL")


def exchanged(netlist):
    """Wires that lead to another input of a LUT than its net has to, in a routed netlist.

    A memory reads by the inputs that it is written by. Each half of a LUT that adds has two inputs,
    which may be exchanged with each other.
    """
    module = largest(netlist)
    modes = {slice_place(cell): cell["parameters"].get("MODE", "LOGIC")
             for cell in module["cells"].values() if cell["type"] == "TRELLIS_COMB"}
    wire = re.compile(r"X(\d+)/Y(\d+)/\d+_\d+_([ABCD])(\d)->\d+_\d+_([ABCD])\d_SLICE")
    found = []
    for net in module["netnames"].values():
        for match in wire.finditer(net["attributes"].get("ROUTING", "")):
            column, row, source, index, sink = match.groups()
            mode = modes.get((int(column), int(row), int(index)), "LOGIC")
            same_half = (source in "AB") == (sink in "AB")
            if source != sink and mode != "LOGIC" and not (mode == "CCU2" and same_half):
                found.append(match[0])
    return found
