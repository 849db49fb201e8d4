# SPDX-License-Identifier: Apache-2.0
"""Holds all frames of a link to the rules that a link shows (testbench/verify/judge)."""
import collections
import json
import weakref

from .library import LIB

Finding = collections.namedtuple("Finding", "frame statement text packet")
Note = collections.namedtuple("Note", "frame text")


class Judge:
    """`connected_once`: no two connections are between the same queue pairs."""

    def __init__(self, connected_once=True):
        self._judge = LIB.roce_judge_open(int(connected_once))
        self._closed = weakref.finalize(self, LIB.roce_judge_close, self._judge)

    def take(self, frame, time_ns=0):
        """The next frame on the link, of either side."""
        LIB.roce_judge_take(self._judge, int(time_ns), bytes(frame), len(frame))

    @property
    def report(self):
        """Counts, findings and notes; frames are numbered from 1."""
        return json.loads(LIB.roce_judge_report(self._judge).decode())

    @property
    def findings(self):
        return [Finding(**one) for one in self.report["findings"]]

    @property
    def notes(self):
        return [Note(**one) for one in self.report["notes"]]

    def check(self):
        """Raises AssertionError with what was found."""
        found = self.findings
        assert not found, "\n".join(
            f"frame {one.frame} breaks {one.statement}: {one.text}; {one.packet}" for one in found)
