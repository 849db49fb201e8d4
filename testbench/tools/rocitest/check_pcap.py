#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks captures of `roci` without any code of Rocinante: invariant CRC and wire rules of each
RoCE v2 or v1 frame, and, where tshark is installed, that it dissects each without complaint.

usage: check_pcap.py FILE.pcapng...     exit 1 when a frame is bad
"""
import shutil
import struct
import subprocess
import sys
import zlib

EXT = {0: 0, 1: 0, 2: 0, 3: 4, 4: 0, 5: 4, 6: 16, 7: 0, 8: 0, 9: 4, 10: 16, 11: 20, 12: 16, 13: 4,
       14: 0, 15: 4, 16: 4, 17: 4, 18: 12, 19: 28, 20: 28}  # RC opcode: bytes after the BTH
EXT |= {0x20 + opcode: EXT[opcode] for opcode in range(12)}  # UC
EXT |= {0x64: 8, 0x65: 12}  # UD
NO_PAYLOAD = (12, 17, 18, 19, 20)

# RDMA payload is arbitrary; these dissectors guess its protocol and report it as malformed.
GUESSES = ["rpcrdma_infiniband", "smcr_infiniband", "smb_direct_infiniband", "lnet_ib",
           "iser_infiniband", "mellanox_eoib", "eth_over_ib", "sdp_infiniband", "fc_infiniband"]


def frames(path, interface=None):
    """Frames of a little-endian pcapng file, enhanced packet blocks only; of all interfaces or
    one."""
    data = open(path, "rb").read()
    if data[:4] != b"\x0a\x0d\x0d\x0a":
        raise ValueError("not a pcapng file")
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if length < 12 or at + length > len(data):
            raise ValueError("truncated")
        if kind == 6:
            port, _, _, captured = struct.unpack_from("<IIII", data, at + 8)
            if interface in (None, port):
                yield data[at + 28:at + 28 + captured]
        at += length


def ones_sum(data):
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def complaints(frame):
    """Returns the errors of a frame; None when it is not RoCE."""
    at = 12
    if frame[at:at + 2] == b"\x81\x00":
        at += 4
    kind, ip = frame[at:at + 2], at + 2
    masked = bytearray(frame)
    if kind == b"\x08\x00":
        udp = ip + 20
        length = struct.unpack_from(">H", frame, ip + 2)[0]
        is_udp = frame[ip + 9] == 17
        for i in (1, 8, 10, 11):
            masked[ip + i] = 0xFF
    elif kind in (b"\x86\xdd", b"\x89\x15"):  # the GRH of v1 has the layout of an IPv6 header
        udp = ip + 40
        length = 40 + struct.unpack_from(">H", frame, ip + 4)[0]
        is_udp = frame[ip + 6] == 17
        masked[ip] |= 0x0F
        for i in (1, 2, 3, 7):
            masked[ip + i] = 0xFF
    else:
        return None
    v1 = kind == b"\x89\x15"
    if not v1 and (not is_udp or struct.unpack_from(">H", frame, udp + 2)[0] != 4791):
        return None
    wrong = []
    bth, end = udp if v1 else udp + 8, ip + length
    if v1 and (frame[ip] >> 4 != 6 or frame[ip + 6] != 0x1B):
        wrong.append("GRH")
    if kind == b"\x08\x00" and (frame[ip] != 0x45 or ones_sum(frame[ip:ip + 20]) != 0xFFFF
                                or not frame[ip + 6] & 0x40):
        wrong.append("IPv4 header")
    if end > len(frame) or (not v1 and struct.unpack_from(">H", frame, udp + 4)[0] != end - udp):
        return wrong + ["lengths"]
    if not v1 and struct.unpack_from(">H", frame, udp)[0] < 0xC000:
        wrong.append("UDP source port")
    opcode, pad = frame[bth], frame[bth + 1] >> 4 & 3
    payload = end - 4 - pad - bth - 12 - EXT.get(opcode, 0)
    if opcode not in EXT or frame[bth + 1] & 15 or frame[bth + 4] & 63 or frame[bth + 8] & 127:
        wrong.append("BTH")
    if payload < 0 or (end - bth) % 4 or (payload and opcode in NO_PAYLOAD):
        wrong.append("payload length")
    if any(frame[end - 4 - pad:end - 4]):
        wrong.append("pad")
    masked[bth + 4] = 0xFF
    if not v1:
        masked[udp + 6] = masked[udp + 7] = 0xFF
    if struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked[ip:end - 4])) != frame[end - 4:end]:
        wrong.append("ICRC")
    return wrong


def tshark_complaints(path, only=None):
    if not shutil.which("tshark"):
        return []
    command = ["tshark", "-r", path, "-T", "fields", "-e", "_ws.col.Protocol", "-e",
               "_ws.malformed"]
    if only is not None:
        command += ["-Y", only]
    for guess in GUESSES:
        command += ["--disable-heuristic", guess]
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         check=True).stdout
    return [line for line in out.splitlines()
            if line.split("\t")[0] not in ("RRoCE", "RoCE", "ARP", "ICMPv6")
            or line.split("\t")[1:] != [""]]


def count(path, condition):
    """Frames that meet a display filter of tshark."""
    output = subprocess.run(["tshark", "-r", path, "-Y", condition], capture_output=True, text=True,
                          check=True).stdout
    return len(output.splitlines())


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    bad = 0
    for path in sys.argv[1:]:
        roce = 0
        for number, frame in enumerate(frames(path), 1):
            wrong = complaints(frame)
            roce += wrong is not None
            if wrong:
                bad += 1
                print(f"{path}: frame {number}: {', '.join(wrong)}")
        for line in tshark_complaints(path):
            bad += 1
            print(f"{path}: tshark: {line}")
        print(f"{path}: {roce} RoCE frames {'checked' if not bad else 'BAD'}")
        bad += roce == 0
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
