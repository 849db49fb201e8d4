# SPDX-License-Identifier: Apache-2.0
"""A link between two peers, without a simulator: time is a number."""
import heapq
import itertools

from .faults import Faults
from .peer import NEVER


class Link:
    """Carries frames of two peers to each other, `delay` ns late, through faults of each direction.

    Each frame that is sent goes to `judge`, and is in `frames`: time, sender (0 or 1), bytes.
    """

    def __init__(self, a, b, faults=(None, None), judge=None, delay_ns=500, gap_ns=100):
        self.ends, self.judge = (a, b), judge
        self.faults = tuple(one or Faults() for one in faults)
        self.delay, self.gap = delay_ns, gap_ns
        self.now, self.frames = 0, []
        self.arriving, self.order = [], itertools.count()
        self.free = [0, 0]  # when each direction can take the next frame

    def _send(self, side, data):
        at = max(self.now, self.free[side])
        self.free[side] = at + self.gap
        heapq.heappush(self.arriving, (at + self.delay, next(self.order), side, data))

    def _collect(self):
        for side, peer in enumerate(self.ends):
            for sent in peer.frames():
                if self.judge is not None:
                    self.judge.take(sent, self.now)
                self.frames.append((self.now, side, sent))
                for data in self.faults[side].apply(sent):
                    self._send(side, data)

    def run(self, until, limit_ns=10**10):
        """Runs until `until()` holds. False: nothing more happens, or the limit has passed."""
        end = self.now + limit_ns
        while True:
            self._collect()
            if until():
                return True
            times = [peer.deadline for peer in self.ends]
            if self.arriving:
                times.append(self.arriving[0][0])
            at = min(times)
            if not self.arriving:
                for side in (0, 1):
                    for data in self.faults[side].release():
                        self._send(side, data)
                if self.arriving:
                    continue
            if at == NEVER or at > end:
                return False
            self.now = max(self.now + (at <= self.now), at)
            for peer in self.ends:
                peer.set_time(self.now)
            while self.arriving and self.arriving[0][0] <= self.now:
                _, _, side, data = heapq.heappop(self.arriving)
                self.ends[1 - side].receive(data)


def connect(a, b, **options):
    """Two queue pairs of two peers, each the other's; `options` are those of QueuePair.connect."""
    a.connect(b.peer.gid, b.number, b.psn, **options)
    b.connect(a.peer.gid, a.number, a.psn, **options)
