#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives the logic where wires are short more room, for a netlist that nextpnr cannot route.

usage: spacers.py add PLACED HEAT NETLIST OUT
       spacers.py remove PLACED OUT

PLACED is what `nextpnr-ecp5 --write` wrote of NETLIST, HEAT a table of `--router2-heatmap`
(congestion by coordinate) of its routing. OUT of `add` is NETLIST with spacers: LUTs that nothing
reads, each beside a LUT of a region where nets share wires. A placement of it leaves room for
them; OUT of `remove` is such a placement without them, to be routed. It needs numpy and scipy.

The placer of nextpnr fills the device evenly with cells. A region of wide records has as many cells
as any other, but more wires than the device has there, and its router then goes on for ever with a
few thousand wires that two nets want. A spacer takes the place of a cell and no wire.
"""
import csv
import pathlib
import sys

import numpy as np
from scipy import ndimage, optimize

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import nextpnr  # noqa: E402

LUTS = 83640
SHARE = 0.5   # spacers for each LUT of the device that is free
WIDE = 3      # columns and rows by which the router moves wires out of a full tile
MOST = 1.5    # spacers for a LUT
COOL = 0.02   # a region with less of the worst congestion needs no room


def heat_map(path):
    """Wires too few in each tile and around it, by column and row."""
    with open(path, encoding="utf-8") as file:
        rows = [[float(word) for word in row if word] for row in csv.reader(file)]
    return ndimage.gaussian_filter(np.array([row for row in rows if row]), WIDE)


def shares(heat, budget):
    """Spacers for each LUT, by the heat where it stands, `budget` of them in all."""
    hot = np.where(heat > COOL * heat.max(), heat, 0) if len(heat) else heat
    if not hot.any():
        return np.zeros(len(heat))

    def excess(factor):
        return np.minimum(MOST, factor * hot).sum() - budget

    top = MOST / hot[hot > 0].min()
    return np.minimum(MOST, hot * (top if excess(top) <= 0 else optimize.brentq(excess, 0, top)))


def spacer(net, out):
    """A LUT that reads a net and drives another, which nothing reads."""
    return {"hide_name": 0, "type": "LUT4", "parameters": {"INIT": f"{0x5555:016b}"},
            "attributes": {}, "port_directions": {"A": "input", "Z": "output"},
            "connections": {"A": [net], "Z": [out]}}


def add(placed, heat, netlist):
    """Adds spacers to `netlist`; how many."""
    cells, top = nextpnr.largest(placed)["cells"], nextpnr.largest(netlist)
    luts = [name for name, cell in top["cells"].items()
            if cell["type"] == "LUT4" and not name.startswith(nextpnr.SPACER)]
    if any(name not in cells for name in luts):
        raise ValueError("the placed netlist has other LUTs")
    used = sum(cell["type"] == "TRELLIS_COMB" for cell in cells.values())
    there = sum(name.startswith(nextpnr.SPACER) for name in top["cells"])
    here = np.array([heat[nextpnr.place(cells[name])] for name in luts])
    bit = 1 + max((bit for cell in top["cells"].values() for bits in cell["connections"].values()
                   for bit in bits if isinstance(bit, int)), default=1)
    owed = np.floor(np.cumsum(shares(here, SHARE * (LUTS - used))) + 1e-6).astype(int)
    count = int(owed[-1]) if len(owed) else 0
    for at, host in enumerate(np.searchsorted(owed, np.arange(1, count + 1))):
        net = top["cells"][luts[host]]["connections"]["Z"][0]
        top["cells"][f"{nextpnr.SPACER}{there + at}"] = spacer(net, bit + at)
    return count


def remove(placed):
    """Takes the spacers and their nets out of a placement; how many."""
    top = nextpnr.largest(placed)
    names = [name for name in top["cells"] if name.startswith(nextpnr.SPACER)]
    nets = {bit for name in names for bit in top["cells"].pop(name)["connections"].get("F", ())}
    top["netnames"] = {name: net for name, net in top["netnames"].items()
                       if not nets.intersection(net["bits"])}
    return len(names)


def main():
    usage = __doc__.split("\n\n")[1]
    if len(sys.argv) < 2 or len(sys.argv) != {"add": 6, "remove": 4}.get(sys.argv[1]):
        sys.exit(usage)
    placed = nextpnr.read(sys.argv[2])
    if sys.argv[1] == "add":
        out = nextpnr.read(sys.argv[4])
        try:
            count = add(placed, heat_map(sys.argv[3]), out)
        except ValueError as error:
            sys.exit(f"spacers.py: {error}")
    else:
        out, count = placed, remove(placed)
    nextpnr.write(out, sys.argv[-1])
    print(f"{count} spacers")


if __name__ == "__main__":
    main()
