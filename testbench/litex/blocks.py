#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates the parts of roci_litex that are not the adapter, by migen.

usage: blocks.py SEED

mac     frames of random lengths leave by a MAC of LiteEth and GMII, come back and are compared;
        those of which the link damages a bit are marked
memory  random bursts of 64 bits, unaligned and with strobes, on a native port of LiteDRAM of 128
        bits that takes commands and data when it likes; what is read and what memory holds in the
        end are compared with a model in Python
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from litedram.common import LiteDRAMNativePort  # noqa: E402
from liteeth.phy.gmii import LiteEthPHYGMIIRX, LiteEthPHYGMIITX  # noqa: E402
from litex.gen import LiteXModule  # noqa: E402
from litex.gen.sim import run_simulation  # noqa: E402
from litex.soc.interconnect import axi  # noqa: E402
from migen import ClockDomain, ClockDomainsRenamer, Record  # noqa: E402

from rtl.board.litex.roci_litex import memory  # noqa: E402
from rtl.board.litex.roci_litex.mac import MacStreams, mac_of  # noqa: E402

WIDTH = 64
BYTES = WIDTH // 8
PATIENCE, BURSTS = 2000, 12  # clocks


class Gmii(LiteXModule):
    dw = 8

    def __init__(self):
        self.pads = Record([("tx_en", 1), ("tx_data", 8), ("rx_dv", 1), ("rx_data", 8)])
        self.tx = ClockDomainsRenamer("eth_tx")(LiteEthPHYGMIITX(self.pads))
        self.rx = ClockDomainsRenamer("eth_rx")(LiteEthPHYGMIIRX(self.pads))
        self.sink, self.source = self.tx.sink, self.rx.source


class MacBench(LiteXModule):
    def __init__(self):
        self.cd_sys = ClockDomain()
        self.cd_eth_rx = ClockDomain()
        self.cd_eth_tx = ClockDomain()
        self.phy = Gmii()
        self.rx = axi.AXIStreamInterface(WIDTH, user_width=1)
        self.tx = axi.AXIStreamInterface(WIDTH)
        self.mac = mac_of(self, self.phy, WIDTH)
        self.streams = MacStreams(self.mac, self.rx, self.tx)


def mac_test(rng):
    bench = MacBench()
    lengths = [14, 60, 61, 64] + [rng.randrange(14, 100) for _ in range(3)]
    frames = [rng.randbytes(length) for length in lengths]
    damaged = set(rng.sample(range(len(frames)), 2))
    received = []

    def send():
        for frame in frames:
            for at in range(0, len(frame), BYTES):
                beat = frame[at:at + BYTES]
                yield bench.tx.valid.eq(1)
                yield bench.tx.data.eq(int.from_bytes(beat, "little"))
                yield bench.tx.keep.eq((1 << len(beat)) - 1)
                yield bench.tx.last.eq(at + BYTES >= len(frame))
                yield
                while not (yield bench.tx.ready):
                    yield
            yield bench.tx.valid.eq(0)

    def link():
        """A byte a clock; a bit of the chosen frames is damaged after the preamble."""
        number, at = -1, 0
        while len(received) < len(frames):
            enabled = yield bench.phy.pads.tx_en
            byte = yield bench.phy.pads.tx_data
            number += enabled and at == 0
            hit = enabled and number in damaged and at == 8 + 13 * number % 60
            yield bench.phy.pads.rx_dv.eq(enabled)
            yield bench.phy.pads.rx_data.eq(byte ^ (0x10 if hit else 0))
            at = at + 1 if enabled else 0
            yield

    def receive():
        data = b""
        yield bench.rx.ready.eq(1)
        for _ in range(PATIENCE):
            yield
            if not (yield bench.rx.valid):
                continue
            keep = yield bench.rx.keep
            beat = (yield bench.rx.data).to_bytes(BYTES, "little")
            assert keep & (keep + 1) == 0, f"tkeep {keep:#x} has holes"
            data += beat[:keep.bit_length()]
            if (yield bench.rx.last):
                received.append((data, (yield bench.rx.user)))
                data = b""
                if len(received) == len(frames):
                    return
        raise AssertionError(f"{len(received)} of {len(frames)} frames arrived")

    run_simulation(bench, {"sys": [send(), receive()], "eth_tx": [link()]},
                   clocks={"sys": 20, "eth_tx": 8, "eth_rx": 8})
    for number, (frame, (data, marked)) in enumerate(zip(frames, received)):
        assert marked == (number in damaged), f"frame {number}: marked {marked}"
        expected = frame + bytes(max(0, 60 - len(frame)))
        assert marked or data == expected, f"frame {number}: {data.hex()}, not {expected.hex()}"
    print(f"mac: {len(frames)} frames, {len(damaged)} of them damaged and marked")


class MemoryBench(LiteXModule):
    def __init__(self):
        self.axi = axi.AXIInterface(data_width=WIDTH, address_width=32, id_width=8)
        self.port = LiteDRAMNativePort("both", address_width=16, data_width=2 * WIDTH)
        self.dram = memory.DramPort(self.axi, self.port, 0x4000_0000)


class Dram:
    """A native port: commands in order, data when it likes."""

    def __init__(self, port, rng):
        self.port, self.rng, self.words, self.writes, self.reads = port, rng, {}, [], []

    def commands(self):
        port = self.port
        while True:
            yield port.cmd.ready.eq(self.rng.random() < 0.6)
            yield
            if (yield port.cmd.valid) and (yield port.cmd.ready):
                pending = self.writes if (yield port.cmd.we) else self.reads
                # A read sees the writes before it: it waits for them.
                pending.append([(yield port.cmd.addr), len(self.writes)])

    def write_data(self):
        port = self.port
        while True:
            yield port.wdata.ready.eq(bool(self.writes) and self.rng.random() < 0.6)
            yield
            if (yield port.wdata.ready):
                assert (yield port.wdata.valid), "no data for a command that was taken"
                address, _ = self.writes.pop(0)
                word = bytearray(self.words.get(address, bytes(2 * BYTES)))
                data = (yield port.wdata.data).to_bytes(2 * BYTES, "little")
                strobes = yield port.wdata.we
                for at in range(2 * BYTES):
                    if strobes >> at & 1:
                        word[at] = data[at]
                self.words[address] = bytes(word)
                for read in self.reads:
                    read[1] -= read[1] > 0

    def read_data(self):
        port = self.port
        while True:
            ready = bool(self.reads) and self.reads[0][1] == 0 and self.rng.random() < 0.6
            yield port.rdata.valid.eq(ready)
            if ready:
                word = self.words.get(self.reads.pop(0)[0], bytes(2 * BYTES))
                yield port.rdata.data.eq(int.from_bytes(word, "little"))
            yield
            assert not ready or (yield port.rdata.ready), "data that nobody takes"


def memory_test(rng):
    bench, size = MemoryBench(), 1 << 9
    dram, model, left = Dram(bench.port, rng), bytearray(size), [2]
    bus, base, half = bench.axi, 0x4000_0000, size // 2

    def burst():
        beats = rng.choice((1, 1, 2, 3, 8, 9))
        return rng.randrange(0, half // BYTES - beats + 1), beats

    def address(channel, one, beats, number):
        yield channel.valid.eq(1)
        yield channel.addr.eq(base + one * BYTES)
        yield channel.len.eq(beats - 1)
        yield channel.size.eq(3)
        yield channel.burst.eq(1)
        yield channel.id.eq(number)
        yield
        while not (yield channel.ready):
            yield
        yield channel.valid.eq(0)

    def write():
        """Into the lower half; each burst is followed by its response."""
        for number in range(BURSTS):
            one, beats = burst()
            data = [rng.randbytes(BYTES) for _ in range(beats)]
            strobes = [rng.choice((0xFF, 0xFF, 0xF0, 0x0F, 0x81, 0)) for _ in range(beats)]
            yield from address(bus.aw, one, beats, number)
            for at in range(beats):
                yield bus.w.valid.eq(1)
                yield bus.w.data.eq(int.from_bytes(data[at], "little"))
                yield bus.w.strb.eq(strobes[at])
                yield bus.w.last.eq(at == beats - 1)
                yield
                while not (yield bus.w.ready):
                    yield
                for lane in range(BYTES):
                    if strobes[at] >> lane & 1:
                        model[(one + at) * BYTES + lane] = data[at][lane]
                if rng.random() < 0.2:
                    yield bus.w.valid.eq(0)
                    yield
            yield bus.w.valid.eq(0)
            yield bus.b.ready.eq(1)
            yield
            while not (yield bus.b.valid):
                yield
            assert (yield bus.b.id) == number and (yield bus.b.resp) == 0
            yield bus.b.ready.eq(0)
        left[0] -= 1

    expected = []

    def read():
        """From the upper half, many in flight."""
        for number in range(BURSTS):
            one, beats = burst()
            one += half // BYTES
            expected.append((number, one, beats))
            yield from address(bus.ar, one, beats, number)

    def read_beats():
        for number in range(BURSTS):
            at = 0
            while True:
                yield bus.r.ready.eq(rng.random() < 0.7)
                yield
                if not ((yield bus.r.valid) and (yield bus.r.ready)):
                    continue
                wanted, one, beats = expected[number]
                place = (one + at) * BYTES
                got = (yield bus.r.data).to_bytes(BYTES, "little")
                assert (yield bus.r.id) == wanted
                assert got == bytes(model[place:place + BYTES]), f"burst {number}, beat {at}"
                at += 1
                last = yield bus.r.last
                assert last == (at == beats), f"burst {number}: last with beat {at} of {beats}"
                if last:
                    break
        yield bus.r.ready.eq(0)
        left[0] -= 1

    def until_done():
        for _ in range(PATIENCE):
            yield
            if left[0] == 0:
                return
        raise AssertionError("the bursts do not end")

    for word in range(half // 16, size // 16):
        dram.words[word] = rng.randbytes(16)
        model[word * 16:word * 16 + 16] = dram.words[word]
    servers = [dram.commands(), dram.write_data(), dram.read_data()]
    run_simulation(bench, [write(), read(), read_beats(), until_done(),
                           *(endless(one, left) for one in servers)])
    for word in range(half // 16):
        assert dram.words.get(word, bytes(16)) == bytes(model[word * 16:word * 16 + 16]), word
    print(f"memory: {BURSTS} bursts each way")


def endless(generator, left):
    """A server, until the bursts have ended."""
    value = None
    while left[0]:
        try:
            command = generator.send(value)
        except StopIteration:
            return
        value = yield command


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    print(f"seed {sys.argv[1]}")
    for test in (mac_test, memory_test):
        test(random.Random(int(sys.argv[1])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
