# SPDX-License-Identifier: Apache-2.0
"""Packets of a capture of `roci up --pcap`: what each adapter sent, and what a fault did to it."""
import collections
import ipaddress
import pathlib
import struct

from .wire import AETH_KINDS, OPCODES, SYNDROMES

INTERFACE, PACKET = 1, 6  # blocks of pcapng
COMMENT, NAME = 1, 2  # their options
IPV4, IPV6, ROCE_V1 = 0x0800, 0x86DD, 0x8915
UDP_PORT = 4791
WITH_AETH = ("RcReadRespFirst", "RcReadRespLast", "RcReadRespOnly", "RcAck", "RcAtomicAck")

Packet = collections.namedtuple(
    "Packet", "time_ns sender destination queue_pair opcode psn syndrome bytes fault")
Packet.__doc__ = """A RoCE packet. sender: the adapter that sent it; destination: an IP address;
queue_pair: its destination QP; syndrome: name, or None; fault: what a fault did to it, or ""."""


def options(data, at, end):
    """(code, value) of each option of a block."""
    while at + 4 <= end:
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def syndrome_name(value):
    kind = AETH_KINDS.get(value >> 5, "Reserved")
    return kind if kind in ("Ack", "Rnr") else SYNDROMES.get(value, f"{kind} 0x{value:02x}")


def decode(frame):
    """(destination, queue pair, opcode, PSN, syndrome) of a RoCE frame; None for another one."""
    at = 12
    kind, = struct.unpack_from(">H", frame, at)
    if kind == 0x8100:
        at += 4
        kind, = struct.unpack_from(">H", frame, at)
    at += 2
    if kind == IPV4:
        destination, udp = frame[at + 16:at + 20], at + 4 * (frame[at] & 15)
    elif kind in (IPV6, ROCE_V1):
        destination, udp = frame[at + 24:at + 40], at + 40
    else:
        return None
    if kind != ROCE_V1 and struct.unpack_from(">H", frame, udp + 2)[0] != UDP_PORT:
        return None
    bth = udp if kind == ROCE_V1 else udp + 8
    opcode = OPCODES.get(frame[bth], f"0x{frame[bth]:02x}")
    queue_pair = int.from_bytes(frame[bth + 5:bth + 8], "big")
    psn = int.from_bytes(frame[bth + 9:bth + 12], "big")
    syndrome = syndrome_name(frame[bth + 12]) if opcode in WITH_AETH else None
    return str(ipaddress.ip_address(destination)), queue_pair, opcode, psn, syndrome


def packets(path):
    """The RoCE packets of a capture, in the order in which they entered the links."""
    data = pathlib.Path(path).read_bytes()
    names, at = [], 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if length < 12 or at + length > len(data):
            raise ValueError(f"{path}: truncated")
        if kind == INTERFACE:
            found = dict(options(data, at + 16, at + length - 4))
            names.append(found.get(NAME, b"?").decode())
        if kind == PACKET:
            interface, high, low, captured = struct.unpack_from("<IIII", data, at + 8)
            frame = data[at + 28:at + 28 + captured]
            try:
                decoded = decode(frame)
            except (IndexError, struct.error):  # a program may send what it wants
                decoded = None
            if decoded:
                after = at + 28 + (captured + 3) // 4 * 4
                found = dict(options(data, after, at + length - 4))
                yield Packet(high << 32 | low, names[interface], *decoded, len(frame),
                             found.get(COMMENT, b"").decode())
        at += length


def line_of(packet):
    words = [f"{packet.time_ns / 1000:14.3f} us  {packet.opcode:16} PSN {packet.psn}"]
    return "  " + ", ".join(words + [word for word in (packet.syndrome, packet.fault) if word])


def last_packets(path, count=12):
    """Lines with the last packets to each queue pair, and before them the first ones that a fault
    hit. QP1 has those of the connection manager."""
    last, hit = {}, {}
    for packet in packets(path):
        key = packet.sender, packet.destination, packet.queue_pair
        last.setdefault(key, collections.deque(maxlen=count)).append(packet)
        if packet.fault and len(hit.setdefault(key, [])) < count:
            hit[key].append(packet)
    for key in sorted(last):
        yield "{} to queue pair {} at {}:".format(key[0], key[2], key[1])
        earlier = [packet for packet in hit.get(key, []) if packet.time_ns < last[key][0].time_ns]
        yield from map(line_of, earlier)
        yield from ["  ..."] if len(last[key]) == count else []
        yield from map(line_of, last[key])
