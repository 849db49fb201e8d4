# SPDX-License-Identifier: Apache-2.0
"""Sums of RoCE v2 frames over IPv4, for tests that make such frames."""
import struct
import zlib

from testbench.tools.rocitest.check_pcap import ones_sum

# The bytes of an IPv4 datagram without options that change on its way: type of service, time to
# live, both checksums, and the byte of the BTH with FECN and BECN.
MASKED = (1, 8, 10, 11, 26, 27, 32)


def checksum(header):
    """That of an IPv4 header whose field for it is zero."""
    return ~ones_sum(header) & 0xFFFF


def with_icrc(frame):
    """The frame with the right ICRC (7.8.1, A17) in place of its last four bytes."""
    masked = bytearray(frame[14:-4])
    for at in MASKED:
        masked[at] = 0xFF
    return bytes(frame[:-4]) + struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))
