# SPDX-License-Identifier: Apache-2.0
"""Peer, judge and tests of conformance on the AXI-Streams of an adapter in cocotb.

A stream to the adapter has a coroutine send(frame), one from it recv(), empty() and wait(): those
of cocotbext-axi (AxiStreamSource, AxiStreamSink), or what has the same methods. A frame is one
without FCS; where the adapter's streams carry something else, `wrap` and `unwrap` translate.
"""
import cocotb
from cocotb.triggers import Event, First, Timer
from cocotb.utils import get_sim_time

from .conform import Suite, Timing
from .faults import Faults
from .peer import NEVER


def bytes_of(frame):
    """The bytes of a frame of cocotbext-axi, or of bytes."""
    return bytes(frame.tdata) if hasattr(frame, "tdata") else bytes(frame)


def now_ns():
    return int(get_sim_time("ns"))


def same(frame):
    return frame


class Wire:
    """Both streams as a wire for conform_in_bench. `watch` is called with each frame that passes,
    and True for one of the adapter."""

    def __init__(self, to_adapter, from_adapter, wrap=same, unwrap=same, watch=None):
        self.to_adapter, self.from_adapter = to_adapter, from_adapter
        self.wrap, self.unwrap, self.watch = wrap, unwrap, watch or (lambda frame, own: None)

    async def send(self, frame):
        self.watch(frame, False)
        await self.to_adapter.send(self.wrap(frame))

    def take(self):
        while not self.from_adapter.empty():
            frame = self.unwrap(bytes_of(self.from_adapter.recv_nowait()))
            if frame is not None:
                self.watch(frame, True)
                return frame
        return None

    async def wait(self, ns):
        if ns > 0 and self.from_adapter.empty():
            await self.from_adapter.wait(ns, "ns")


async def conform_in_bench(device, wire, ids="", timing=None, seed=1, seen=None):
    """Runs the tests of the statements `ids` on `device` in simulated time; returns a Report."""
    send = cocotb.function(wire.send)
    wait = cocotb.function(wire.wait)

    @cocotb.function
    async def call(awaitable):
        return await awaitable

    class Outside:
        """The wire as the thread of the tests sees it."""
        @staticmethod
        def send(frame):
            send(frame)

        @staticmethod
        def take():
            return wire.take()

    suite = Suite(device, Outside, now_ns, wait, call, seen)
    return await cocotb.external(suite.run)(ids, timing or Timing(), seed)


class Cable:
    """Connects a Peer to the streams of an adapter, through faults of each direction.

        cable = Cable(peer, source, sink, to_adapter=Faults(drop(nth=3)), judge=Judge())
        cable.start()
        pair.write(...); cable.kick()
        await cable.until(lambda: pair.completions, 100_000)
    """

    def __init__(self, peer, source, sink, to_adapter=None, from_adapter=None, judge=None,
                 wrap=same, unwrap=same):
        self.peer, self.source, self.sink, self.judge = peer, source, sink, judge
        self.to_adapter, self.from_adapter = to_adapter or Faults(), from_adapter or Faults()
        self.wrap, self.unwrap = wrap, unwrap
        self.frames = []  # (time, whether the adapter sent it, bytes)
        self.changed, self.moved = Event(), Event()

    def start(self):
        return [cocotb.start_soon(self._receive()), cocotb.start_soon(self._work())]

    def kick(self):
        """Something was posted."""
        self.changed.set()

    def _note(self, frame, own):
        self.frames.append((now_ns(), own, frame))
        if self.judge is not None:
            self.judge.take(frame, now_ns())

    async def _receive(self):
        while True:
            frame = self.unwrap(bytes_of(await self.sink.recv()))
            if frame is None:
                continue
            self._note(frame, True)
            for arrived in self.from_adapter.apply(frame):
                self.peer.set_time(now_ns())
                self.peer.receive(arrived)
            self.changed.set()

    async def _work(self):
        while True:
            self.changed.clear()
            self.peer.set_time(now_ns())
            for frame in list(self.peer.frames()):
                self._note(frame, False)
                for data in self.to_adapter.apply(frame):
                    await self.source.send(self.wrap(data))
            self.moved.set()
            self.moved.clear()
            deadline = self.peer.deadline
            if deadline == NEVER:
                await self.changed.wait()
            else:  # it may be too early
                await First(self.changed.wait(), Timer(max(1, deadline - now_ns()), "ns"))

    async def until(self, done, limit_ns):
        """Waits until `done()` holds; raises AssertionError after `limit_ns`."""
        self.kick()
        end = now_ns() + limit_ns
        while not done():
            left = end - now_ns()
            assert left > 0, f"nothing within {limit_ns} ns"
            await First(self.moved.wait(), Timer(left, "ns"))
