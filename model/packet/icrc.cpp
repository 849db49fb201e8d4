// SPDX-License-Identifier: Apache-2.0
#include "model/packet/icrc.hpp"

#include <algorithm>
#include <array>

#include "model/packet/crc32.hpp"
#include "model/packet/headers.hpp"
#include "model/spec/layout/headers.hpp"

namespace roci::packet {
namespace {

// The masked header bytes are copied; the bytes after them enter the CRC without a copy.
constexpr std::size_t kMaxIpv4 = 60;  // with all options
constexpr std::size_t kMaxMasked = kMaxIpv4 + Udp::kBytes + Bth::kBytes;

}  // namespace

std::uint32_t icrc(ByteView datagram, std::size_t bth_at, Network network) {
  constexpr std::array<std::uint8_t, 8> kLrh = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  std::array<std::uint8_t, kMaxMasked> masked{};
  const std::size_t count = std::min({bth_at + Bth::kBytes, datagram.size, masked.size()});
  std::copy_n(datagram.begin(), count, masked.begin());
  if (network != Network::kIpv4) {
    MutableIpv6 ip(masked.data());
    ip.set_traffic_class(0xFF);
    ip.set_flow_label(0xFFFFF);
    ip.set_hop_limit(0xFF);
  } else {
    MutableIpv4 ip(masked.data());
    ip.set_tos(0xFF);
    ip.set_ttl(0xFF);
    ip.set_checksum(0xFFFF);
  }
  if (network != Network::kGrh) MutableUdp(&masked[bth_at - Udp::kBytes]).set_checksum(0xFFFF);
  MutableBth bth(&masked[bth_at]);
  bth.set_fecn(true);
  bth.set_becn(true);
  bth.set_reserved6(0x3F);
  std::uint32_t crc = crc32_extend(0, {kLrh.data(), kLrh.size()});
  crc = crc32_extend(crc, {masked.data(), count});
  return crc32_extend(crc, datagram.sub(count, datagram.size - count));
}

std::uint16_t ones_sum(ByteView bytes, std::uint32_t start) {
  std::uint32_t sum = start;
  for (std::size_t i = 0; i < bytes.size; ++i) {
    sum += static_cast<std::uint32_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
  }
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

std::uint16_t ipv4_checksum(ByteView header) {
  std::array<std::uint8_t, kMaxIpv4> copy{};
  const std::size_t count = std::min(header.size, copy.size());
  std::copy_n(header.begin(), count, copy.begin());
  MutableIpv4(copy.data()).set_checksum(0);
  return static_cast<std::uint16_t>(~ones_sum({copy.data(), count}));
}

std::uint16_t udp_sum(ByteView ip_header, ByteView udp_datagram, bool ipv6) {
  const auto udp_protocol = static_cast<std::uint32_t>(17);
  const std::size_t addresses =
      ipv6 ? layout::ipv6::src_ip.offset / 8 : layout::ipv4::src_ip.offset / 8;
  const std::size_t address_bytes = ipv6 ? 32 : 8;
  const std::uint32_t start = udp_protocol + static_cast<std::uint32_t>(udp_datagram.size) +
                              ones_sum(ip_header.sub(addresses, address_bytes));
  return ones_sum(udp_datagram, start);
}

}  // namespace roci::packet
