# SPDX-License-Identifier: Apache-2.0
"""A netlist that nextpnr has placed: its cells, where they stand, and what joins them.

It needs numpy.
"""
import numpy as np

from rtl.syn import nextpnr

STAY = ("$PACKER", nextpnr.SPACER)         # names of cells that stay; the first drive constants
FIXED = {"FCI", "F1", "FXA", "FXB", "DI"}  # inputs with a wire of their own inside a tile


def bits(cell, port):
    """The nets of a port, without constants."""
    return [bit for bit in cell["connections"].get(port, ()) if isinstance(bit, int)]


class Placed:
    """`cells`, `names` and `at` (column, row) are those of the netlist that are placed.

    A node is an output bit of the cell `node_cell`, a pin an input bit: `pin_cell` reads the node
    `pin_node`, by a wire of its own when it is `pin_free`. Cells that stay have neither.
    """

    def __init__(self, module):
        placed = {name: cell for name, cell in module["cells"].items() if nextpnr.place(cell)}
        self.names, self.cells = list(placed), list(placed.values())
        self.at = np.array([nextpnr.place(cell) for cell in self.cells], float).reshape(-1, 2)
        self.stays = np.array([name.startswith(STAY) for name in self.names], bool)
        self.driver = {}  # the cell and the port that drive a net
        sinks = []
        for index, cell in enumerate(self.cells):
            for port in cell["connections"] if not self.stays[index] else ():
                for bit in bits(cell, port):
                    if cell["port_directions"][port] == "output":
                        self.driver[bit] = (index, port)
                    else:
                        sinks.append((bit, index, port))
        self.node = {bit: at for at, bit in enumerate(self.driver)}
        self.node_cell = np.array([cell for cell, _ in self.driver.values()], int)
        self.sinks = [sink for sink in sinks if sink[0] in self.node]  # net, cell and port of a pin
        self.pin_node = np.array([self.node[bit] for bit, _, _ in self.sinks], int)
        self.pin_cell = np.array([index for _, index, _ in self.sinks], int)
        self.pin_free = np.array([
            port in FIXED or self.cells[self.driver[bit][0]]["type"] == "TRELLIS_RAMW"
            for bit, _, port in self.sinks], bool)
