#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spacers in small placed netlists.

usage: spacers_test.py DIR

numpy and scipy come from PyPI into DIR/solver. Without a network for that the test is skipped
(status 77).
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import solver  # noqa: E402

HOT, COLD = (20, 30), (90, 70)


def netlist(cells):
    """A netlist of these cells, with a small module beside it."""
    nets = {f"n{bit}": {"bits": [bit]} for cell in cells.values()
            for bits in cell["connections"].values() for bit in bits}
    return {"modules": {"black_box": {"cells": {}, "netnames": {}},
                        "top": {"cells": cells, "netnames": nets}}}


def design(count):
    """As many LUTs in a hot region as in a cold one, and a register."""
    cells = {f"l{at}": {"type": "LUT4", "connections": {"A": [at + 2], "Z": [1000 + at]}}
             for at in range(2 * count)}
    return netlist({**cells, "q": {"type": "TRELLIS_FF", "connections": {"Q": [5000]}}})


def placed(design, count):
    """The same as nextpnr writes it: the first `count` LUTs in the hot region."""
    cells = {}
    for name, cell in design["modules"]["top"]["cells"].items():
        x, y = HOT if name[1:].isdigit() and int(name[1:]) < count else COLD
        cells[name] = {"type": cell["type"].replace("LUT4", "TRELLIS_COMB"),
                       "attributes": {"NEXTPNR_BEL": f"X{x}/Y{y}/SLICEA.K0"},
                       "connections": {"F": cell["connections"].get("Z", [])}}
    return netlist(cells)


def heat(wires=5):
    """Wires too few in one tile."""
    table = np.zeros((127, 97))
    table[HOT] = wires
    return table


class SpacersTest(solver.ScriptTest):
    script = ROOT / "rtl/syn/spacers.py"

    @classmethod
    def setUpClass(cls):
        global np, spacers
        import numpy as np
        from rtl.syn import spacers

    def table(self, heat):
        """As nextpnr writes it: a line for each column, a comma after each number."""
        return self.file("heat", "".join("".join(f"{int(one)}," for one in line) + "\n"
                                         for line in heat))

    def test_spacers_stand_where_wires_are_short(self):
        base = design(400)
        out = json.loads(json.dumps(base))
        count = spacers.add(placed(base, 400), spacers.heat_map(self.table(heat())), out)
        self.assertEqual(count, int(spacers.MOST * 400))  # less than there is room for
        cells = out["modules"]["top"]["cells"]
        read = {cell["connections"]["A"][0] for name, cell in cells.items()
                if name.startswith("spacer$")}
        self.assertEqual(read, {1000 + at for at in range(400)})
        driven = [cell["connections"]["Z"][0] for cell in cells.values() if cell["type"] == "LUT4"]
        self.assertEqual(len(set(driven)), len(driven))
        self.assertNotIn(5000, driven)

    def test_there_are_no_more_than_the_device_has_room_for(self):
        free = spacers.LUTS - 2 * 40000
        base = design(40000)
        self.assertEqual(spacers.add(placed(base, 40000), heat(), base),
                         int(spacers.SHARE * free))

    def test_without_congestion_there_are_none(self):
        base = design(10)
        self.assertEqual(spacers.add(placed(base, 10), heat(0), base), 0)

    def test_a_second_round_adds_to_the_first(self):
        base = design(4)
        first = spacers.add(placed(base, 4), heat(), base)
        second = spacers.add(placed(base, 4), heat(), base)
        names = [name for name in base["modules"]["top"]["cells"] if name.startswith("spacer$")]
        self.assertEqual((first, second, len(names)), (6, 6, 12))

    def test_what_was_added_is_removed(self):
        base = design(4)
        out = self.file("out", "")
        done = self.run_script("add", self.file("placed", placed(base, 4)), self.table(heat()),
                               self.file("netlist", base), out)
        self.assertEqual((done.returncode, done.stdout), (0, "6 spacers\n"), done.stderr)
        spaced = json.loads(out.read_text())
        done = self.run_script("remove", self.file("spaced", placed(spaced, 4)), out)
        self.assertEqual((done.returncode, done.stdout), (0, "6 spacers\n"), done.stderr)
        self.assertEqual(json.loads(out.read_text()), placed(base, 4))

    def test_netlists_that_differ_are_rejected(self):
        done = self.run_script("add", self.file("placed", placed(design(3), 3)),
                               self.table(heat()), self.file("netlist", design(4)),
                               self.folder / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the placed netlist has other LUTs", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_other_words_are_rejected(self):
        for words in ((), ("add",), ("remove", "a"), ("keep", "a", "b")):
            done = self.run_script(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn("usage: spacers.py add", done.stderr)


if __name__ == "__main__":
    sys.exit(solver.test())
