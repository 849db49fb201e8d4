# SPDX-License-Identifier: Apache-2.0
"""Tests of rtl/board/roci_core.sv by cocotb, run by core_test.py.

The models of AXI4, AXI4-Lite and AXI4-Stream are those of cocotbext-axi, packets and their ICRC are
judged by scapy. Driver and firmware are the C++ of the project, in a thread whose register accesses
are those of the model of an AXI4-Lite master.
"""
import ctypes
import itertools
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import (AxiBus, AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame,
                           AxiStreamSink, AxiStreamSource)
from bus import LONG, BoardBus
from core_memory import BASE, MEMORY, Memory, ReadSlave, WriteSlave
from frames import frame_of
from scapy.contrib.roce import BTH

CLOCK_PS, RX_PS, TX_PS = 4000, 6400, 3102
REQUESTS = (0, 1, 2, 6, 7, 8, 10, 12)  # opcodes of RC: SEND, WRITE, READ
REGISTER_ID, REGISTER_CONTROL, REGISTER_VERSION = 0x0, 0xC, 0x4


class Bench:
    def __init__(self, dut, seed, stalls=0.3, error=AxiResp.SLVERR, memory=MEMORY):
        self.dut, self.rng = dut, random.Random(seed)
        self.memory, self.stalls = Memory(memory), stalls
        clocks = {dut.clk: CLOCK_PS, dut.mac_rx_clk: RX_PS, dut.mac_tx_clk: TX_PS}
        for clock, period in clocks.items():
            cocotb.start_soon(Clock(clock, period, "ps").start())
        dut.rst_n.value = 0
        dut.s_axil_awprot.value = dut.s_axil_arprot.value = 0
        for name in ("tdata", "tkeep", "tlast", "tvalid"):
            getattr(dut, f"s_axis_host_{name}").value = 0
        dut.m_axis_host_tready.value = 1
        self.reads = ReadSlave(AxiBus.from_prefix(dut, "m_axi").read, dut.clk, dut.rst_n,
                               self.memory, self.rng, error)
        self.writes = WriteSlave(AxiBus.from_prefix(dut, "m_axi").write, dut.clk, dut.rst_n,
                                 self.memory)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst_n,
                                       reset_active_level=False)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_tx"), dut.mac_tx_clk,
                                  dut.rst_n, reset_active_level=False)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_rx"), dut.mac_rx_clk,
                                      dut.rst_n, reset_active_level=False)
        channels = [self.reads.ar_channel, self.reads.r_channel, self.writes.aw_channel,
                    self.writes.w_channel, self.writes.b_channel, self.sink, self.source,
                    self.registers.write_if.aw_channel, self.registers.write_if.w_channel,
                    self.registers.write_if.b_channel, self.registers.read_if.ar_channel,
                    self.registers.read_if.r_channel]
        for channel in channels:
            channel.set_pause_generator(self.pauses())
        self.packets = []  # opcode, queue pair, PSN, whether it was damaged
        self.poisoned = 0
        self.damage = lambda number: False  # which frames the MAC marks as damaged

    def pauses(self):
        rng = random.Random(self.rng.random())
        while True:
            yield rng.random() < self.stalls

    async def reset(self):
        await ClockCycles(self.dut.clk, 10)
        self.dut.rst_n.value = 1
        await ClockCycles(self.dut.clk, 20)

    async def loop(self):
        """Carries the frames of the adapter back to it, and judges each."""
        for number in itertools.count():
            frame = await self.sink.recv()
            data = bytes(frame.tdata)
            packet, right = frame_of(data)
            self.poisoned += not right
            marked = self.damage(number)
            if packet is not None:
                bth = packet[BTH]
                self.packets.append((bth.opcode, bth.dqpn, bth.psn, marked))
            user = [0] * (len(data) - 1) + [int(marked)]
            await self.source.send(AxiStreamFrame(data, tuser=user))

    def bus(self):
        """The struct BoardBus of program.hpp, for a thread of its own: see cocotb.external."""
        @cocotb.function
        async def read(offset):
            return await self.registers.read_dword(offset)

        @cocotb.function
        async def write(offset, value):
            await self.registers.write_dword(offset, value)

        @cocotb.function
        async def wait(ns):
            await Timer(ns, "ns")
            await RisingEdge(self.dut.clk)
            return int(self.dut.attention.value)

        def fail(address, size):
            self.memory.failing = range(address, address + size)

        return BoardBus(read=read, write=write, run=wait, now=lambda: int(get_sim_time("ns")),
                        fail=fail)

    def run(self, scenario):
        """Runs a scenario of program.cpp; in a thread of its own, see cocotb.external."""
        bus = self.bus()
        library = ctypes.CDLL(os.environ["BOARD_PROGRAM"])
        reason = ctypes.create_string_buffer(300)
        code = library.board_run(ctypes.byref(bus), self.memory.bytes, LONG(MEMORY), LONG(BASE),
                                 scenario.encode(), reason, LONG(len(reason)))
        return code, reason.value.decode()

    async def expect(self, scenario):
        code, reason = await cocotb.external(self.run)(scenario)
        assert code == 0, reason


@cocotb.test()
async def registers(dut):
    """Registers are those of model/spec/registers.hpp, under pauses of every channel."""
    bench = Bench(dut, 1, stalls=0.5)
    await bench.reset()
    assert await bench.registers.read_dword(REGISTER_ID) == 0x524F4349
    assert await bench.registers.read_dword(REGISTER_VERSION) == 1
    for value in (3, 0, 1):
        await bench.registers.write_dword(REGISTER_CONTROL, value)
        assert await bench.registers.read_dword(REGISTER_CONTROL) == value
    # A write without all strobes is ignored; a read outside of the map gives 0.
    await bench.registers.write(REGISTER_CONTROL, b"\2")
    assert await bench.registers.read_dword(REGISTER_CONTROL) == 1
    assert await bench.registers.read_dword(0xF00) == 0


@cocotb.test()
async def transfers(dut):
    """WRITE, SEND and READ of two queue pairs; host memory responds in any order."""
    bench = Bench(dut, 2)
    await bench.reset()
    loop = cocotb.start_soon(bench.loop())
    await bench.expect("transfer")
    loop.kill()
    assert bench.poisoned == 0
    assert bench.reads.overtaken > 100 and bench.reads.most > 3
    opcodes = {packet[0] for packet in bench.packets}
    assert opcodes == {*REQUESTS, 13, 14, 15, 17}  # and responses of READ, ACK
    assert int(dut.rx_damaged.value) == int(dut.rx_lost.value) == int(dut.tx_lost.value) == 0


@cocotb.test()
async def damaged_frames(dut):
    """Frames that the MAC marks are dropped and counted, and the transport repairs the loss."""
    bench = Bench(dut, 3)
    await bench.reset()
    bench.damage = lambda number: number % 5 == 3
    loop = cocotb.start_soon(bench.loop())
    await bench.expect("transfer")
    loop.kill()
    marked = [packet for packet in bench.packets if packet[3]]
    assert len(marked) > 8
    assert abs(int(dut.rx_damaged.value) - len(marked)) <= 1  # one may be on its way
    # What was damaged did not arrive: each request of them left once more, undamaged.
    requests = [packet[:3] for packet in marked if packet[0] in REQUESTS]
    assert len(requests) > 4
    missing = [packet for packet in requests if (*packet, False) not in bench.packets]
    assert not missing, missing
    assert int(dut.rx_lost.value) == 0


@cocotb.test()
async def reads_fail(dut):
    """A read that ends with DECERR ends its request with LOC_PROT_ERR."""
    bench = Bench(dut, 4, error=AxiResp.DECERR)
    await bench.reset()
    loop = cocotb.start_soon(bench.loop())
    await bench.expect("read fails")
    loop.kill()
    assert bench.reads.failed > 0 and bench.poisoned > 0


@cocotb.test()
async def writes_fail(dut):
    """A write that ends with an error ends the request of the peer with REM_OP_ERR."""
    bench = Bench(dut, 5)
    await bench.reset()
    loop = cocotb.start_soon(bench.loop())
    await bench.expect("write fails")
    loop.kill()
    assert bench.writes.failed > 0
