# SPDX-License-Identifier: Apache-2.0
"""The model of a Peer as adapter under test: an example of a Device, a target for planted bugs."""
import collections

from .conform import PEER_MAC, Device, Timing, conform
from .library import LIB, U8
from .peer import NEVER, Peer


class ModelDevice(Device):
    """`change(frame)` returns what becomes of a frame that the model sends: a list of frames."""
    text = "the model of Rocinante"

    def __init__(self, address="10.0.0.1", change=None, memory=8 << 20):
        self.peer = Peer(address, mac=self.mac, next_hop=PEER_MAC, memory=memory,
                         second="fd00::1")
        super().__init__(address, memory=1)
        self.raw = (U8 * memory).from_address(LIB.roce_peer_memory(self.peer._peer))
        self.change = change or (lambda frame: [frame])
        self.arrived = collections.deque()
        self.now = 0

    def hello(self):
        return self.peer.request(1, [1])[1]

    def request(self, operation, words, data):
        code, reply, _ = self.peer.request(operation, words, data)
        self.advance(0)
        if code:
            raise OSError(code, f"request {operation}")
        return reply

    # The wire, and time.
    def send(self, frame):
        self.peer.receive(frame)
        self.advance(0)

    def take(self):
        return self.arrived.popleft() if self.arrived else None

    def advance(self, ns):
        """Lets time pass; stops after a frame that the model sends, and after one of its timers, as
        it may have completed something."""
        end = self.now + ns
        self._collect()
        if not self.arrived and self.now < end:
            deadline = self.peer.deadline
            self.now = min(end, max(self.now + 1, deadline)) if deadline != NEVER else end
            self.peer.set_time(self.now)
            self._collect()

    def _collect(self):
        for frame in self.peer.frames():
            self.arrived.extend(self.change(frame))

    def conform(self, ids="", timing=None, **options):
        return conform(self, self, lambda: self.now, self.advance, ids,
                       timing=timing or Timing(look=10**9, settle=0), **options)
