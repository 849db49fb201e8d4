#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What anneal.py makes of small placed netlists.

usage: anneal_test.py DIR

numpy, scipy and numba come from PyPI into DIR/solver. Without a network for that the test is
skipped (status 77). Lengths are computed here once more; what may stand beside what is as Lattice's
slices have it, and as nextpnr checks it.
"""
import collections
import os
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import solver  # noqa: E402
from rtl.syn.small_netlists import (CLOCK, OTHER_CLOCK, bels, cell, lut, netlist,  # noqa: E402
                                    register, tile)

# The test starts itself again in another Python, which is to have the same seed.
SEED = int(os.environ.setdefault("SEED", str(random.randrange(10**6))))
COLUMNS, ROWS = range(4, 19), range(18, 27)


def cells_of(design):
    return design["modules"]["top"]["cells"]


def length(design, left_out=()):
    """The sum of half perimeters of driven nets, all of which have three cells at most."""
    nets, driven = collections.defaultdict(set), set()
    for name, one in cells_of(design).items():
        for port, (net,) in one["connections"].items() if name not in left_out else ():
            nets[net].add(tile(one["attributes"]["NEXTPNR_BEL"]))
            if one["port_directions"][port] == "output":
                driven.add(net)
    return sum(max(at) - min(at) for net in driven for at in zip(*nets[net]))


def pulled(steps):
    """A path between two registers of carries, which stay, and what pulls its LUTs off it.

    Each LUT of the path also drives three registers, which others hold on the other side of it.
    """
    cells = {"from": lut("10 20 SLICEA.K0", {"A": 9, "FCO": 8}, MODE="CCU2"),
             "start": register("10 20 SLICEB.FF0", {"M": 8, "Q": 100})}
    for at in range(1, steps + 1):
        side = 10 if at % 2 else 30
        cells[f"l{at}"] = lut(f"20 {20 + at} SLICEA.K0", {"A": 99 + at, "F": 100 + at})
        for pull in range(3):
            name = f"{at}_{pull}"
            cells[f"anchor{name}"] = lut(f"{12 + at} {side} SLICE{'ABC'[pull]}.K0",
                                         {"A": 200 + 10 * at + pull, "FCO": 7}, MODE="CCU2")
            cells[f"r{name}"] = register(f"{12 + at} {side + 1} SLICE{'ABC'[pull]}.FF0",
                                         {"M": 100 + at, "Q": 200 + 10 * at + pull})
    cells["end"] = register("22 20 SLICED.FF0", {"M": 100 + steps, "Q": 999})
    cells["to"] = lut("24 20 SLICED.K0", {"A": 999, "FCO": 6}, MODE="CCU2")
    return netlist(**cells)


def some(number):
    """A design of so many groups, each joined to the last: LUTs, registers, and both."""
    rolled = random.Random(SEED)
    free = [(column, row, at) for column in COLUMNS for row in ROWS for at in range(8)
            if row != 22]
    rolled.shuffle(free)
    cells, enables = {}, {}

    def bel(column, row, at, kind):
        return f"{column} {row} SLICE{'ABCD'[at // 2]}.{kind}{at % 2}"

    for at in range(number):
        spot = free.pop()
        net, last, kind = 100 + 2 * at, 100 + 2 * (at - 1), rolled.randrange(3)
        if kind == 0:
            cells[f"l{at}"] = lut(bel(*spot, "K"), {"A": last, "F": net})
            continue
        enable = enables.setdefault((*spot[:2], spot[2] // 2), rolled.randrange(2))
        ports = {"Q": net} | ({"CE": 50 + enable} if enable else {})
        if kind == 1:
            cells[f"r{at}"] = register(bel(*spot, "FF"), {"M": last, **ports})
        else:
            cells[f"l{at}"] = lut(bel(*spot, "K"), {"A": last, "F": net + 1})
            cells[f"r{at}"] = register(bel(*spot, "FF"), {"DI": net + 1, **ports})
    return netlist(**cells)


class AnnealTest(solver.ScriptTest):
    script = ROOT / "rtl/syn/anneal.py"

    def annealed(self, design, *clocks):
        done, out = self.run_to_out(self.file("placed", design), *clocks)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.lengths = [int(word.replace(",", "")) for word in re.findall(r"[\d,]+", done.stdout)]
        return out

    def assert_legal(self, design):
        at = {bel: name for name, bel in bels(design).items()}
        self.assertEqual(len(at), len(cells_of(design)), "two cells have one place")
        drivers = {net: name for name, one in cells_of(design).items()
                   for port, (net,) in one["connections"].items()
                   if one["port_directions"][port] == "output"}
        tiles, slices = collections.defaultdict(set), collections.defaultdict(set)
        for bel, name in at.items():
            one = cells_of(design)[name]["connections"]
            if ".FF" in bel:
                tiles[tile(bel)].add((one["CLK"][0], *one.get("LSR", ())))
                slices[bel.split(".")[0]].add(tuple(one.get("CE", ())))
                above = at.get(bel.replace(".FF", ".K"))
                before = drivers[one["DI"][0]] if "DI" in one else None
                self.assertTrue(above == before or ("M" in one and above), name)
                self.assertNotIn(f"{bel.split('SLICE')[0]}SLICEC.RAMW", at, name)
            elif cells_of(design)[name]["parameters"].get("MODE") == "CCU2":
                self.assertNotIn(f"{bel[:-1]}{1 - int(bel[-1])}", at, "beside a carry")
        self.assertTrue(all(len(kinds) == 1 for kinds in tiles.values()), "clocks in a tile")
        self.assertTrue(all(len(kinds) == 1 for kinds in slices.values()), "enables in a slice")

    def test_wires_become_shorter_and_all_stays_legal(self):
        design = some(400)
        out = self.annealed(design)
        self.assert_legal(out)
        self.assertEqual(self.lengths, [length(design), length(out)], f"SEED={SEED}")
        # Eight groups of a chain fit a tile, so at best one net in eight leaves one.
        self.assertLess(self.lengths[1], 0.1 * self.lengths[0], f"SEED={SEED}")
        for one in (design, out):
            for each in cells_of(one).values():
                del each["attributes"]["NEXTPNR_BEL"]
        self.assertEqual(out, design)

    def test_it_is_the_same_each_time(self):
        design = some(60)
        self.assertEqual(self.annealed(design), self.annealed(design))

    def test_registers_of_two_clocks_do_not_come_into_one_tile(self):
        design = some(300)
        for number, one in enumerate(cells_of(design).values()):
            if one["type"] == "TRELLIS_FF" and tile(one["attributes"]["NEXTPNR_BEL"])[0] % 2:
                one["connections"]["CLK"] = [OTHER_CLOCK]
        self.assert_legal(self.annealed(design))

    def test_no_lut_stands_beside_a_carry_or_before_a_register_of_a_constant(self):
        cells, spots = {}, (f"{column} {row} SLICE{name}.K0" for column in (4, 5)
                            for row in range(18, 27) for name in "ABCD")
        for at in range(36):
            column, row, name = at // 4 % 3, 18 + at // 12, "ABCD"[at % 4]
            cells[f"c{at}"] = lut(f"{8 + column} {row} SLICE{name}.K0",
                                  {"A": 99, "F": 100 + at}, MODE="CCU2")
            cells[f"r{at}"] = register(f"{12 + column} {row} SLICE{name}.FF0", {"Q": 200 + at})
            for net in (100 + at, 200 + at):  # a LUT for each
                cells[f"l{net}"] = lut(next(spots), {"A": net, "F": 200 + net})
        self.assert_legal(self.annealed(netlist(**cells)))

    def test_spacers_chains_and_constants_stay(self):
        stay = {"spacer$0": lut("10 20 SLICEA.K0", {"A": 100, "F": 9}),
                "$PACKER_GND": lut("10 20 SLICEB.K0", {"F": 8}),
                "chain": lut("10 20 SLICEC.K0", {"A": 100, "FCO": 7}, MODE="CCU2")}
        design = some(100)
        for name, bel in bels(design).items():
            if bel.startswith("X10/Y20/"):
                del cells_of(design)[name]
        cells_of(design).update(stay)
        out = self.annealed(design)
        for name in stay:
            self.assertEqual(bels(out)[name], bels(design)[name])
        self.assertNotIn("X10/Y20/SLICEC.K1", bels(out).values())  # beside the chain
        self.assertEqual(self.lengths[1], length(out, ["spacer$0"]))

    def test_a_memory_comes_to_its_registers(self):
        design = netlist(a=register("10 10 SLICEA.FF0", {"Q": 10, "M": 13}),
                         m=lut("16 10 SLICEA.K0", {"A": 10, "F": 11}, MODE="DPRAM"),
                         w=cell("TRELLIS_RAMW", "16 10 SLICEC.RAMW", {"A0": 10}),
                         b=register("10 11 SLICEB.FF0", {"M": 11, "Q": 13}),
                         **{f"c{at}": lut(f"{12 + at % 5} {9 + at // 5} SLICEA.K0",
                                          {"A": 50 + at, "F": 70 + at}) for at in range(15)
                            if at != 9})
        annealed = self.annealed(design)
        self.assert_legal(annealed)
        out = bels(annealed)
        self.assertEqual(tile(out["m"]), tile(out["w"]))
        for name in "ab":
            apart = [abs(one - other) for one, other in zip(tile(out["m"]), tile(out[name]))]
            self.assertLess(sum(apart), 4, name)

    def test_a_block_ram_comes_to_the_site_of_another(self):
        design = some(300)
        cells_of(design)["l"] = lut("30 46 SLICEA.K0", {"A": 9, "F": 10})
        # What drives it stays, or both may meet in the middle of the device.
        cells_of(design)["chain"] = lut("20 20 SLICEA.K0", {"A": 9, "F": 11}, MODE="CCU2")
        for name, site, net in (("near", "4 22 EBR0", 10), ("far", "114 82 EBR3", 11)):
            cells_of(design)[name] = cell("DP16KD", site, {"DIA0": net, "CLKA": CLOCK})
        out = bels(self.annealed(design))
        self.assertLess(tile(out["far"])[0], 40)
        self.assertEqual(tile(out["far"])[1], 22)
        self.assertRegex(out["far"], r"^X\d+/Y22/EBR[0-3]$")

    def test_a_slow_path_becomes_shorter_at_the_cost_of_other_wires(self):
        design, path = pulled(6), ["start", *(f"l{at}" for at in range(1, 7)), "end"]

        def steps(out):
            at = [tile(bels(out)[name]) for name in path]
            return sum(abs(one - other) for a, b in zip(at, at[1:]) for one, other in zip(a, b))

        short, fast, met = (self.annealed(design, *clocks)
                            for clocks in ((), ("clk", "400"), ("clk", "10")))
        self.assert_legal(fast)
        self.assertLess(steps(fast), 0.5 * steps(short))
        self.assertGreater(length(fast), length(short))
        # A clock with time to spare asks for nothing.
        self.assertLess(steps(fast), 0.5 * steps(met))
        self.assertLess(length(met), length(fast))

    def test_a_clock_that_is_not_there_is_an_error(self):
        done, out = self.run_to_out(self.file("placed", some(9)), "clock", "50")
        self.assertEqual((done.returncode, done.stderr), (1, "anneal.py: no net clock\n"))
        self.assertIsNone(out)

    def test_too_few_words_print_the_usage(self):
        for words in (("a",), ("placed", "clk", "out")):
            done = self.run_script(*words)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("usage: anneal.py PLACED [CLOCK MHZ ...] OUT"))


if __name__ == "__main__":
    print(f"SEED={SEED}")
    sys.exit(solver.test())
