# SPDX-License-Identifier: Apache-2.0
"""Moves of cells between the slices of an ECP5, by simulated annealing. Needs numpy and numba.

A move lets two places, two tiles or two sites of block RAMs change what they hold. It is judged by
the lengths of the nets of its cells: half the perimeter of what encloses a net, times its weight.
The longer they become, the more often it is taken back.
"""
import collections

import numpy as np
from numba import njit

from rtl.syn.slices import CARRY, LOGIC, NONE, PLACES
from rtl.syn.wirelength import Move, add, taken

LUTS, REGISTERS = 1, 2  # what two places exchange, or both
TILES = 0.02       # the part of all moves that exchange two tiles, one of which has memories
BLOCKS = 0.002     # and that let a block RAM have another site
MEDIAN = 0.5       # the part of others that go towards the median of what a cell is joined to
STEP = 40          # by so many columns and rows at most
SMALL = 8          # cells of a net whose bounds are found without the cell that moves
EDGES = 128        # bounds of nets that a median is taken of

# What stands where, by column and row (and place): `luts` and `registers` by place, `ramw` the
# cell of that type or NONE, `there` whether a tile has slices, `loose` whether it can be exchanged.
Tables = collections.namedtuple("Tables", "luts registers ramw there loose")


@njit(cache=True)
def fits(tables, cells, x, y, place):
    """Whether what is at a place can be there, beside what is in its slice and its tile."""
    lut, register = tables.luts[x, y, place], tables.registers[x, y, place]
    if lut != NONE:
        beside = tables.luts[x, y, place ^ 1]
        if beside != NONE and cells.kind[beside] >= CARRY:
            return False
    if register == NONE:
        return True
    if lut != NONE and (cells.group[lut] == NONE or cells.group[lut] != cells.group[register]) \
            and not (cells.by_m[register] and cells.kind[lut] == LOGIC):
        return False
    if tables.ramw[x, y] != NONE:
        return False
    for at in range(PLACES):
        other = tables.registers[x, y, at]
        if other != NONE and cells.of_tile[other] != cells.of_tile[register]:
            return False
    beside = tables.registers[x, y, place ^ 1]
    return beside == NONE or cells.of_slice[beside] == cells.of_slice[register]


@njit(cache=True)
def exchange(tables, x, y, place, to_x, to_y, to_place, layers):
    """Lets two places change LUTs, registers, or both."""
    if layers & LUTS:
        kept = tables.luts[x, y, place]
        tables.luts[x, y, place] = tables.luts[to_x, to_y, to_place]
        tables.luts[to_x, to_y, to_place] = kept
    if layers & REGISTERS:
        kept = tables.registers[x, y, place]
        tables.registers[x, y, place] = tables.registers[to_x, to_y, to_place]
        tables.registers[to_x, to_y, to_place] = kept


@njit(cache=True)
def add_tile(tables, move, x, y, to_x, to_y):
    for place in range(PLACES):
        add(move, tables.luts[x, y, place], to_x, to_y)
        add(move, tables.registers[x, y, place], to_x, to_y)
    add(move, tables.ramw[x, y], to_x, to_y)


@njit(cache=True)
def median(cells, nets, lut, register, edges):
    """A tile in or beside the region where a group would have its nets shortest, or NONE twice."""
    count = 0
    for cell in (lut, register):
        if cell == NONE:
            continue
        for at in range(cells.first_net[cell], cells.first_net[cell + 1]):
            net = cells.nets[at]
            if count + 2 > EDGES:
                break
            if nets.first[net + 1] - nets.first[net] > SMALL:
                for bound in range(4):
                    edges[bound // 2, count + bound % 2] = nets.box[net, bound]
                count += 2
                continue
            low_x, high_x, low_y, high_y = 1 << 20, NONE, 1 << 20, NONE
            for pin in range(nets.first[net], nets.first[net + 1]):
                other = nets.cells[pin]
                if other != lut and other != register:
                    low_x, high_x = min(low_x, cells.x[other]), max(high_x, cells.x[other])
                    low_y, high_y = min(low_y, cells.y[other]), max(high_y, cells.y[other])
            if high_x != NONE:
                edges[0, count], edges[0, count + 1] = low_x, high_x
                edges[1, count], edges[1, count + 1] = low_y, high_y
                count += 2
    if count == 0:
        return NONE, NONE
    columns, rows = np.sort(edges[0, :count]), np.sort(edges[1, :count])
    middle = count // 2
    return (np.random.randint(columns[middle - 1] - 1, columns[middle] + 2),
            np.random.randint(rows[middle - 1] - 1, rows[middle] + 2))


@njit(cache=True)
def nearby(x, y, reach):
    return (x + np.random.randint(-reach, reach + 1), y + np.random.randint(-reach, reach + 1))


@njit(cache=True)
def goal(cells, nets, one, other, x, y, reach, edges):
    """Where a move of two cells from a tile leads: towards their median, or anywhere nearby."""
    if np.random.random() >= MEDIAN:
        return nearby(x, y, reach)
    to_x, to_y = median(cells, nets, one, other, edges)
    return min(max(to_x, x - STEP), x + STEP), min(max(to_y, y - STEP), y + STEP)


@njit(cache=True)
def has_slices(tables, x, y):
    return 0 <= x < tables.there.shape[0] and 0 <= y < tables.there.shape[1] and tables.there[x, y]


@njit(cache=True)
def move_group(tables, cells, nets, move, lut, register, reach, temperature, edges):
    """Tries another place for a group."""
    cell = lut if lut != NONE else register
    x, y, place = cells.x[cell], cells.y[cell], cells.place[cell]
    to_x, to_y = goal(cells, nets, lut, register, x, y, reach, edges)
    if not has_slices(tables, to_x, to_y) or (to_x == x and to_y == y):
        return
    to_place = np.random.randint(PLACES)
    here = (tables.luts[x, y, place], tables.registers[x, y, place])
    there = (tables.luts[to_x, to_y, to_place], tables.registers[to_x, to_y, to_place])
    layers = LUTS if lut != NONE else REGISTERS
    for pair in (here, there):
        if pair[0] != NONE and pair[1] != NONE and cells.group[pair[0]] != NONE \
                and cells.group[pair[0]] == cells.group[pair[1]]:
            layers = LUTS | REGISTERS
    move.count[0] = 0
    for layer in range(2):
        if layers & (LUTS if layer == 0 else REGISTERS):
            for one in (here[layer], there[layer]):
                if one != NONE and cells.group[one] == NONE:
                    return
            add(move, here[layer], to_x, to_y)
            add(move, there[layer], x, y)
    exchange(tables, x, y, place, to_x, to_y, to_place, layers)
    if not fits(tables, cells, x, y, place) or not fits(tables, cells, to_x, to_y, to_place) \
            or not taken(cells, nets, move, temperature):
        exchange(tables, x, y, place, to_x, to_y, to_place, layers)
        return
    for at in range(move.count[0]):
        there_now = move.x[at] == to_x and move.y[at] == to_y
        cells.place[move.cell[at]] = to_place if there_now else place


@njit(cache=True)
def move_tile(tables, cells, nets, move, memories, reach, temperature, edges, far):
    """Tries to exchange a tile that has memories for another: one nearby, or a `far` one too."""
    at = np.random.randint(len(memories))
    x, y = memories[at]
    if far:
        to_x, to_y = goal(cells, nets, tables.luts[x, y, np.random.randint(PLACES)],
                          tables.ramw[x, y], x, y, reach, edges)
    else:
        to_x, to_y = nearby(x, y, reach)
    if not has_slices(tables, to_x, to_y) or not tables.loose[to_x, to_y] \
            or (to_x == x and to_y == y):
        return
    move.count[0] = 0
    add_tile(tables, move, x, y, to_x, to_y)
    add_tile(tables, move, to_x, to_y, x, y)
    if not taken(cells, nets, move, temperature):
        return
    for place in range(PLACES):
        exchange(tables, x, y, place, to_x, to_y, place, LUTS | REGISTERS)
    if tables.ramw[to_x, to_y] != NONE:
        for other in range(len(memories)):
            if memories[other, 0] == to_x and memories[other, 1] == to_y:
                memories[other, 0], memories[other, 1] = x, y
    memories[at, 0], memories[at, 1] = to_x, to_y
    kept = tables.ramw[x, y]
    tables.ramw[x, y], tables.ramw[to_x, to_y] = tables.ramw[to_x, to_y], kept


@njit(cache=True)
def move_block(cells, nets, move, sites, blocks, temperature):
    """Tries to let a block RAM have another site, or that of another."""
    one, other = np.random.randint(len(sites)), np.random.randint(len(sites))
    while blocks[one] == NONE:
        one = (one + 1) % len(sites)
    if one == other:
        return
    move.count[0] = 0
    add(move, blocks[one], sites[other, 0], sites[other, 1])
    add(move, blocks[other], sites[one, 0], sites[one, 1])
    if taken(cells, nets, move, temperature):
        blocks[one], blocks[other] = blocks[other], blocks[one]


@njit(cache=True)
def anneal(tables, cells, nets, groups, memories, sites, blocks, seed, temperature, reach, moves,
           far):
    """Tries so many moves; those of memories lead to their medians, too, when they may be `far`."""
    np.random.seed(seed)
    most = 4 * PLACES + 2
    move = Move(np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64),
                np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(3, np.int64))
    nets.seen[:] = 0
    edges, has_blocks = np.empty((2, EDGES + 2), np.int64), (blocks != NONE).any()
    for _ in range(moves):
        chance = np.random.random()
        if has_blocks and chance < BLOCKS:
            move_block(cells, nets, move, sites, blocks, temperature)
        elif len(memories) > 0 and chance < BLOCKS + TILES:
            move_tile(tables, cells, nets, move, memories, reach, temperature, edges, far)
        else:
            lut, register = groups[np.random.randint(len(groups))]
            move_group(tables, cells, nets, move, lut, register, reach, temperature, edges)
