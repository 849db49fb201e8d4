# SPDX-License-Identifier: Apache-2.0
"""The host of two shells: PCIe devices, memory, interrupts, and a cable, by cocotbext models."""
import collections
import ctypes
import functools
import itertools

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamBus
from cocotbext.axi.address_space import MemoryRegion
from cocotbext.eth import EthMac, EthMacFrame
from cocotbext.pcie.core import RootComplex
from cocotbext.pcie.core.tlp import TlpType
from cocotbext.pcie.xilinx.us import UltraScalePlusPcieDevice
from testbench.board.bus import LONG, BoardBus
from testbench.board.frames import frame_of

REGISTERS = 1 << 22  # bytes of BAR 0: RegisterAddressBits of roci_pkg
MEMORY = 1 << 21
NOWHERE = 0x7F_0000_0000
# bits of the MAC: its clock in ps and its rate in bit/s. The core has a clock of 4 ns.
LINKS = {64: (6400, 10e9), 128: (5120, 25e9), 256: (5120, 50e9), 512: (3102, 100e9)}
SIGNALS = (
    "pcie_rq_seq_num0", "pcie_rq_seq_num_vld0", "pcie_rq_seq_num1", "pcie_rq_seq_num_vld1",
    "cfg_max_payload", "cfg_max_read_req", "cfg_rcb_status", "cfg_mgmt_addr",
    "cfg_mgmt_function_number", "cfg_mgmt_write", "cfg_mgmt_write_data", "cfg_mgmt_byte_enable",
    "cfg_mgmt_read", "cfg_mgmt_read_data", "cfg_mgmt_read_write_done", "cfg_fc_ph", "cfg_fc_pd",
    "cfg_fc_nph", "cfg_fc_sel", *("cfg_interrupt_msi_" + name for name in (
        "enable", "mmenable", "mask_update", "data", "select", "int", "pending_status",
        "pending_status_data_enable", "pending_status_function_num", "sent", "fail", "attr",
        "tph_present", "tph_type", "tph_st_tag", "function_number")))


class Host(RootComplex):
    """The root complex, which counts what the adapters ask of its memory, by their PCIe number:
    requests, their bytes, and those for which there is no memory."""

    def __init__(self):
        super().__init__()
        self.max_payload_size = 1  # 256 bytes
        self.max_read_request_size = 2  # 512 bytes
        self.counts = collections.Counter()
        for kind, name, handle in (
                (TlpType.MEM_READ, "reads", self.handle_mem_read_tlp),
                (TlpType.MEM_READ_64, "reads", self.handle_mem_read_tlp),
                (TlpType.MEM_WRITE, "writes", self.handle_mem_write_tlp),
                (TlpType.MEM_WRITE_64, "writes", self.handle_mem_write_tlp)):
            self.register_rx_tlp_handler(kind, functools.partial(self.count, name, handle))

    async def count(self, name, handle, tlp):
        source = str(tlp.requester_id)
        self.counts[source, name] += 1
        self.counts[source, f"{name}, bytes"] += tlp.get_be_byte_count()
        if not self.mem_address_space.find_regions(tlp.address, tlp.length * 4):
            self.counts[source, f"{name}, no memory"] += 1
        await handle(tlp)


class HostMemory(MemoryRegion):
    """Memory of the host; the root complex ends a read of bytes that fail as Completer Abort."""

    def __init__(self):
        super().__init__(MEMORY)
        self.failing = range(0)
        self.failed = 0

    async def _read(self, address, length, **kwargs):
        if max(address, self.failing.start) < min(address + length, self.failing.stop):
            self.failed += 1
            raise ValueError(f"{address:#x} fails")
        return await super()._read(address, length, **kwargs)


class Side:
    """One shell, its PCIe device, and the memory that its driver uses."""

    def __init__(self, rc, dut, address):
        self.rc, self.dut, self.address = rc, dut, address
        self.memory = HostMemory()
        rc.mem_address_space.register_region(self.memory, address)
        self.device = UltraScalePlusPcieDevice(
            pcie_generation=3, user_clk_frequency=250e6, alignment="dword", pf_count=1,
            max_payload_size=1024, enable_client_tag=True, enable_extended_tag=True,
            pf0_msi_enable=True, pf0_msi_count=32, user_clk=dut.pcie_clk, user_reset=dut.pcie_rst,
            rq_bus=AxiStreamBus.from_entity(dut.rq), rc_bus=AxiStreamBus.from_entity(dut.rc),
            cq_bus=AxiStreamBus.from_entity(dut.cq), cc_bus=AxiStreamBus.from_entity(dut.cc),
            **{name: getattr(dut, name) for name in SIGNALS})
        self.device.functions[0].configure_bar(0, REGISTERS)
        rc.make_port().connect(self.device)
        period, speed = LINKS[len(dut.mac_axis_tx.tdata)]
        for clock in (dut.mac_tx_clk, dut.mac_rx_clk):
            cocotb.start_soon(Clock(clock, period, "ps").start())
        self.mac = EthMac(
            tx_clk=dut.mac_tx_clk, tx_rst=dut.pcie_rst, rx_clk=dut.mac_rx_clk, rx_rst=dut.pcie_rst,
            tx_bus=AxiStreamBus.from_entity(dut.mac_axis_tx),
            rx_bus=AxiStreamBus.from_entity(dut.mac_axis_rx), ifg=12, speed=speed)
        self.interrupts = 0
        self.function = self.bar = None

    async def start(self):
        """What the host's system does before a driver: the function enabled, with an interrupt."""
        self.function = self.rc.find_device(self.device.functions[0].pcie_id)
        await self.function.enable_device()
        await self.function.set_master()
        assert await self.function.alloc_irq_vectors(1, 1) == 1
        self.function.request_irq(0, self.interrupt)
        self.bar = self.function.bar_window[0]
        assert self.bar.size == REGISTERS

    async def interrupt(self):
        self.interrupts += 1

    def count(self, name):
        return self.rc.counts[str(self.device.functions[0].pcie_id), name]

    def bus(self):
        """For a thread of cocotb.task.bridge."""
        @cocotb.task.resume
        async def read(offset):
            return await self.bar.read_dword(offset)

        @cocotb.task.resume
        async def write(offset, value):
            await self.bar.write_dword(offset, value)

        @cocotb.task.resume
        async def wait(ns):
            await Timer(ns, "ns")

        def run(ns):
            if ns:
                wait(ns)
            return int(self.dut.attention.value)

        def fail(address, size):
            self.memory.failing = range(address - self.address, address - self.address + size)

        return BoardBus(read=read, write=write, run=run, now=lambda: int(get_sim_time("ns")),
                        fail=fail)


async def cable(sender, receiver, packets, every):
    """Carries the frames of a side to the other; scapy judges one of `every`."""
    for number in itertools.count():
        frame = await sender.mac.tx.recv()
        data = bytes(frame.data)
        packets.append((len(data), number % every == 0 and frame_of(data)))
        await receiver.mac.rx.send(EthMacFrame(data))


COUNT = ctypes.CFUNCTYPE(LONG)


class ShellSide(ctypes.Structure):
    _fields_ = [("bus", BoardBus), ("interrupts", COUNT), ("memory", ctypes.c_void_p),
                ("bytes", LONG), ("address", LONG), ("nowhere", LONG)]

    def __init__(self, side):
        memory = ctypes.addressof(ctypes.c_char.from_buffer(side.memory.mem))
        super().__init__(side.bus(), COUNT(lambda: side.interrupts), memory, MEMORY, side.address,
                         NOWHERE)


class ShellWork(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("bytes", LONG), ("seed", LONG), ("mtu", LONG),
                ("write_ns", LONG), ("read_ns", LONG), ("write_count", LONG), ("read_count", LONG)]


async def settle(side):
    await ClockCycles(side.dut.pcie_clk, 20)
