#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates, by migen, the frame buffer of roci_litex after a crossing of two clocks.

usage: frames.py SEED

Frames of random lengths come faster than the program takes them, some of them longer than a slot.
Those that are read are compared; all others are counted as dropped.
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from litex.gen import LiteXModule  # noqa: E402
from litex.gen.sim import run_simulation  # noqa: E402
from litex.soc.interconnect import axi  # noqa: E402
from migen import ClockDomain  # noqa: E402

from rtl.board.litex.roci_litex.crossing import StreamCrossing  # noqa: E402
from rtl.board.litex.roci_litex.frames import FrameBuffer  # noqa: E402

WIDTH, BYTES, SLOT, PATIENCE = 64, 8, 128, 20000


class Bench(LiteXModule):
    def __init__(self):
        self.cd_sys = ClockDomain()
        self.cd_core = ClockDomain()
        self.source = axi.AXIStreamInterface(WIDTH)
        self.buffer = buffer = FrameBuffer(WIDTH, slot_bytes=SLOT)
        self.crossing = StreamCrossing(self.source, buffer.sink, ("data", "keep"), "core", "sys")


def frames_test(rng):
    bench, read, done, dropped = Bench(), [], [False], [0]
    lengths = [1, 8, 9, SLOT - 1, SLOT, SLOT + 1, 3 * SLOT]
    lengths += [rng.randrange(1, SLOT + 20) for _ in range(40)]
    frames = [rng.randbytes(length) for length in lengths]

    def send():
        for number, frame in enumerate(frames):
            for at in range(0, len(frame), BYTES):
                beat = frame[at:at + BYTES]
                yield bench.source.valid.eq(1)
                yield bench.source.data.eq(int.from_bytes(beat, "little"))
                yield bench.source.keep.eq((1 << len(beat)) - 1)
                yield bench.source.last.eq(at + BYTES >= len(frame))
                yield
                while not (yield bench.source.ready):
                    yield
            yield bench.source.valid.eq(0)
            # The first ones come alone, the others as they like.
            for _ in range(200 if number < 7 else rng.choice((0, 0, 5, 60))):
                yield
        for _ in range(400):
            yield
        done[0] = True

    def word(index):
        bus = bench.buffer.bus
        yield bus.adr.eq(index)
        yield bus.cyc.eq(1)
        yield bus.stb.eq(1)
        yield
        while not (yield bus.ack):
            yield
        value = yield bus.dat_r
        yield bus.cyc.eq(0)
        yield bus.stb.eq(0)
        yield
        return value

    def program():
        for _ in range(PATIENCE):
            length = yield bench.buffer.length.status
            if length == 0:
                if done[0]:
                    dropped[0] = yield bench.buffer.dropped.status
                    return
                yield
                continue
            data = b""
            for index in range((length + 3) // 4):
                data += (yield from word(index)).to_bytes(4, "little")
            read.append(data[:length])
            yield bench.buffer.pop.re.eq(1)
            yield
            yield bench.buffer.pop.re.eq(0)
            yield
        raise AssertionError("the frames do not end")

    run_simulation(bench, {"core": [send()], "sys": [program()]}, clocks={"sys": 20, "core": 50})
    left = iter(frames)
    for data in read:
        assert any(frame == data for frame in left), f"{data.hex()} was not sent, or not then"
    assert all(len(data) <= SLOT for data in read)
    assert read[:5] == frames[:5], "a frame that came alone was lost"
    return len(frames), len(read), dropped[0]


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    print(f"seed {sys.argv[1]}")
    sent, read, dropped = frames_test(random.Random(int(sys.argv[1])))
    assert dropped == sent - read, f"{dropped} counted, {sent - read} dropped"
    assert dropped > 5, "too few found no room"
    print(f"frames: {read} of {sent} read, {dropped} dropped and counted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
