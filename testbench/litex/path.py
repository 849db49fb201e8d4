# SPDX-License-Identifier: Apache-2.0
"""A wire between two simulations, each at a Unix datagram socket: frames are recorded, lost, late,
and hostile ones are added."""
import contextlib
import mmap
import pathlib
import queue
import random
import socket
import struct
import threading

BOARD, PEER = 0, 1  # interfaces of the capture: who sent it
LATE = 3  # frames of its direction that overtake a late one
LATE_NS = 1_000_000  # when there are none, for so long


class Clock:
    """The time that a simulation shows in a file: 8 bytes, ns."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)

    def ns(self):
        return struct.unpack("=Q", self.map[:8])[0]


def padded(data):
    return data + b"\0" * (-len(data) % 4)


class Capture:
    """A pcapng file with one interface for each end, whose times are those of a clock."""

    def __init__(self, path, clock):
        self.file, self.clock, self.lock = open(path, "wb"), clock, threading.Lock()
        self.block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        for name in (b"board", b"peer"):
            options = b"".join(struct.pack("<HH", code, len(value)) + padded(value)
                               for code, value in ((2, name), (9, b"\x09"), (0, b"")))
            self.block(1, struct.pack("<HHI", 1, 0, 0) + options)

    def block(self, kind, body):
        body = padded(body)
        length = struct.pack("<I", len(body) + 12)
        self.file.write(struct.pack("<I", kind) + length + body + length)

    def add(self, end, frame):
        with self.lock:
            ns = self.clock.ns()
            self.block(6, struct.pack("<IIIII", end, ns >> 32, ns & 0xFFFFFFFF, len(frame),
                                      len(frame)) + frame)

    def close(self):
        with self.lock:
            self.file.close()


def is_roce(frame):
    """RoCE v2 in IPv4 without options."""
    return frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7"


class Direction:
    """Frames from one end to the other, by two threads.

    Frames are taken from the sender at once: QEMU loses one that it waits with when it stops.
    """

    def __init__(self, path, end, here, there):
        self.path, self.end, self.there = path, end, str(there)
        self.random = random.Random(path.seed + end)
        self.attacker = path.attacker if end == PEER else None
        self.kept = []  # late frames: [frames still to overtake it, time, frame]
        self.counts = {"frames": 0, "lost": 0, "late": 0}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        pathlib.Path(here).unlink(missing_ok=True)
        self.socket.bind(str(here))
        self.socket.settimeout(0.1)
        self.waiting = queue.Queue()
        self.threads = [threading.Thread(target=what, daemon=True)
                        for what in (self.read, self.work)]

    def read(self):
        while not self.path.ended.is_set():
            with contextlib.suppress(TimeoutError):
                self.waiting.put(self.socket.recv(1 << 16))

    def work(self):
        while not self.path.ended.is_set():
            with contextlib.suppress(queue.Empty):
                self.pass_on(self.waiting.get(timeout=0.1))
            for late in [late for late in self.kept
                         if late[0] <= 0 or self.path.clock.ns() > late[1] + LATE_NS]:
                self.kept.remove(late)
                self.send(late[2])
            for hostile in self.attacker.due(self.path.clock.ns()) if self.attacker else ():
                self.send(hostile)

    def pass_on(self, frame):
        self.counts["frames"] += 1
        self.path.capture.add(self.end, frame)
        dice = self.random.random()
        if is_roce(frame) and dice < self.path.loss:
            self.counts["lost"] += 1
            return
        if is_roce(frame) and dice < self.path.loss + self.path.reorder:
            self.counts["late"] += 1
            self.kept.append([LATE, self.path.clock.ns(), frame])
            return
        self.send(frame)
        for late in self.kept:
            late[0] -= 1
        if self.attacker is not None and is_roce(frame):
            self.attacker.see(frame)

    def send(self, frame):
        """Blocks while the other end has no room; without another end the frame is lost."""
        while not self.path.ended.is_set():
            try:
                self.socket.sendto(frame, self.there)
                return
            except TimeoutError:
                continue
            except OSError:  # nobody there
                return


class Path:
    """The wire, for `with`. Of RoCE frames the shares `loss` and `reorder` are lost and late."""

    def __init__(self, board, peer, clock, capture, loss=0.0, reorder=0.0, attacker=None, seed=1):
        """`board`, `peer`: of each end (its socket, the socket that it sends to)."""
        self.clock, self.loss, self.reorder = Clock(clock), loss, reorder
        self.attacker, self.seed = attacker, seed
        self.capture = Capture(capture, self.clock)
        self.ended = threading.Event()
        self.directions = [Direction(self, BOARD, board[1], peer[0]),
                           Direction(self, PEER, peer[1], board[0])]

    def __enter__(self):
        for direction in self.directions:
            for thread in direction.threads:
                thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for direction in self.directions:
            for thread in direction.threads:
                thread.join()
            direction.socket.close()
        self.capture.close()

    def counts(self):
        names = ("of the board", "of the peer")
        return {name: direction.counts for name, direction in zip(names, self.directions)}
