#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What forms.py gives to the blocks of a form, and what it finds wrong with sums."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import blocks, forms  # noqa: E402


class FormsTest(unittest.TestCase):
    def test_blocks_get_what_the_engine_gives_them(self):
        large = forms.instances(forms.FORMS["1024"])
        self.assertEqual(set(large), set(blocks.tops()))
        self.assertEqual({large[name]["NumQps"] for name in ("rq", "sq", "timer")}, {1024})
        self.assertEqual((large["rq"]["Srq"], large["sq"]["Posts"], large["control"]["Skips"]),
                         (1, 1, 0))
        absent = forms.instances(forms.FORMS["absent"])
        self.assertEqual((absent["rq"]["NumQps"], absent["rq"]["NumSrqs"]), (256, 2))
        self.assertEqual([absent[name][key] for name, key in (
            ("rq", "Srq"), ("rq", "Atomics"), ("sq", "Posts"), ("key_check", "KeyOps"),
            ("rx", "Networks"), ("rx", "Attachments"))], [0] * 6)
        self.assertNotEqual(absent["control"]["Absent"], 0)

    def test_sums_may_not_grow(self):
        sums = {"1024": 1010, "absent": 50_000}
        self.assertEqual(list(forms.complaints(sums, sums, 1000)), [])
        grown = sums | {"1024": 1021}
        self.assertIn("1010 in forms.json", "".join(forms.complaints(sums, grown, 1000)))
        self.assertIn("at most 1010 are", "".join(forms.complaints(grown, grown, 962)))
        large = sums | {"absent": 52_001}
        self.assertEqual(len(list(forms.complaints(large, large, 1000))), 1)


if __name__ == "__main__":
    unittest.main()
