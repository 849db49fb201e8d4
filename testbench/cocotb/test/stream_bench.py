# SPDX-License-Identifier: Apache-2.0
"""Peer and tests of conformance on AXI-Streams of cocotbext-axi, at whose end the model stands in
for an engine. Run by stream_test.py."""
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext import roce
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource
from cocotbext.roce.bench import Cable, Wire, conform_in_bench

MAC = roce.Device.mac
# None of them waits for a timer.
IDS = "RQ-01 RQ-02 RQ-04 RQ-05 RSP-01 RSP-11 RSP-13 RSP-20 RSP-32 WIRE-19"


class Engine(roce.ModelDevice):
    """The model, whose frames pass by the streams, in simulated time."""
    cable = None

    async def request(self, operation, words, data):
        code, reply, _ = self.peer.request(operation, words, data)
        self.cable.kick()
        if code:
            raise OSError(code, "rejected")
        return reply


def change_by(device):
    """Faults of the cable as the planted bug of the engine."""
    class Bug(roce.Faults):
        def apply(self, data):
            return device.change(data)
    return Bug()


class Streams:
    def __init__(self, dut, engine):
        cocotb.start_soon(Clock(dut.clk, 4, "ns").start())
        self.dut, self.engine = dut, engine
        def end(kind, prefix):
            return kind(AxiStreamBus.from_prefix(dut, prefix), dut.clk, dut.rst)
        self.to_adapter = end(AxiStreamSource, "to_in")
        self.from_adapter = end(AxiStreamSink, "from_out")
        engine.cable = Cable(engine.peer, end(AxiStreamSource, "from_in"),
                             end(AxiStreamSink, "to_out"), to_adapter=change_by(engine))

    async def reset(self):
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        self.engine.cable.start()


@cocotb.test()
async def transfers(dut):
    """A WRITE and a READ of a peer reach the engine through faults of both directions."""
    engine = Engine()
    streams = Streams(dut, engine)
    await streams.reset()
    peer = roce.Peer("10.0.0.9", mac=roce.PEER_MAC, next_hop=MAC)
    judge = roce.Judge()
    to_engine = roce.Faults(roce.drop(opcode="RcWriteMiddle", nth=2), roce.duplicate(nth=6), seed=2)
    back = roce.Faults(roce.corrupt(nth=2), seed=3)
    cable = Cable(peer, streams.to_adapter, streams.from_adapter, to_engine, back, judge)
    cable.start()
    ours, theirs = peer.queue_pair(psn=0xFFFFFE), engine.peer.queue_pair(psn=7)
    roce.connect(ours, theirs, path_mtu=256, timeout=3)
    peer.memory[:3000] = bytes(i * 7 % 251 for i in range(3000))
    ours.write(0, 3000, engine.peer.base + 5, engine.peer.key)
    ours.read(10000, 3000, engine.peer.base + 5, engine.peer.key)
    await cable.until(lambda: len(ours.completions) == 2, 2_000_000)
    assert [one.status for one in ours.completions] == [0, 0]
    assert peer.memory[10000:13000] == peer.memory[:3000]
    assert to_engine.fired == 2 and back.fired == 1
    judge.check()


async def judged(dut, change=None):
    engine = Engine(change=change)
    streams = Streams(dut, engine)
    await streams.reset()
    timing = roce.Timing(look=5_000, jitter=2_000)
    return await conform_in_bench(engine, Wire(streams.to_adapter, streams.from_adapter), IDS,
                                  timing)


@cocotb.test()
async def conformance(dut):
    """The model passes in simulated time."""
    report = await judged(dut)
    report.check()
    assert set(report.verdicts().values()) <= {"pass", "undecided"}, report.verdicts()
    assert all(test["verdict"] == "pass" for test in report.tests), list(report.lines())


@cocotb.test()
async def planted_bug(dut):
    """An engine that sends a wrong MSN breaks the statements about it."""
    def change(data):
        frame = roce.Frame.parse(data)
        if frame.name != "RcAck" or frame.syndrome >> 5:
            return [data]
        changed = bytearray(data)
        changed[-5] ^= 1
        return [roce.seal(changed)]

    report = await judged(dut, change)
    broken = [one for one, word in report.verdicts().items() if word == "FAIL"]
    assert "RSP-13" in broken and "RQ-04" not in broken, broken
