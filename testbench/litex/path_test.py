#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the wire between board and guest, and the hostile frames.

usage: path_test.py
"""
import pathlib
import socket
import struct
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.litex.hostile import BTH, Hostile  # noqa: E402
from testbench.litex.path import BOARD, PEER, Path  # noqa: E402
from testbench.tools.rocitest import check_pcap  # noqa: E402
from testbench.tools.rocitest.roce import with_icrc  # noqa: E402

MAC, ADDRESS, OTHER = "52:54:00:00:00:05", "10.0.0.5", "10.0.0.2"
FRAMES = 400


def write(number):
    """A legal WRITE ONLY of 64 bytes."""
    maker = Hostile(MAC, ADDRESS, OTHER, 1, 1)
    bth = bytes([10, 0, 0xFF, 0xFF, 0, 0, 0, 7, 0]) + number.to_bytes(3, "big")
    reth = struct.pack(">QII", 0x1000, 5, 64)
    return with_icrc(maker.udp(4791, bth + reth + number.to_bytes(64, "big") + bytes(4)))


def wire(folder, frames, **faults):
    """What arrives at the board of frames that its peer sends, and the wire's counters."""
    ends = {name: folder / name for name in ("board", "to_board", "peer", "to_peer")}
    clock = folder / "clock"
    clock.write_bytes(struct.pack("=Q", 1_000_000))
    arrived = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as board, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
        board.bind(str(ends["board"]))
        board.setblocking(False)
        path = Path((ends["board"], ends["to_peer"]), (ends["peer"], ends["to_board"]), clock,
                    folder / "wire.pcapng", **faults)
        with path:
            for frame in frames:
                peer.sendto(frame, str(ends["to_board"]))
                try:
                    while True:
                        arrived.append(board.recv(1 << 16))
                except BlockingIOError:
                    pass
            # The time goes on, so that late frames come.
            with open(clock, "r+b") as file:
                file.write(struct.pack("=Q", 9_000_000))
            board.settimeout(0.5)
            try:
                while True:
                    arrived.append(board.recv(1 << 16))
            except TimeoutError:
                pass
    for name in ends.values():
        name.unlink(missing_ok=True)
    return arrived, path.directions[PEER].counts


def plain(folder):
    frames = [write(i) for i in range(20)]
    arrived, counts = wire(folder, frames)
    assert arrived == frames, "a wire without faults changes something"
    assert counts == {"frames": 20, "lost": 0, "late": 0}, counts
    kept = list(check_pcap.frames(folder / "wire.pcapng", interface=PEER))
    assert kept == frames and not list(check_pcap.frames(folder / "wire.pcapng", interface=BOARD))
    assert all(check_pcap.complaints(frame) == [] for frame in kept)


def faults(folder):
    frames = [write(i) for i in range(FRAMES)]
    arrived, counts = wire(folder, frames, loss=0.05, reorder=0.05)
    assert 5 <= counts["lost"] <= 50 and 5 <= counts["late"] <= 50, counts
    assert len(arrived) == FRAMES - counts["lost"] and set(arrived) <= set(frames)
    assert arrived != [frame for frame in frames if frame in arrived], "no frame is late"


def hostile(folder):
    """Each kind is made, and what has a right ICRC says so."""
    del folder
    attacker = Hostile(MAC, ADDRESS, OTHER, 1000, seed=3)
    kinds = {kind.__name__ for kind in Hostile.OF_PROGRAM + Hostile.OF_CONNECTION}
    good = write(1)
    made = list(attacker.due(0))
    attacker.see(good)
    made += list(attacker.due(2 * FRAMES * 1000))
    assert set(attacker.kinds) == kinds, attacker.kinds
    assert all(14 <= len(frame) <= 1514 for frame in made)
    for number in range(200):
        assert check_pcap.complaints(attacker.damaged()), number
        moved = attacker.other_partition()
        assert check_pcap.complaints(moved) == [], check_pcap.complaints(moved)
        assert moved[BTH + 2:BTH + 4] != good[BTH + 2:BTH + 4]
        lost = attacker.no_pair()
        assert "ICRC" not in (check_pcap.complaints(lost) or []), number


def main():
    for test in (plain, faults, hostile):
        with tempfile.TemporaryDirectory(prefix="roci-path-") as folder:
            test(pathlib.Path(folder))
        print(f"{test.__name__} ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
