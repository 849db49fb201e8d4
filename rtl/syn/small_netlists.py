# SPDX-License-Identifier: Apache-2.0
"""Small netlists as nextpnr writes them after a placement, for tests."""

CLOCK, OTHER_CLOCK = 1, 2
OUTPUTS = {"Q", "F", "FCO", "OFX", "DOA0", "WDO0", "WADO0"}


def cell(kind, at, ports, **parameters):
    """A cell at "column row bel", with a net (a number) for each port."""
    column, row, bel = at.split()
    return {"type": kind, "parameters": parameters,
            "attributes": {"NEXTPNR_BEL": f"X{column}/Y{row}/{bel}"},
            "port_directions": {port: "output" if port in OUTPUTS else "input" for port in ports},
            "connections": {port: [net] for port, net in ports.items()}}


def register(at, ports, clock=CLOCK, **parameters):
    return cell("TRELLIS_FF", at, {"CLK": clock, **ports}, **parameters)


def lut(at, ports, **parameters):
    return cell("TRELLIS_COMB", at, ports, **parameters)


def netlist(**cells):
    return {"modules": {"top": {"cells": cells, "netnames": {
        "clk": {"bits": [CLOCK], "attributes": {}},
        "other": {"bits": [OTHER_CLOCK], "attributes": {}}}}}}


def bels(design):
    """Where each cell stands, by name."""
    return {name: one["attributes"]["NEXTPNR_BEL"]
            for name, one in design["modules"]["top"]["cells"].items()}


def tile(bel):
    """Column and row."""
    column, row, _ = bel.split("/")
    return int(column[1:]), int(row[1:])


def across(middle="50 9 SLICEA.K0", spare="10 5 SLICED.FF1"):
    """Two registers in one tile with a LUT between them, and one by itself."""
    return netlist(a=register("10 10 SLICEA.FF0", {"Q": 10, "M": 13}),
                   l=lut(middle, {"A": 10, "F": 11}),
                   b=register("10 10 SLICEB.FF0", {"M": 11, "Q": 12}),
                   c=register(spare, {"M": 12, "Q": 13}))


def filled(design, tiles):
    """The design with LUTs on all places of some tiles."""
    for column, row in tiles:
        for place in range(8):
            bel = f"{column} {row} SLICE{'ABCD'[place // 2]}.K{place % 2}"
            design["modules"]["top"]["cells"].setdefault(
                f"x{column}_{row}_{place}", lut(bel, {"F": 9999 * column + 9 * row + place}))
    return design
