# SPDX-License-Identifier: Apache-2.0
"""Tests of two adapters in shells of taxi's modules on one PCIe root complex, run by taxi_test.py.

PCIe is that of cocotbext-pcie, the MACs those of cocotbext-eth; packets and their ICRC are judged
by scapy. Drivers and firmware are the C++ of the project, in a thread whose register accesses are
reads and writes of BAR 0.
"""
import ctypes
import os
import pathlib
import random

import cocotb
from cocotb.triggers import FallingEdge
from shell_host import Host, ShellSide, ShellWork, Side, cable, settle

REGISTER_ID, REGISTER_VERSION, REGISTER_CONTROL = 0x0, 0x4, 0xC
ADDRESSES = (0x12_3456_7000_0000, 0x23_4567_8000_0000)  # where the adapters see memory


class Bench:
    def __init__(self, dut):
        self.rng = random.Random(cocotb.RANDOM_SEED)
        self.rc = Host()
        self.left, self.right = (Side(self.rc, side, address)
                                 for side, address in zip((dut.left, dut.right), ADDRESSES))
        self.sides = (self.left, self.right)
        self.packets = []

    async def start(self):
        await FallingEdge(self.left.dut.pcie_rst)
        await settle(self.left)
        await self.rc.enumerate()
        for side in self.sides:
            await side.start()
        for sender, receiver in (self.sides, self.sides[::-1]):
            cocotb.start_soon(cable(sender, receiver, self.packets, 8))

    def run(self, scenario, work):
        sides = [ShellSide(side) for side in self.sides]
        library = ctypes.CDLL(os.environ["TAXI_PROGRAM"])
        reason = ctypes.create_string_buffer(300)
        code = library.shell_run(*(ctypes.byref(side) for side in sides), scenario.encode(),
                                 ctypes.byref(work), reason, ctypes.c_uint64(len(reason)))
        return code, reason.value.decode()

    async def expect(self, scenario, data=b""):
        work = ShellWork(file=data, bytes=len(data), seed=self.rng.getrandbits(63),
                         mtu=int(os.environ["TAXI_MTU"]))
        code, reason = await cocotb.task.bridge(self.run)(scenario, work)
        assert code == 0, reason
        return work

    def judged(self):
        """Packets that scapy judged; each had a right ICRC or the poisoned one."""
        return [one for _, one in self.packets if one and one[0] is not None]


@cocotb.test()
async def registers(dut):
    """BAR 0 of both adapters has the registers of model/spec/registers.hpp."""
    bench = Bench(dut)
    await bench.start()
    for side in bench.sides:
        assert await side.bar.read_dword(REGISTER_ID) == 0x524F4349
        assert await side.bar.read_dword(REGISTER_VERSION) == 1
        for value in (3, 0, 1):
            await side.bar.write_dword(REGISTER_CONTROL, value)
            assert await side.bar.read_dword(REGISTER_CONTROL) == value
    # Each function has registers of its own.
    await bench.left.bar.write_dword(REGISTER_CONTROL, 0)
    assert await bench.right.bar.read_dword(REGISTER_CONTROL) == 1
    # A write without all strobes is ignored; a read outside of the map gives 0.
    await bench.right.bar.write(REGISTER_CONTROL, b"\2")
    assert await bench.right.bar.read_dword(REGISTER_CONTROL) == 1
    assert await bench.right.bar.read_dword(0xF00) == 0


@cocotb.test()
async def interrupts(dut):
    """An armed completion queue raises a message (MSI), one for each time that it is armed."""
    bench = Bench(dut)
    await bench.start()
    await bench.expect("interrupt")
    assert bench.left.interrupts == 3


@cocotb.test()
async def carry(dut):
    """A file goes from one adapter's memory to the other's by WRITEs, and back by READs."""
    bench = Bench(dut)
    await bench.start()
    size = int(os.environ["TAXI_BYTES"])
    program = pathlib.Path(os.environ["TAXI_PROGRAM"]).read_bytes()
    data = (program * (size // len(program) + 1))[:size]
    work = await bench.expect("carry", data)
    for name, ns, count in (("WRITE", work.write_ns, work.write_count),
                            ("READ", work.read_ns, work.read_count)):
        print(f"{name}: {size} bytes in {count} requests, {ns / 1000:.1f} us, "
              f"{size * 8 / ns:.2f} Gb/s")
    for name, side in zip(("left", "right"), bench.sides):
        reads, writes = side.count("reads, bytes"), side.count("writes, bytes")
        print(f"{name}: {side.count('reads')} PCIe reads of {reads} bytes, "
              f"{side.count('writes')} PCIe writes of {writes} bytes")
        # The file left the memory of each side once and came into it once.
        assert reads >= size and writes >= size
        assert side.count("reads, no memory") == side.count("writes, no memory") == 0
    judged = bench.judged()
    print(f"{len(bench.packets)} frames, {len(judged)} of them judged by scapy")
    assert len(judged) >= 8 and all(right for _, right in judged)


@cocotb.test()
async def errors(dut):
    """Memory that is not there ends a request as docs/engine/memory_faults.md states; the adapters
    go on."""
    bench = Bench(dut)
    await bench.start()
    await bench.expect("errors")
    # Completer Abort on the left, Unsupported Request on both sides.
    assert bench.left.memory.failed > 0
    absent = [side.count("reads, no memory") for side in bench.sides]
    print(f"PCIe reads with an error: {bench.left.memory.failed} aborted, "
          f"{absent[0]} and {absent[1]} unsupported")
    assert min(absent) > 0
