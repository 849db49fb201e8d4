# SPDX-License-Identifier: Apache-2.0
"""RoCE frames: fields to bytes and back."""
import ctypes
import ipaddress

from .library import GRH, IPV4, IPV6, LIB, NO_VLAN, ROOM, U8, Packet, error, text

FLAGS = ("solicited", "ack_req", "mig_req", "fecn", "becn")  # bits from 0 on
NUMBERS = [name for name, _ in Packet._fields_ if name not in ("src_gid", "dst_gid", "flags")]
OF_PARSE = ("payload_at", "payload_bytes", "pad", "icrc", "icrc_expected")
DEFAULTS = {"network": None, "vlan": NO_VLAN, "hop_limit": 64, "src_port": 0xC000, "pkey": 0xFFFF,
            "mig_req": True}


def _opcodes():
    names = {}
    for number in range(256):
        name = text(LIB.roce_opcode_name(number))
        if name is not None:
            names[name] = number
    return names


OPCODES = _opcodes()  # "RcWriteOnly" -> 10
ACK, RNR_NAK = 0x1F, 0x20  # syndromes of an AETH; an RNR NAK has the code of its timer added
NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS, NAK_OPERATIONAL = 0x60, 0x61, 0x62, 0x63


def gid(address):
    """The 16 bytes of a GID, from them or from a text: "10.0.0.1", "fd00::1"."""
    if isinstance(address, (bytes, bytearray)):
        if len(address) != 16:
            raise ValueError(f"a GID has 16 bytes, not {len(address)}")
        return bytes(address)
    parsed = ipaddress.ip_address(address)
    return bytes(10) + b"\xff\xff" + parsed.packed if parsed.version == 4 else parsed.packed


def address_of(raw):
    """A GID as text."""
    parsed = ipaddress.IPv6Address(bytes(raw))
    return str(parsed.ipv4_mapped or parsed)


class Frame:
    """A RoCE frame by its fields, those of roce_packet and the flags of the BTH.

    `error` says why a receiver drops a frame that was parsed; None: it does not.
    """

    def __init__(self, opcode="RcSendOnly", payload=b"", **fields):
        self.opcode = OPCODES[opcode] if isinstance(opcode, str) else opcode
        self.payload = bytes(payload)
        self.error = None
        self.src_gid, self.dst_gid = (gid(fields.pop(name, "0.0.0.0"))
                                      for name in ("src_gid", "dst_gid"))
        for name in (*NUMBERS, *FLAGS):
            if name != "opcode":
                setattr(self, name, fields.pop(name, DEFAULTS.get(name, 0)))
        if fields:
            raise TypeError(f"a frame has no field {', '.join(fields)}")

    @property
    def name(self):
        """Name of the opcode."""
        return text(LIB.roce_opcode_name(self.opcode)) or f"opcode {self.opcode:#x}"

    @property
    def is_nak(self):
        return self.name == "RcAck" and self.syndrome >> 5 in (1, 3)

    def build(self):
        """The bytes: lengths, pad, checksum and ICRC are right."""
        packet = Packet()
        for name in NUMBERS:
            if name not in OF_PARSE and name != "network":
                setattr(packet, name, getattr(self, name))
        packet.flags = sum(1 << bit for bit, name in enumerate(FLAGS) if getattr(self, name))
        ctypes.memmove(packet.src_gid, self.src_gid, 16)
        ctypes.memmove(packet.dst_gid, self.dst_gid, 16)
        mapped = all(raw[:12] == bytes(10) + b"\xff\xff" for raw in (self.src_gid, self.dst_gid))
        packet.network = self.network or (IPV4 if mapped else IPV6)
        room = (U8 * ROOM)()
        size = LIB.roce_build(packet, ctypes.sizeof(packet), self.payload, len(self.payload), room,
                              ROOM)
        if size == 0:
            raise ValueError(error())
        return bytes(room[:size])

    @classmethod
    def parse(cls, data):
        """The fields of bytes. What is not RoCE has no opcode (None) and `error` says so."""
        data = bytes(data)
        packet = Packet()
        problem = text(LIB.roce_parse(data, len(data), packet, ctypes.sizeof(packet)))
        frame = cls(packet.opcode)
        for name in NUMBERS:
            setattr(frame, name, getattr(packet, name))
        for bit, name in enumerate(FLAGS):
            setattr(frame, name, bool(packet.flags >> bit & 1))
        frame.src_gid, frame.dst_gid = bytes(packet.src_gid), bytes(packet.dst_gid)
        frame.payload = data[packet.payload_at:packet.payload_at + packet.payload_bytes]
        frame.error = problem
        if packet.network == 0:
            frame.opcode = None
        return frame

    def __repr__(self):
        return f"<{describe(self.build())}>" if self.opcode is not None else "<not RoCE>"


def describe(data):
    """A frame in one line."""
    return LIB.roce_describe(bytes(data), len(data)).decode(errors="replace")


def lint(data):
    """The rules that a sender broke with this frame, each with its statement."""
    return text(LIB.roce_lint(bytes(data), len(data))).splitlines()


def seal(data):
    """The frame with right IPv4 checksum and ICRC."""
    room = (U8 * len(data)).from_buffer_copy(bytes(data))
    if not LIB.roce_seal(room, len(data)):
        raise ValueError("the frame has no BTH")
    return bytes(room)


__all__ = ["ACK", "Frame", "GRH", "IPV4", "IPV6", "NAK_ACCESS", "NAK_INVALID", "NAK_OPERATIONAL",
           "NAK_SEQUENCE", "OPCODES", "RNR_NAK", "address_of", "describe", "gid", "lint", "seal"]
