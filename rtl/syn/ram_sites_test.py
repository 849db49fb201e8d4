#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sites of block RAMs on small placed netlists whose best sites are known.

usage: ram_sites_test.py DIR

numpy and scipy come from PyPI into DIR/solver. Without a network for that the test is skipped
(status 77).
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import solver  # noqa: E402


def cell(kind, place, *bits):
    """A cell at a place, one pin to each net."""
    return {"type": kind, "attributes": {"NEXTPNR_BEL": f"X{place[0]}/Y{place[1]}/A"},
            "connections": {f"P{at}": [bit] for at, bit in enumerate(bits)}}


def design(cells):
    """A netlist with a small module beside the one that counts."""
    return {"modules": {"black_box": {"cells": {}}, "top": {"cells": cells}}}


def ram(place, *bits):
    return cell("DP16KD", place, *bits)


def logic(place, *bits):
    return cell("TRELLIS_COMB", place, *bits)


def length(placement):
    """Half the perimeters of all nets."""
    ends = [(along, *placement.ends(along)) for along in placement.at.T]
    return sum(float(np.sum(along[high] - along[low])) for along, low, high in ends)


class RamSitesTest(solver.ScriptTest):
    script = ROOT / "rtl/syn/ram_sites.py"

    """What the script makes of the cells of a placed netlist."""

    @classmethod
    def setUpClass(cls):
        global np, ram_sites
        import numpy as np
        from rtl.syn import ram_sites

    def choose(self, cells):
        return ram_sites.choose(design(cells), design(json.loads(json.dumps(cells))))

    def test_the_sites_are_those_of_the_device(self):
        self.assertEqual(len(set(ram_sites.SITES)), 208)  # as in the data sheet
        names = [ram_sites.bel(site) for site in ram_sites.SITES]
        for name in ("X4/Y22/EBR0", "X10/Y22/EBR3", "X58/Y46/EBR0", "X64/Y70/EBR3",
                     "X69/Y70/EBR0", "X120/Y82/EBR3"):  # as nextpnr calls them
            self.assertIn(name, names)

    def test_length_is_half_the_perimeters(self):
        placement = ram_sites.Springs(
            {"cells": {"a": logic((1, 1), 7, 8), "b": logic((4, 3), 7), "c": logic((2, 9), 7, 8),
                       "unplaced": {"type": "GSR", "attributes": {}, "connections": {}}}})
        self.assertEqual(length(placement), (3 + 8) + (1 + 8))

    def test_springs_have_the_energy_of_the_length(self):
        rng = np.random.default_rng(5)
        cells = {str(at): logic(rng.integers(0, 90, 2), *map(int, rng.integers(0, 9, 2)))
                 for at in range(30)}
        placement = ram_sites.Springs({"cells": cells})
        energy = 0.0
        for along in placement.at.T:
            along *= 1e6  # against which the 1 in the strength is nothing
            energy += along @ placement.springs(along) @ along
        self.assertAlmostEqual(energy / length(placement), 2, places=3)

    def test_a_ram_goes_to_its_logic(self):
        cells = {"r": ram((120, 82), 1, 2), "a": logic((14, 47), 1), "b": logic((12, 45), 2)}
        self.assertEqual(self.choose(cells), {"r": (13, 46)})

    def test_what_stands_beside_a_ram_goes_along(self):
        """The register beside the RAM does not hold it; the many cells it drives pull."""
        cells = {"r": ram((120, 82), 1), "q": logic((121, 82), 1, *range(2, 40))}
        cells.update({str(bit): logic((15, 22), bit) for bit in range(2, 40)})
        self.assertLess(self.choose(cells)["r"][0], 60)

    def test_each_site_is_given_once(self):
        cells = {f"r{at}": ram((4, 22), 100 + at) for at in range(60)}
        cells.update({f"a{at}": logic((60, 46), 100 + at) for at in range(60)})
        chosen = self.choose(cells)
        self.assertEqual(len(set(chosen.values())), 60)
        self.assertGreater(sum(site[1] == 46 for site in chosen.values()), 30)

    def run_on(self, placed, netlist):
        return self.run_to_out(self.file("placed", placed), self.file("netlist", netlist))

    def test_the_netlist_gets_the_sites_and_nothing_else(self):
        cells = {"r": ram((4, 22), 1), "a": logic((120, 82), 1)}
        done, out = self.run_on(design(cells), design(cells))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(out["modules"]["top"]["cells"]["r"]["attributes"].pop("BEL"),
                         "X120/Y82/EBR3")
        self.assertEqual(out, design(cells))
        self.assertIn("1 block RAMs: 0 in row 22, 0 in row 46, 0 in row 70, 1 in row 82",
                      done.stdout)

    def test_netlists_that_differ_are_rejected(self):
        other = {"s": ram((4, 22), 1), "a": logic((9, 9), 1)}
        done, out = self.run_on(design({"r": ram((4, 22), 1)}), design(other))
        self.assertEqual(done.returncode, 1)
        self.assertIn("the placed netlist has other block RAMs", done.stderr)
        self.assertIsNone(out)

    def test_more_rams_than_sites_are_rejected(self):
        cells = {f"r{at}": ram((4, 22), at) for at in range(209)}
        done, _ = self.run_on(design(cells), design(cells))
        self.assertIn("209 block RAMs, 208 sites", done.stderr)


if __name__ == "__main__":
    sys.exit(solver.test())
