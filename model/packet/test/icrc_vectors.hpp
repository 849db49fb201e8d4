// SPDX-License-Identifier: Apache-2.0
// Packets whose invariant CRC other implementations computed.
#pragma once

namespace roci::packet {

/// Packets in hexadecimal from the IP header to the ICRC, checked by two programs. Soft-RoCE sent
/// all except the CNP, which is scapy's.
inline constexpr const char* kIcrcVectors[] = {
    // ACK
    "45000030da69400040114c510a0000020a000001c21112b7001c00001100ffff00000017001000001f000001"
    "6d8f4ead",
    // SEND ONLY of one byte, pad 3
    "450000307ee440004011a7d60a0000010a000002c21112b7001c00000430ffff000000178010000161000000"
    "f815cf27",
    // ATOMIC ACKNOWLEDGE
    "45000038de9640004011481c0a0000020a000001c8a112b7002400001200ffff0000002f001000001f000001"
    "8877665544332211a8ff2144",
    // UC WRITE ONLY of two bytes, pad 2
    "45000040819640004011a5140a0000010a000002c55912b7002c00002a20ffff000000250010000200007f99"
    "7ce3600200002bd300000002c6d30000a8293142",
    // CNP
    "4500003c00074000401126a10a0000090a000001c12312b7002800008100ffff4000004f0000000000000000"
    "00000000000000000000000078af68a7",
    // NAK remote access error
    "45000030e3034000401143b70a0000020a000001d10412b7001c00001100ffff000000420010000062000000"
    "cb6be0f8"};

}  // namespace roci::packet
