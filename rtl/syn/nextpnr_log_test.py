#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is read from logs of nextpnr."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import nextpnr_log  # noqa: E402

LOG = """
Warning: Max frequency for clock '$glbnet$a': 26.52 MHz (FAIL at 50.00 MHz)
Info: Max frequency for clock        'b': 400.00 MHz (PASS at 100.00 MHz)
Info: Max frequency for clock '$glbnet$a': 31.00 MHz (FAIL at 50.00 MHz)
"""


class ClocksTest(unittest.TestCase):
    def test_the_end_of_the_log_counts(self):
        self.assertEqual(nextpnr_log.clocks(LOG), {"$glbnet$a": (31, 50), "b": (400, 100)})
        self.assertEqual(nextpnr_log.clocks(""), {})

    def test_a_clock_that_fails_by_less_than_a_digit_is_missed(self):
        for verdict, missed in (("FAIL", True), ("PASS", False)):
            found = nextpnr_log.clocks(f"clock 'a': 50.00 MHz ({verdict} at 50.00 MHz)")
            self.assertEqual(bool(nextpnr_log.missed(found)), missed)

    def test_each_clock_keeps_its_frequency(self):
        self.assertEqual(nextpnr_log.frequencies(nextpnr_log.clocks(LOG)),
                         'FREQUENCY NET "$glbnet$a" 50.00 MHz;\nFREQUENCY NET "b" 100.00 MHz;\n')

    def test_only_missed_clocks_need_less(self):
        self.assertEqual(nextpnr_log.frequencies(nextpnr_log.clocks(LOG), 0.7),
                         'FREQUENCY NET "$glbnet$a" 35.00 MHz;\nFREQUENCY NET "b" 100.00 MHz;\n')

    def test_the_slowest_clock_counts(self):
        for clocks, least in (({}, 1), ({"a": (50, 40)}, 1), ({"a": (50, 40), "b": (20, 25)}, 0.8),
                              ({"a": (10, 40), "b": (20, 25)}, 0.25)):
            found = {name: nextpnr_log.Clock(*clock) for name, clock in clocks.items()}
            self.assertEqual(nextpnr_log.least(found), least)


class IterationsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = pathlib.Path(folder.name) / "log"

    def write(self, *counts):
        self.log.write_text("".join(
            f"Info:     iter={at} wires=99999 overused={shared} overuse=1 "
            + (f"tmgfail={late[0]} archfail=NA\n" if late else "archfail=NA\n")
            for at, (shared, *late) in enumerate(counts, 1)))

    def test_a_router_is_stuck_when_it_comes_to_no_fewer_shared_wires(self):
        self.assertFalse(nextpnr_log.stuck(self.log))
        wait = nextpnr_log.PATIENCE
        last, most = nextpnr_log.LAST, nextpnr_log.TENACITY
        some, haste = nextpnr_log.SOME, nextpnr_log.HASTE
        for shared, is_stuck in (((), False), ((90, 80, *[80] * (wait - 1)), False),
                                 ((90, 80, *[80] * wait), True), ((90, *[99] * wait), True),
                                 ((90, 80, *[90] * (wait - 1), 70), False),
                                 ((last + 1, *[last + 1] * wait), True),
                                 ((last, *[last] * wait), False),
                                 ((90, 1, *[1] * (most - 1)), False),
                                 ((90, 1, *[1] * most), True),
                                 ((some, *[some] * (wait - 1)), False),
                                 ((some + 1, *[some + 1] * (haste - 1)), False),
                                 ((some + 1, *[9000] * haste), True),
                                 ((9000, *[9000] * (haste - 1), 8999), False)):
            self.write(*((count,) for count in shared))
            self.assertEqual(nextpnr_log.stuck(self.log), is_stuck, shared)

    def test_late_nets_are_hopeless_when_there_are_no_fewer(self):
        self.assertFalse(nextpnr_log.hopeless(self.log))
        wait = nextpnr_log.PATIENCE
        for counts, is_hopeless in (([], False), ([(9, 40), *[(1, 40)] * wait], False),
                                    ([(9, 40), *[(1, 41)] * (wait - 1)], False),
                                    ([(9, 40), *[(1, 41)] * wait], True),
                                    ([(9, 40), (2, 0), *[(3, 0)] * wait], True),
                                    ([(9, 40), *[(1, 41)] * (wait - 1), (9, 39)], False)):
            self.write(*counts)
            self.assertEqual(nextpnr_log.hopeless(self.log), is_hopeless, counts)


if __name__ == "__main__":
    unittest.main()
