# SPDX-License-Identifier: Apache-2.0
"""Checks of up.py: messages of a hostile process, and random data on the doorbells of its own."""
import ctypes
import mmap
import os
import pathlib
import random
import socket
import struct

from up_peers import Peer, expect, pair, status

VERSION = 5  # kVersion of protocol.hpp
WELCOME_BYTES = 8 + 8 + 160 + 16 + 8 + 8


class Hostile:
    """A client that sends the messages of the protocol itself."""

    def __init__(self, path, node=b"n0", probe=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(5)
        self.socket.connect(path)
        self.words = (ctypes.c_uint64 * 2)(1, 0)
        self.probe = ctypes.addressof(self.words) if probe is None else probe
        self.node = node

    def hello(self):
        self.socket.send(struct.pack("<IIII16sQ", 1, 7, 0x49434F52, VERSION, self.node, self.probe))
        data, fds, _, _ = socket.recv_fds(self.socket, 256, 1)
        expect(len(data) == WELCOME_BYTES, f"welcome of {len(data)} bytes")
        rejection, = struct.unpack_from("<I", data, 8)
        return rejection, fds, struct.unpack_from("<Q", data, WELCOME_BYTES - 8)[0]

    def ended(self):
        """Whether the simulator has closed the connection."""
        try:
            while self.socket.recv(4096):
                pass
            return True
        except TimeoutError:
            return False
        except OSError:
            return True


def check_hostile(path):
    a, b = pair()
    # Bytes before Hello, of every length.
    for length in [1, 7, 8, 9, 40, 41, 300, 5000] + [random.randrange(1, 300) for _ in range(30)]:
        h = Hostile(path)
        h.socket.send(random.randbytes(length))
        h.socket.close()
    # Invalid Hello messages.
    expect(Hostile(path, node=b"n9").hello()[0] == 2, "node n9 was accepted")
    expect(Hostile(path, node=b"x" * 16).hello()[0] == 2, "an unterminated name was accepted")
    expect(Hostile(path, probe=8).hello()[0] == 4, "a probe at address 8 was accepted")
    # Bytes after it, with descriptors that were not requested.
    for _ in range(60):
        h = Hostile(path)
        expect(h.hello()[0] == 0, "not accepted")
        message = struct.pack("<II", random.randrange(1, 18), 5) + random.randbytes(random.choice(
            [0, 4, 8, 20, 32, 64, 120, 128, 200]))
        if message[:4] == struct.pack("<I", 8) and len(message) == 8:
            continue  # that would be `roci down`
        with open(os.devnull, "rb") as nothing:
            socket.send_fds(h.socket, [message], [nothing.fileno()] * random.randrange(4))
        if random.random() < 0.5:
            h.socket.close()
    # Memory to share: odd, overlapping, too large, more than any process may have.
    h = Hostile(path)
    h.hello()
    for address, size, wanted in [(0, 0, 5), (4095, 4096, 5), (0, 4097, 5), (0, 1 << 40, 5),
                                  (0, 1 << 20, 0), (4096, 4096, 3), (-4096 % 2**64, 8192, 3),
                                  (1 << 30, 1 << 30, 3), (1 << 30, 1 << 29, 0)]:
        h.socket.send(struct.pack("<IIQQ", 16, 1, address, size))
        data, fds, _, _ = socket.recv_fds(h.socket, 256, 1)
        expect(struct.unpack_from("<I", data, 8)[0] == wanted and len(fds) == (wanted == 0),
               f"share {address:#x} {size:#x}: {data}")
        for fd in fds:
            try:
                os.ftruncate(fd, 0)
                raise AssertionError("truncate of shared memory worked")
            except PermissionError:
                os.close(fd)
    h.socket.send(struct.pack("<IIQ", 17, 1, 4096))  # in the middle of a block
    expect(struct.unpack_from("<I", h.socket.recv(64), 8)[0] == 5, "a block ended in its middle")
    # Many commands, without reading a reply.
    h = Hostile(path)
    h.hello()
    h.socket.settimeout(0.05)
    command = struct.pack("<IIII120s", 2, 1, 1, 0, b"")  # QueryDevice
    try:
        for _ in range(5000):
            h.socket.send(command)
    except OSError:
        pass
    # A doorbell page with random data, while the others communicate.
    noisy = Hostile(path)
    rejection, fds, size = noisy.hello()
    expect(rejection == 0, "not accepted")
    page = mmap.mmap(fds[0], size)
    for name in ("truncate", "grow"):
        try:
            os.ftruncate(fds[0], 0 if name == "truncate" else 2 * size)
            raise AssertionError(f"{name} of the doorbell page worked")
        except PermissionError:
            pass
    for round in range(20):
        page[0:size] = random.randbytes(size)
        page[0:4] = struct.pack("<I", 3)
        noisy.socket.send(struct.pack("<II", 3, 0))  # Wake
        seed = random.randrange(1 << 30)
        a.call(f"fill 0 4096 {seed}")
        a.call("write 0 4096 4096")
        a.call("sent", "Success 0")
        b.call(f"check 4096 4096 {seed}")
    page.close()
    os.close(fds[0])
    a.close()
    b.close()


def check_noise_on_own_queue(path):
    """A process that owns a queue pair and rings random doorbells affects no other process."""
    a, b = pair()
    victim = Peer("n0")
    pid = [p["pid"] for p in status()["nodes"][0]["processes"] if p["pid"] == victim.process.pid]
    expect(pid != [], "the process is not in the status")
    maps = pathlib.Path(f"/proc/{pid[0]}/maps").read_text().splitlines()
    line = next(m for m in maps if "roci-doorbells" in m)
    first, last = (int(x, 16) for x in line.split()[0].split("-"))
    with open(f"/proc/{pid[0]}/mem", "r+b", buffering=0) as memory:
        for _ in range(10):
            memory.seek(first)
            memory.write(random.randbytes(4096 * ((last - first) // 4096)))
            memory.seek(first)
            memory.write(struct.pack("<II", 1, 0))
            seed = random.randrange(1 << 30)
            a.call(f"fill 0 4096 {seed}")
            a.call("write 0 4096 4096")
            a.call("sent", "Success 0")
            b.call(f"check 4096 4096 {seed}")
    victim.kill()
    a.close()
    b.close()
