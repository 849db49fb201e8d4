# SPDX-License-Identifier: Apache-2.0
"""A buffer of Ethernet frames on the bus of a SoC, for a host program."""
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import axi, wishbone
from litex.soc.interconnect.csr import CSR, CSRStatus
from migen import Cat, If, Memory, Mux, Signal, log2_int

SLOTS = 2
SLOT_BYTES = 2048


class FrameBuffer(LiteXModule):
    """Keeps frames of the AXI4-Stream `sink` until the program has read them.

    A frame of more than `slot_bytes`, or one that finds all slots taken, is dropped and counted;
    the stream never waits. `bus` reads the bytes of the oldest frame; `length` is how many it has,
    0 when there is none; a write to `pop` releases it.
    """

    def __init__(self, data_width, slots=SLOTS, slot_bytes=SLOT_BYTES):
        self.sink = sink = axi.AXIStreamInterface(data_width)
        self.bus = bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.length = CSRStatus(16, description="Bytes of the oldest frame; 0: none waits.")
        self.pop = CSR()
        self.dropped = CSRStatus(32, description="Frames that were too long or found no room.")
        self.slots, self.slot_bytes = slots, slot_bytes
        beat_bytes, beats = data_width // 8, slot_bytes * 8 // data_width
        words = log2_int(data_width // 32)
        memory = Memory(data_width, slots * beats)
        write, read = memory.get_port(write_capable=True), memory.get_port()
        self.specials += memory, write, read

        lengths = Memory(16, slots)
        length_write = lengths.get_port(write_capable=True)
        length_read = lengths.get_port(async_read=True)
        self.specials += lengths, length_write, length_read

        newest, oldest = Signal(max=slots), Signal(max=slots)
        level = Signal(max=slots + 1)
        at, lost, end = Signal(max=beats + 1), Signal(), Signal()
        fits, keep, popped, last_bytes = Signal(), Signal(), Signal(), Signal(max=beat_bytes + 1)
        self.comb += [
            sink.ready.eq(1),
            end.eq(sink.valid & sink.last),
            fits.eq(~lost & (level != slots) & (at != beats)),
            keep.eq(end & fits),
            popped.eq(self.pop.re & (level != 0)),
            write.adr.eq(Cat(at[:log2_int(beats)], newest)),
            write.dat_w.eq(sink.data),
            write.we.eq(sink.valid & fits),
            last_bytes.eq(sum((sink.keep[number] for number in range(beat_bytes)), 0)),
            length_write.adr.eq(newest),
            length_write.dat_w.eq(at * beat_bytes + last_bytes),
            length_write.we.eq(keep),
            length_read.adr.eq(oldest),
            self.length.status.eq(Mux(level != 0, length_read.dat_r, 0)),
            read.adr.eq(Cat(bus.adr[words:words + log2_int(beats)], oldest)),
        ]
        lane = Signal(max(words, 1))
        self.comb += bus.dat_r.eq(read.dat_r >> (lane * 32) if words else read.dat_r)
        self.sync += [
            lane.eq(bus.adr[:words] if words else 0),
            bus.ack.eq(bus.cyc & bus.stb & ~bus.ack),
            level.eq(level + keep - popped),
            If(keep, newest.eq(Mux(newest == slots - 1, 0, newest + 1))),
            If(popped, oldest.eq(Mux(oldest == slots - 1, 0, oldest + 1))),
            If(end,
                at.eq(0),
                lost.eq(0),
                If(~fits, self.dropped.status.eq(self.dropped.status + 1)),
            ).Elif(sink.valid,
                If(fits, at.eq(at + 1)).Else(lost.eq(1)),
            ),
        ]

    def add_to_bus(self, soc, name, origin):
        soc.bus.add_slave(name, self.bus,
                          SoCRegion(origin=origin, size=self.slot_bytes, cached=False))
