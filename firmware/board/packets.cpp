// SPDX-License-Identifier: Apache-2.0
#include "firmware/board/packets.hpp"

#include "firmware/hal/bits.hpp"

namespace roci::fw::board {
namespace {

namespace eth = layout::ethernet;
namespace ip = layout::ipv4;
namespace udp = layout::udp;

constexpr uint32_t kIcmp = 1, kUdp = 17;
constexpr uint32_t kVersion = 4, kHeaderWords = 5, kTtl = 64, kMoreFragments = 1;
constexpr Place kIcmpType = {0, 8}, kIcmpCode = {8, 8}, kIcmpChecksum = {16, 16};
constexpr size_t kIcmpBytes = 8;
constexpr uint32_t kEchoRequest = 8, kEchoReply = 0;

uint32_t sum(const uint8_t* bytes, size_t count, uint32_t start = 0) {
  for (size_t i = 0; i < count; ++i) {
    start += static_cast<uint32_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
  }
  return start;
}

uint32_t fold(uint32_t value) {
  while (value >> 16 != 0) value = (value & 0xFFFF) + (value >> 16);
  return value;
}

/// The sum over a datagram and its pseudo header; both addresses stand at the end of the IPv4
/// header.
uint32_t udp_sum(const uint8_t* header, const uint8_t* datagram, size_t bytes) {
  constexpr size_t kAddresses = ip::src_ip.offset / 8;
  return fold(
      sum(datagram, bytes,
          sum(header + kAddresses, ip::kBytes - kAddresses, kUdp + static_cast<uint32_t>(bytes))));
}

void put_addresses(uint8_t* frame, Mac to, Mac from) {
  put_wire(frame, eth::dst_mac, to);
  put_wire(frame, eth::src_mac, from);
}

void put_ip(uint8_t* header, uint32_t from, uint32_t to, uint32_t protocol, size_t payload) {
  for (size_t i = 0; i < ip::kBytes; ++i) header[i] = 0;
  put_wire(header, ip::version, kVersion);
  put_wire(header, ip::ihl, kHeaderWords);
  put_wire(header, ip::total_length, ip::kBytes + payload);
  put_wire(header, ip::ttl, kTtl);
  put_wire(header, ip::protocol, protocol);
  put_wire(header, ip::src_ip, from);
  put_wire(header, ip::dst_ip, to);
  put_wire(header, ip::checksum, ~fold(sum(header, ip::kBytes)) & 0xFFFF);
}

Kind read_udp(const uint8_t* header, const uint8_t* body, size_t bytes, Datagram* datagram) {
  if (bytes < udp::kBytes) return Kind::kMalformed;
  const auto length = static_cast<size_t>(get_wire(body, udp::length));
  if (length < udp::kBytes || length > bytes) return Kind::kMalformed;
  if (get_wire(body, udp::checksum) != 0 && udp_sum(header, body, length) != 0xFFFF) {
    return Kind::kMalformed;
  }
  datagram->port = static_cast<uint16_t>(get_wire(body, udp::src_port));
  datagram->to_port = static_cast<uint16_t>(get_wire(body, udp::dst_port));
  datagram->bytes = body + udp::kBytes;
  datagram->length = length - udp::kBytes;
  return Kind::kDatagram;
}

}  // namespace

Kind read_frame(const uint8_t* frame, size_t bytes, uint32_t own, Datagram* datagram) {
  if (bytes < eth::kBytes + ip::kBytes || bytes > kFrameBytes) return Kind::kOther;
  if (get_wire(frame, eth::ethertype) != layout::ethertype::kIpv4) return Kind::kOther;
  const uint8_t* header = frame + eth::kBytes;
  if (get_wire(header, ip::version) != kVersion || get_wire(header, ip::dst_ip) != own) {
    return Kind::kOther;
  }
  const auto header_bytes = static_cast<size_t>(get_wire(header, ip::ihl)) * 4;
  const auto total = static_cast<size_t>(get_wire(header, ip::total_length));
  if (header_bytes < ip::kBytes || total < header_bytes || eth::kBytes + total > bytes ||
      fold(sum(header, header_bytes)) != 0xFFFF) {
    return Kind::kMalformed;
  }
  if (get_wire(header, ip::fragment_offset) != 0 ||
      (get_wire(header, ip::flags) & kMoreFragments) != 0) {
    return Kind::kFragment;
  }
  datagram->mac = get_wire(frame, eth::src_mac);
  datagram->address = static_cast<uint32_t>(get_wire(header, ip::src_ip));
  // A reply to a group, or to nobody, is never sent.
  const Gid from = gid_of_ipv4(datagram->address);
  if (!is_unicast(datagram->mac) || from.is_multicast() || datagram->address == 0) {
    return Kind::kOther;
  }
  const uint8_t* body = header + header_bytes;
  const size_t length = total - header_bytes;
  const auto protocol = static_cast<uint32_t>(get_wire(header, ip::protocol));
  if (protocol == kUdp) return read_udp(header, body, length, datagram);
  if (protocol != kIcmp) return Kind::kOther;
  if (length < kIcmpBytes || fold(sum(body, length)) != 0xFFFF) return Kind::kMalformed;
  const bool echo = get_wire(body, kIcmpType) == kEchoRequest && get_wire(body, kIcmpCode) == 0;
  return echo ? Kind::kEcho : Kind::kOther;
}

size_t make_echo_reply(uint8_t* frame, Mac own) {
  uint8_t* header = frame + eth::kBytes;
  const auto header_bytes = static_cast<size_t>(get_wire(header, ip::ihl)) * 4;
  const auto total = static_cast<size_t>(get_wire(header, ip::total_length));
  const auto from = static_cast<uint32_t>(get_wire(header, ip::dst_ip));
  const auto to = static_cast<uint32_t>(get_wire(header, ip::src_ip));
  put_addresses(frame, get_wire(frame, eth::src_mac), own);
  const size_t length = total - header_bytes;
  if (header_bytes != ip::kBytes) {
    // Options are not sent back: the message moves to where they began.
    for (size_t i = 0; i < length; ++i) header[ip::kBytes + i] = header[header_bytes + i];
  }
  put_ip(header, from, to, kIcmp, length);
  uint8_t* message = header + ip::kBytes;
  // The type becomes 0, so the complement of the sum grows by as much (RFC 1624).
  const auto checksum = static_cast<uint32_t>(get_wire(message, kIcmpChecksum));
  put_wire(message, kIcmpType, kEchoReply);
  put_wire(message, kIcmpChecksum, fold(checksum + (kEchoRequest << 8)));
  return eth::kBytes + ip::kBytes + length;
}

uint8_t* datagram_bytes(uint8_t* frame) { return frame + eth::kBytes + ip::kBytes + udp::kBytes; }

size_t make_datagram(uint8_t* frame, Mac own_mac, uint32_t own, const Datagram& to, size_t length) {
  put_addresses(frame, to.mac, own_mac);
  put_wire(frame, eth::ethertype, layout::ethertype::kIpv4);
  uint8_t* header = frame + eth::kBytes;
  put_ip(header, own, to.address, kUdp, udp::kBytes + length);
  uint8_t* body = header + ip::kBytes;
  put_wire(body, udp::src_port, to.to_port);
  put_wire(body, udp::dst_port, to.port);
  put_wire(body, udp::length, udp::kBytes + length);
  put_wire(body, udp::checksum, 0);
  const uint32_t checksum = ~udp_sum(header, body, udp::kBytes + length) & 0xFFFF;
  put_wire(body, udp::checksum, checksum == 0 ? 0xFFFF : checksum);
  return kHeaders + length;
}

}  // namespace roci::fw::board
