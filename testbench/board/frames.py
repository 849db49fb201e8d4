# SPDX-License-Identifier: Apache-2.0
"""Frames of the adapter, judged by scapy."""
from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

RDMA_PORT = 4791


def frame_of(data):
    """The packet and whether its ICRC is right, when it is RoCE v2. Else the ICRC is poisoned."""
    packet = Ether(data)
    if not (packet.haslayer(UDP) and packet[UDP].dport == RDMA_PORT):
        return None, True
    assert packet[IP].len == len(data) - 14
    checksum = packet[IP].chksum
    del packet[IP].chksum
    assert IP(bytes(packet[IP])).chksum == checksum
    # scapy computes the ICRC of a packet that has none.
    built = Ether(data[:-4] + bytes(4))
    bth = built[BTH]
    icrc = bth.compute_icrc(bytes(bth))
    assert data[-4:] in (icrc, bytes(byte ^ 0xFF for byte in icrc)), f"ICRC: {data.hex()}"
    return packet, data[-4:] == icrc
