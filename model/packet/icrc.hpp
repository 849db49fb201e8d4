// SPDX-License-Identifier: Apache-2.0
// Checksums of RoCE packets: invariant CRC (7.8.1, A16, A17), IPv4 header sum, UDP sum.
#pragma once

#include "model/packet/bytes.hpp"

namespace roci::packet {

/// Headers before the BTH: an IP header and UDP, or the GRH of RoCE v1.
enum class Network { kIpv4, kIpv6, kGrh };

/// Returns the ICRC of a packet as a number whose lowest byte is sent first. `datagram` goes from
/// the first byte of the IP header or GRH to the last one before the ICRC; `bth_at` is where the
/// BTH begins.
std::uint32_t icrc(ByteView datagram, std::size_t bth_at, Network network);

/// Returns the ones-complement sum of 16-bit words, not inverted: 0xFFFF for a header with a
/// correct checksum.
std::uint16_t ones_sum(ByteView bytes, std::uint32_t start = 0);

/// Returns the correct checksum of `header` (IPv4).
std::uint16_t ipv4_checksum(ByteView header);

/// Returns ones_sum over pseudo header and UDP datagram: 0xFFFF when a non-zero checksum is
/// correct.
std::uint16_t udp_sum(ByteView ip_header, ByteView udp_datagram, bool ipv6);

}  // namespace roci::packet
