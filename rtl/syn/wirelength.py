# SPDX-License-Identifier: Apache-2.0
"""Lengths of nets on a grid, and moves of cells that are judged by them. Needs numpy and numba.

The length of a net is half the perimeter of what encloses its cells, times its weight.
"""
import collections
import math

import numpy as np
from numba import njit

from rtl.syn.slices import NONE

# By cell: column, row and place; what slices.py knows of it; its group or NONE; its nets, those
# of a cell from first_net[cell] on.
Cells = collections.namedtuple("Cells", "x y place kind by_m of_tile of_slice group "
                                        "first_net nets")
# Cells of a net from first[net] on; its weight and bounds; bounds after a move; work space.
Nets = collections.namedtuple("Nets", "first cells weight box new seen dirty touched")
# Cells of a move, where they go and where they were. `count`: cells, their nets, moves so far.
Move = collections.namedtuple("Move", "cell x y old_x old_y count")


@njit(cache=True)
def enclose(nets, cells, net, box):
    """Writes the bounds of a net: least and greatest column, then row."""
    box[net, 0] = box[net, 2] = 1 << 20
    box[net, 1] = box[net, 3] = NONE
    for pin in range(nets.first[net], nets.first[net + 1]):
        cell = nets.cells[pin]
        box[net, 0] = min(box[net, 0], cells.x[cell])
        box[net, 1] = max(box[net, 1], cells.x[cell])
        box[net, 2] = min(box[net, 2], cells.y[cell])
        box[net, 3] = max(box[net, 3], cells.y[cell])


@njit(cache=True)
def half(box, net):
    return box[net, 1] - box[net, 0] + box[net, 3] - box[net, 2]


@njit(cache=True)
def length(nets, cells):
    """Computes all bounds; the sum of lengths by weight."""
    total = 0.0
    for net in range(len(nets.weight)):
        enclose(nets, cells, net, nets.box)
        total += nets.weight[net] * half(nets.box, net)
    return total


@njit(cache=True)
def add(move, cell, x, y):
    """Notes that a cell, if it is one, goes to a tile."""
    if cell != NONE:
        at = move.count[0]
        move.cell[at], move.x[at], move.y[at] = cell, x, y
        move.count[0] = at + 1


@njit(cache=True)
def shift(cells, nets, move):
    """Moves the cells; by how much their nets become longer."""
    move.count[2] += 1
    now, touched, longer = move.count[2], 0, 0.0
    for at in range(move.count[0]):
        cell = move.cell[at]
        old_x, old_y, x, y = cells.x[cell], cells.y[cell], move.x[at], move.y[at]
        move.old_x[at], move.old_y[at] = old_x, old_y
        cells.x[cell], cells.y[cell] = x, y
        for index in range(cells.first_net[cell], cells.first_net[cell + 1]):
            net = cells.nets[index]
            if nets.seen[net] != now:
                nets.seen[net], nets.dirty[net] = now, False
                nets.touched[touched] = net
                touched += 1
                for bound in range(4):
                    nets.new[net, bound] = nets.box[net, bound]
            if old_x == nets.box[net, 0] or old_x == nets.box[net, 1] \
                    or old_y == nets.box[net, 2] or old_y == nets.box[net, 3]:
                nets.dirty[net] = True
            nets.new[net, 0] = min(nets.new[net, 0], x)
            nets.new[net, 1] = max(nets.new[net, 1], x)
            nets.new[net, 2] = min(nets.new[net, 2], y)
            nets.new[net, 3] = max(nets.new[net, 3], y)
    move.count[1] = touched
    for index in range(touched):
        net = nets.touched[index]
        if nets.dirty[net]:
            enclose(nets, cells, net, nets.new)
        longer += nets.weight[net] * (half(nets.new, net) - half(nets.box, net))
    return longer


@njit(cache=True)
def taken(cells, nets, move, temperature):
    """Moves the cells if that is good enough for the temperature; whether it was."""
    longer = shift(cells, nets, move)
    if longer <= 0 or np.random.random() < math.exp(-longer / temperature):
        for index in range(move.count[1]):
            net = nets.touched[index]
            for bound in range(4):
                nets.box[net, bound] = nets.new[net, bound]
        return True
    for at in range(move.count[0]):
        cells.x[move.cell[at]], cells.y[move.cell[at]] = move.old_x[at], move.old_y[at]
    return False
