# SPDX-License-Identifier: Apache-2.0
"""The core's AXI4 master on what LiteX has for memory."""
from litedram.frontend.axi import LiteDRAMAXI2Native
from litex.gen import LiteXModule
from litex.soc.interconnect import axi, stream, wishbone
from migen import Array, If, Signal, log2_int

DEPTH = 16  # bursts in flight


class Widen(LiteXModule):
    """Bursts of whole narrow beats, from any of them on, as bursts of whole wide ones.

    `slave` is the narrow AXI4, `master` the wide one, whose responses must come in order, as those
    of LiteDRAM do. What the converter of LiteX makes of a burst is right only when it begins and
    ends with a whole wide beat.
    """

    def __init__(self, slave, data_width):
        self.master = axi.AXIInterface(data_width=data_width, address_width=slave.address_width,
                                       id_width=slave.id_width)
        self.ratio = data_width // slave.data_width
        self.shift = log2_int(slave.data_width // 8)
        self.bits = log2_int(self.ratio)
        self._read(slave, self.master)
        self._write(slave, self.master)

    def _requests(self, request, wide):
        """The channel of addresses; a queue of first lane and length of each burst."""
        queue = stream.SyncFIFO([("lane", self.bits), ("len", 8)], DEPTH)
        self.submodules += queue
        low = self.shift + self.bits
        lane = request.addr[self.shift:low]
        self.comb += [
            request.connect(wide, omit={"valid", "ready", "user", "addr", "len", "size"}),
            wide.addr[low:].eq(request.addr[low:]),
            wide.len.eq((request.len + lane) >> self.bits),
            wide.size.eq(low),
            wide.valid.eq(request.valid & queue.sink.ready),
            request.ready.eq(wide.ready & queue.sink.ready),
            queue.sink.valid.eq(request.valid & wide.ready),
            queue.sink.lane.eq(lane),
            queue.sink.len.eq(request.len),
        ]
        return queue.source

    def _beats(self, burst, taken):
        """Lane and end of the beat in hand; `taken` moves to the next."""
        index, lane, last = Signal(8), Signal(self.bits), Signal()
        self.comb += [
            lane.eq(burst.lane + index),
            last.eq(index == burst.len),
            burst.ready.eq(taken & last),
        ]
        self.sync += If(taken, If(last, index.eq(0)).Else(index.eq(index + 1)))
        return lane, last

    def _read(self, slave, master):
        burst, taken = self._requests(slave.ar, master.ar), Signal()
        lane, last = self._beats(burst, taken)
        size = slave.data_width
        lanes = Array(master.r.data[at * size:(at + 1) * size] for at in range(self.ratio))
        self.comb += [
            slave.r.valid.eq(master.r.valid & burst.valid),
            slave.r.data.eq(lanes[lane]),
            slave.r.id.eq(master.r.id),
            slave.r.resp.eq(master.r.resp),
            slave.r.last.eq(last),
            taken.eq(slave.r.valid & slave.r.ready),
            master.r.ready.eq(taken & (last | (lane == self.ratio - 1))),
        ]

    def _write(self, slave, master):
        burst, taken = self._requests(slave.aw, master.aw), Signal()
        lane, last = self._beats(burst, taken)
        size = slave.data_width
        whole = Signal()
        self.comb += [
            whole.eq(last | (lane == self.ratio - 1)),
            master.w.valid.eq(slave.w.valid & burst.valid & whole),
            master.w.last.eq(last),
            slave.w.ready.eq(burst.valid & (~whole | master.w.ready)),
            taken.eq(slave.w.valid & slave.w.ready),
            master.b.connect(slave.b, omit={"user"}),
        ]
        # Earlier lanes of the wide beat, until it is whole.
        for at in range(self.ratio):
            data, strobes = Signal(size), Signal(size // 8)
            now = lane == at
            self.comb += [
                master.w.data[at * size:(at + 1) * size].eq(data),
                master.w.strb[at * size // 8:(at + 1) * size // 8].eq(strobes),
                If(now,
                    master.w.data[at * size:(at + 1) * size].eq(slave.w.data),
                    master.w.strb[at * size // 8:(at + 1) * size // 8].eq(slave.w.strb),
                ),
            ]
            self.sync += If(taken,
                If(whole,
                    strobes.eq(0),
                ).Elif(now,
                    data.eq(slave.w.data),
                    strobes.eq(slave.w.strb),
                ),
            )


class DramPort(LiteXModule):
    """The AXI4 master on a native port of LiteDRAM of at least its width, from address `base` on.

    A response to a write comes when the controller has its data, and one bank executes in order, so
    what reads after it, by any port, sees the data. The converter of LiteDRAM's ports is not used:
    after AXI, data may reach it ahead of their command, which the bridge of AXI does not expect.
    """

    def __init__(self, memory, port, base):
        if port.data_width < memory.data_width:
            raise ValueError(f"the port has {port.data_width} bits, the core {memory.data_width}")
        if port.data_width > memory.data_width:
            self.widen = Widen(memory, port.data_width)
            memory = self.widen.master
        self.bridge = LiteDRAMAXI2Native(memory, port, base_address=base)


class BusPort(LiteXModule):
    """The AXI4 master as a master of a SoC's bus of any standard: a beat at a time, by Wishbone.

    LiteX's converters between widths of AXI are not used: for a bus of half the width a burst of
    more than 128 beats would have a length that its field cannot hold.
    """

    def __init__(self, memory, soc, name):
        self.wishbone = wishbone.Interface(data_width=memory.data_width,
                                           address_width=memory.address_width, addressing="word")
        self.bridge = axi.AXI2Wishbone(memory, self.wishbone)
        soc.bus.add_master(name, self.wishbone)
