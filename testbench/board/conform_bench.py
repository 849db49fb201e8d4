# SPDX-License-Identifier: Apache-2.0
"""Tests of conformance of cocotbext-roce on rtl/board/roci_core.sv, run by core_test.py: how an
engine in RTL is judged in its own bench. What the tests ask of the adapter, the project's driver
and firmware do through AXI4-Lite and memory; the frames are those of the MAC's streams.
"""
import ctypes
import ipaddress
import os

import cocotb
from cocotbext import roce
from cocotbext.axi import AxiStreamFrame
from cocotbext.roce.bench import Wire, conform_in_bench
from core_bench import Bench
from core_memory import BASE

MEMORY = 1 << 22
ADDRESS = "10.0.0.1"
# None of them waits for a timer, and few need what the smallest engine does not have.
IDS = "RQ-01 RQ-05 RQ-06 RQ-20 RSP-01 RSP-20 WIRE-19"
STALLS = 0.1
WORD, LONG, POINTER = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p


class Reply(ctypes.Structure):
    _fields_ = [("words", ctypes.POINTER(LONG)), ("count", LONG),
                ("bytes", ctypes.POINTER(ctypes.c_uint8)), ("byte_count", LONG)]


class Core(roce.Device):
    text = "roci_core"

    def __init__(self, bench):
        self.bench = bench
        self.library = ctypes.CDLL(os.environ["BOARD_PROGRAM"])
        for name in ("board_agent_open", "board_agent_memory"):
            getattr(self.library, name).restype = POINTER
        super().__init__(ADDRESS, memory=1)

    def open(self):
        """In a thread of its own, as all that reaches registers."""
        self.bus = self.bench.bus()
        reason = ctypes.create_string_buffer(300)
        self.agent = POINTER(self.library.board_agent_open(
            ctypes.byref(self.bus), self.bench.memory.bytes, LONG(MEMORY), LONG(BASE),
            WORD(int(ipaddress.ip_address(ADDRESS))), LONG(roce.PEER_MAC), reason,
            LONG(len(reason))))
        assert self.agent, reason.value.decode()
        self.raw = (ctypes.c_uint8 * (MEMORY // 2)).from_address(
            self.library.board_agent_memory(self.agent))

    def close(self):
        self.library.board_agent_close(self.agent)

    def hello(self):
        return self.request(roce.verbs.Op.HELLO, [roce.verbs.VERSION], b"")

    def request(self, operation, words, data):
        reply = Reply()
        code = self.library.board_agent_request(
            self.agent, WORD(operation), (LONG * len(words))(*words), LONG(len(words)),
            bytes(data), LONG(len(data)), ctypes.byref(reply))
        if code:
            raise OSError(code, f"request {operation}")
        return reply.words[:reply.count]

    def work(self):
        self.library.board_agent_work(self.agent)


async def judged(dut, seed, ids, change=lambda frame: frame):
    bench = Bench(dut, seed, stalls=STALLS, memory=MEMORY)
    await bench.reset()
    device = Core(bench)
    await cocotb.external(device.open)()
    wire = Wire(bench.source, bench.sink, unwrap=change,
                wrap=lambda frame: AxiStreamFrame(frame, tuser=[0] * len(frame)))
    report = await conform_in_bench(device, wire, ids, roce.Timing(look=5_000, jitter=2_000),
                                    seen=lambda test: print(test["verdict"], *test["ids"],
                                                            test["title"], test["reason"],
                                                            test["seen"], flush=True))
    await cocotb.external(device.close)()
    return report


@cocotb.test()
async def conformance(dut):
    """The engine passes, with pauses of every channel."""
    report = await judged(dut, 1, IDS)
    report.check()
    words = [test["verdict"] for test in report.tests]
    assert words.count("pass") >= 6 and set(words) <= {"pass", "not testable here"}, words


@cocotb.test()
async def planted_bug(dut):
    """With another MSN in its ACKs the engine breaks the statement about it, and not another."""
    def change(data):
        frame = roce.Frame.parse(data)
        if frame.name != "RcAck" or frame.syndrome >> 5:
            return data
        changed = bytearray(data)
        changed[-5] ^= 1
        return roce.seal(changed)

    report = await judged(dut, 2, "RSP-01 RQ-06", change)
    verdicts = report.verdicts()
    assert (verdicts["RSP-01"], verdicts["RQ-06"]) == ("FAIL", "pass"), verdicts
