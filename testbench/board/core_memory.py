# SPDX-License-Identifier: Apache-2.0
"""Host memory of the core in cocotb: what its AXI master reads and writes."""
import ctypes
import itertools

from cocotbext.axi import AxiResp, AxiSlaveRead, AxiSlaveWrite

MEMORY = 1 << 21
BASE = 0x12_3456_7000_0000  # where the adapter sees the memory
PASID = 0x12345


class Memory:
    """What the AXI master reaches: bytes at BASE, of which some may fail."""

    def __init__(self, size=MEMORY):
        self.size = size
        self.bytes = (ctypes.c_uint8 * size)()
        self.view = memoryview(self.bytes).cast("B")
        self.failing = range(0)

    def offset(self, address, length):
        offset = address - BASE
        if not 0 <= offset <= self.size - length:
            raise IndexError(f"{address:#x} is outside of the memory")
        if any(at in self.failing for at in (address, address + length - 1)):
            raise ValueError(f"{address:#x} fails")
        return offset

    def read(self, address, length):
        offset = self.offset(address, length)
        return bytes(self.view[offset:offset + length])

    def write(self, address, data):
        offset = self.offset(address, len(data))
        self.view[offset:offset + len(data)] = data


class ReadSlave(AxiSlaveRead):
    """Serves the bursts that wait in any order, and their beats in turn, as ids allow."""

    def __init__(self, bus, clock, reset, memory, rng, error):
        self.memory, self.rng, self.error = memory, rng, error
        self.overtaken = self.failed = self.most = 0
        super().__init__(bus, clock, reset, reset_active_level=False)
        self.ar_channel.queue_occupancy_limit = 16

    async def _process_read(self):
        waiting = []
        arrivals = itertools.count()
        while True:
            while not self.ar_channel.empty() or not waiting:
                ar = await self.ar_channel.recv()
                assert int(ar.aruser) == PASID
                assert int(ar.arcache) == 0b0010
                size = 1 << int(ar.arsize)
                address, beats = int(ar.araddr), int(ar.arlen) + 1
                assert int(ar.arid) not in [one[1] for one in waiting]
                assert address // 4096 == (address + beats * size - 1) // 4096
                waiting.append([next(arrivals), int(ar.arid), address, size, beats])
            self.most = max(self.most, len(waiting))
            burst = self.rng.choice(waiting)
            self.overtaken += burst is not waiting[0]
            beat = self.r_channel._transaction_obj()
            beat.rid, beat.rresp = burst[1], AxiResp.OKAY
            try:
                data = self.memory.read(burst[2], burst[3])
            except ValueError:
                data, beat.rresp = bytes(burst[3]), self.error
                self.failed += 1
            beat.rdata = int.from_bytes(data, "little")
            burst[2] += burst[3]
            burst[4] -= 1
            beat.rlast = burst[4] == 0
            if burst[4] == 0:
                waiting.remove(burst)
            await self.r_channel.send(beat)


class WriteSlave(AxiSlaveWrite):
    """The model's writes, into the memory, with SLVERR where it fails."""

    def __init__(self, bus, clock, reset, memory):
        self.memory = memory
        self.failed = 0
        super().__init__(bus, clock, reset, reset_active_level=False)

    async def _write(self, address, data):
        try:
            self.memory.write(address, data)
        except ValueError:
            self.failed += 1
            raise
