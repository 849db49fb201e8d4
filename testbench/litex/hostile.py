# SPDX-License-Identifier: Apache-2.0
"""Frames that no peer should send to a board, most of them made from those that its peer sends.

None of them may end a connection: they have a wrong ICRC, a queue pair that does not exist, or are
repetitions of what the connection has had.
"""
import random
import struct

from testbench.tools.rocitest.roce import checksum, with_icrc

ROCE, EXCHANGE = 4791, 18516
FOR_PROGRAM = 0.05  # the share for the board's program, which takes a millisecond for each
MOST = 1400  # bytes of random ones
BTH = 42  # offset after the headers of Ethernet, IPv4 and UDP


class Hostile:
    """Makes one hostile frame each `period_ns`; `kinds` counts them by kind."""

    def __init__(self, mac, address, peer, period_ns, seed):
        self.random, self.period_ns, self.next_ns = random.Random(seed), period_ns, None
        self.ethernet = bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("525400000066")
        self.address, self.peer = (bytes(map(int, one.split("."))) for one in (address, peer))
        self.kinds, self.roce = {}, None

    def see(self, frame):
        """A RoCE frame of the peer, of which hostile ones may be made."""
        self.roce = frame

    def due(self, now_ns):
        """The frames until `now_ns`."""
        if self.next_ns is None:
            self.next_ns = now_ns
        while self.next_ns <= now_ns:
            self.next_ns += self.period_ns
            kinds = self.OF_CONNECTION if self.roce is not None else self.OF_ROCE
            if self.random.random() < FOR_PROGRAM:
                kinds = self.OF_PROGRAM
            make = self.random.choice(kinds)
            self.kinds[make.__name__] = self.kinds.get(make.__name__, 0) + 1
            yield bytes(make(self))

    def ipv4(self, payload, protocol=17, flags=0x4000, first=0x45):
        head = bytearray(struct.pack(">BBHHHBBH4s4s", first, 0, 20 + len(payload), 0, flags, 64,
                                     protocol, 0, self.peer, self.address))
        head[10:12] = checksum(bytes(head)).to_bytes(2, "big")
        return self.ethernet + b"\x08\x00" + bytes(head) + payload

    def udp(self, port, payload):
        return self.ipv4(struct.pack(">HHHH", 0xC123, port, 8 + len(payload), 0) + payload)

    def some(self, least=0, most=MOST):
        return self.random.randbytes(self.random.randint(least, most))

    # Whatever the host program has to read.
    def noise(self):
        return self.ethernet + self.some(2)

    def arp(self):
        return self.ethernet + b"\x08\x06" + self.some(0, 60)

    def truncated_ipv4(self):
        frame = self.udp(EXCHANGE, self.some(24, 60))
        return frame[:self.random.randint(14, len(frame) - 1)]

    def ip_options(self):
        return self.ipv4(self.some(8), first=0x46)

    def fragment(self):
        return self.ipv4(self.some(8), flags=self.random.choice((0x2000, 0x00B9)))

    def icmp(self):
        return self.ipv4(bytes([self.random.choice((0, 3, 8, 13))]) + self.some(3, 100), protocol=1)

    def exchange(self):
        """Of another version, an operation that is none, or too short."""
        version, operation = self.random.choice(((9, 1), (1, 0), (1, 4), (1, 200)))
        request = struct.pack(">4sBBHI", b"ROCX", version, operation, 0, 1) + bytes(24)
        return self.udp(EXCHANGE, request[:self.random.choice((3, 12, 36))])

    # RoCE without a connection.
    def roce_noise(self):
        return self.udp(ROCE, self.some(0))

    def no_pair(self):
        """A right ICRC, and a queue pair that the board does not have."""
        pair = self.random.choice((0, 1, 0xFFFFFF, self.random.randint(0x10000, 0xFFFFFE)))
        head = bytes([self.random.randrange(256), 0, 0xFF, 0xFF, 0]) + pair.to_bytes(3, "big")
        rest = self.random.randbytes(4) + bytes(4 * self.random.randint(1, 99))
        return with_icrc(self.udp(ROCE, head + rest))

    # Made from a frame of the connection.
    def damaged(self):
        """A bit of its payload or headers is wrong, its ICRC as before."""
        frame = bytearray(self.roce)
        frame[self.random.randint(BTH + 5, len(frame) - 1)] ^= 1 << self.random.randrange(8)
        return frame

    def truncated(self):
        """The lengths in IPv4 and UDP say more than there is."""
        return self.roce[:self.random.randint(BTH, len(self.roce) - 1)]

    def other_partition(self):
        frame = bytearray(self.roce)
        frame[BTH + 2:BTH + 4] = b"\x12\x34"
        return with_icrc(frame)

    def other_version(self):
        """Transport version 1 to 15."""
        frame = bytearray(self.roce)
        frame[BTH + 1] |= self.random.randint(1, 15)
        return with_icrc(frame)

    def repeated(self):
        return self.roce

    OF_PROGRAM = (noise, arp, truncated_ipv4, ip_options, fragment, icmp, exchange)
    OF_ROCE = (roce_noise, no_pair)
    OF_CONNECTION = (*OF_ROCE, damaged, truncated, other_partition, other_version, repeated)
