# SPDX-License-Identifier: Apache-2.0
"""Streams and buses of the core between its clock and `sys`."""
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen.genlib.cdc import BusSynchronizer, MultiReg

# Rows of a queue: as many as a memory of LUTs has, and more than a round trip of both clocks takes.
DEPTH = 16
# Fields of each channel that the core uses; bursts are INCR of whole beats.
AXI = {"aw": ("id", "addr", "len"), "w": ("data", "strb"), "b": ("id", "resp"),
       "ar": ("id", "addr", "len"), "r": ("id", "data", "resp")}
AXI_LITE = {"aw": ("addr",), "w": ("data", "strb"), "b": ("resp",), "ar": ("addr",),
            "r": ("data", "resp")}
INCR = 1


class StreamCrossing(LiteXModule):
    """Carries `names` and `last` of the stream `source` of one domain to `sink` of another."""

    def __init__(self, source, sink, names, cd_from, cd_to):
        layout = [(name, len(getattr(source, name))) for name in names]
        self.queue = queue = stream.ClockDomainCrossing(layout, cd_from, cd_to, depth=DEPTH)
        self.comb += [
            queue.sink.valid.eq(source.valid),
            source.ready.eq(queue.sink.ready),
            queue.sink.last.eq(source.last),
            sink.valid.eq(queue.source.valid),
            queue.source.ready.eq(sink.ready),
            sink.last.eq(queue.source.last),
        ]
        for name in names:
            self.comb += [getattr(queue.sink, name).eq(getattr(source, name)),
                          getattr(sink, name).eq(getattr(queue.source, name))]


class BusCrossing(LiteXModule):
    """Joins `master`, an AXI4 or AXI4-Lite of `cd_master`, to `slave` of `cd_slave`."""

    def __init__(self, master, slave, fields, cd_master, cd_slave):
        for channel, names in fields.items():
            first, second = getattr(master, channel), getattr(slave, channel)
            if channel in ("b", "r"):
                crossing = StreamCrossing(second, first, names, cd_slave, cd_master)
            else:
                crossing = StreamCrossing(first, second, names, cd_master, cd_slave)
            self.add_module(channel, crossing)
            if "len" in names:
                self.comb += [second.burst.eq(INCR), second.size.eq((slave.data_width // 8)
                                                                    .bit_length() - 1)]


class Levels(LiteXModule):
    """Signals that stay, one bit each or a number, from a domain to `sys`."""

    def __init__(self, cd_from):
        self.cd_from = cd_from

    def level(self, source, sink):
        self.specials += MultiReg(source, sink)

    def number(self, source, sink):
        synchronizer = BusSynchronizer(len(source), self.cd_from, "sys")
        self.submodules += synchronizer
        self.comb += [synchronizer.i.eq(source), sink.eq(synchronizer.o)]
