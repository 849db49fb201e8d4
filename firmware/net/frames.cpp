// SPDX-License-Identifier: Apache-2.0
#include "firmware/net/frames.hpp"

#include "firmware/hal/bits.hpp"

namespace roci::fw {
namespace {

namespace eth = layout::ethernet;
namespace ip6 = layout::ipv6;

constexpr uint32_t kArpEthernet = 1;
constexpr uint32_t kArpRequest = 1;
constexpr uint32_t kArpReply = 2;

// Layout of RFC 4861, 4.3 and 4.4: ICMPv6 header, 32 bits of flags, target, options.
constexpr uint32_t kIcmpv6 = 58;
constexpr uint32_t kNdHopLimit = 255;  // any other value: the frame passed a router
constexpr Place kIcmpType = {0, 8};
constexpr Place kIcmpCode = {8, 8};
constexpr Place kIcmpChecksum = {16, 16};
constexpr Place kNdRouter = {32, 1};
constexpr Place kNdSolicited = {33, 1};
constexpr Place kNdOverride = {34, 1};
constexpr Place kNdTarget = {64, 128};
constexpr Place kOptionType = {0, 8};
constexpr Place kOptionLength = {8, 8};
constexpr Place kOptionMac = {16, 48};
constexpr size_t kNdBytes = 24;
constexpr size_t kOptionUnit = 8;
constexpr uint32_t kSolicitation = 135;
constexpr uint32_t kAdvertisement = 136;
constexpr uint32_t kSourceMac = 1;  // option types
constexpr uint32_t kTargetMac = 2;

constexpr Gid kAllNodes = {0xFF02000000000000, 1};
constexpr Mac kIpv6Group = 0x333300000000;

/// Returns the group that a solicitation for `target` is sent to (RFC 4291, 2.7.1).
constexpr Gid solicited_node(const Gid& target) {
  return {0xFF02000000000000, 0x00000001FF000000 | (target.lo & 0xFFFFFF)};
}
constexpr Mac group_mac(const Gid& group) { return kIpv6Group | (group.lo & 0xFFFFFFFF); }

Gid get_gid(const uint8_t* bytes, Place place) {
  return {get_wire(bytes, {place.offset, 64}), get_wire(bytes, {place.offset + 64, 64})};
}

void put_gid(uint8_t* bytes, Place place, const Gid& gid) {
  put_wire(bytes, {place.offset, 64}, gid.hi);
  put_wire(bytes, {place.offset + 64, 64}, gid.lo);
}

uint32_t sum_words(const uint8_t* bytes, size_t count, uint32_t sum) {
  for (size_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
  return sum;
}

/// Returns the sum of ICMPv6 message and pseudo header (RFC 8200, 8.1): 0xFFFF when the checksum is
/// correct.
uint32_t icmp_sum(const uint8_t* ip, size_t message_bytes) {
  constexpr size_t kAddresses = ip6::src_ip.offset / 8;
  uint32_t sum = static_cast<uint32_t>(message_bytes) + kIcmpv6;
  sum = sum_words(ip + kAddresses, ip6::kBytes - kAddresses + message_bytes, sum);
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return sum;
}

/// Writes Ethernet header and VLAN tag; returns the offset of the next header.
size_t put_ethernet(uint8_t* frame, Mac dst, Mac src, const Lan& lan, uint32_t ethertype) {
  for (size_t i = 0; i < kFrameRoom; ++i) frame[i] = 0;
  put_wire(frame, eth::dst_mac, dst);
  put_wire(frame, eth::src_mac, src);
  if (!lan.tagged) {
    put_wire(frame, eth::ethertype, ethertype);
    return eth::kBytes;
  }
  put_wire(frame, eth::ethertype, layout::ethertype::kVlan);
  put_wire(frame + eth::kBytes, layout::vlan::vid, lan.vid);
  put_wire(frame + eth::kBytes, layout::vlan::ethertype, ethertype);
  return eth::kBytes + layout::vlan::kBytes;
}

size_t make_arp(uint8_t* frame, Mac dst, const Lan& lan, uint32_t operation, Mac sender_mac,
                uint32_t sender, Mac target_mac, uint32_t target) {
  namespace arp = layout::arp;
  const size_t at = put_ethernet(frame, dst, sender_mac, lan, layout::ethertype::kArp);
  uint8_t* body = frame + at;
  put_wire(body, arp::hardware_type, kArpEthernet);
  put_wire(body, arp::protocol_type, layout::ethertype::kIpv4);
  put_wire(body, arp::hardware_length, arp::sender_mac.bits / 8);
  put_wire(body, arp::protocol_length, arp::sender_ip.bits / 8);
  put_wire(body, arp::operation, operation);
  put_wire(body, arp::sender_mac, sender_mac);
  put_wire(body, arp::sender_ip, sender);
  put_wire(body, arp::target_mac, target_mac);
  put_wire(body, arp::target_ip, target);
  return at + arp::kBytes;
}

size_t make_nd(uint8_t* frame, Mac dst_mac, Mac src_mac, const Lan& lan, const Gid& src,
               const Gid& dst, uint32_t type, bool solicited, const Gid& target) {
  const size_t at = put_ethernet(frame, dst_mac, src_mac, lan, layout::ethertype::kIpv6);
  constexpr size_t kMessage = kNdBytes + kOptionUnit;
  uint8_t* ip = frame + at;
  put_wire(ip, ip6::version, 6);
  put_wire(ip, ip6::payload_length, kMessage);
  put_wire(ip, ip6::next_header, kIcmpv6);
  put_wire(ip, ip6::hop_limit, kNdHopLimit);
  put_gid(ip, ip6::src_ip, src);
  put_gid(ip, ip6::dst_ip, dst);
  uint8_t* icmp = ip + ip6::kBytes;
  const bool advertisement = type == kAdvertisement;
  put_wire(icmp, kIcmpType, type);
  put_wire(icmp, kNdSolicited, solicited);
  put_wire(icmp, kNdOverride, advertisement);
  put_gid(icmp, kNdTarget, target);
  uint8_t* option = icmp + kNdBytes;
  put_wire(option, kOptionType, advertisement ? kTargetMac : kSourceMac);
  put_wire(option, kOptionLength, 1);
  put_wire(option, kOptionMac, src_mac);
  put_wire(icmp, kIcmpChecksum, ~icmp_sum(ip, kMessage) & 0xFFFF);
  return at + ip6::kBytes + kMessage;
}

bool read_arp(const uint8_t* body, size_t bytes, NeighbourMessage* message) {
  namespace arp = layout::arp;
  if (bytes < arp::kBytes || get_wire(body, arp::hardware_type) != kArpEthernet ||
      get_wire(body, arp::protocol_type) != layout::ethertype::kIpv4 ||
      get_wire(body, arp::hardware_length) != arp::sender_mac.bits / 8 ||
      get_wire(body, arp::protocol_length) != arp::sender_ip.bits / 8) {
    return false;
  }
  const auto operation = static_cast<uint32_t>(get_wire(body, arp::operation));
  if (operation != kArpRequest && operation != kArpReply) return false;
  const auto sender = static_cast<uint32_t>(get_wire(body, arp::sender_ip));
  message->request = operation == kArpRequest;
  message->sender = sender == 0 ? Gid{0, 0} : gid_of_ipv4(sender);
  message->sender_mac = get_wire(body, arp::sender_mac);
  message->target = message->request
                        ? gid_of_ipv4(static_cast<uint32_t>(get_wire(body, arp::target_ip)))
                        : message->sender;
  message->solicited = true;
  return true;
}

bool read_nd(const uint8_t* ip, size_t bytes, NeighbourMessage* message) {
  if (bytes < ip6::kBytes + kNdBytes || get_wire(ip, ip6::version) != 6 ||
      get_wire(ip, ip6::next_header) != kIcmpv6 || get_wire(ip, ip6::hop_limit) != kNdHopLimit) {
    return false;
  }
  const auto length = static_cast<size_t>(get_wire(ip, ip6::payload_length));
  if (length < kNdBytes || ip6::kBytes + length > bytes || icmp_sum(ip, length) != 0xFFFF) {
    return false;
  }
  const uint8_t* icmp = ip + ip6::kBytes;
  const auto type = static_cast<uint32_t>(get_wire(icmp, kIcmpType));
  if ((type != kSolicitation && type != kAdvertisement) || get_wire(icmp, kIcmpCode) != 0) {
    return false;
  }
  message->request = type == kSolicitation;
  message->sender = get_gid(ip, ip6::src_ip);
  message->target = get_gid(icmp, kNdTarget);
  message->solicited = get_wire(icmp, kNdSolicited) != 0;
  message->sender_mac = 0;
  if (message->target.is_multicast()) return false;
  const uint32_t wanted = message->request ? kSourceMac : kTargetMac;
  for (size_t at = kNdBytes; at + kOptionUnit <= length;) {
    const uint8_t* option = icmp + at;
    const auto units = static_cast<size_t>(get_wire(option, kOptionLength));
    if (units == 0) return false;  // RFC 4861, 4.6
    if (get_wire(option, kOptionType) == wanted) message->sender_mac = get_wire(option, kOptionMac);
    at += units * kOptionUnit;
  }
  // An advertisement describes its target, independent of its sender.
  if (!message->request) message->sender = message->target;
  return true;
}

}  // namespace

bool read_neighbour_frame(const uint8_t* frame, size_t bytes, NeighbourMessage* message) {
  if (bytes < eth::kBytes) return false;
  size_t at = eth::kBytes;
  auto ethertype = static_cast<uint32_t>(get_wire(frame, eth::ethertype));
  message->lan = {false, 0};
  message->ethernet_src = get_wire(frame, eth::src_mac);
  if (ethertype == layout::ethertype::kVlan) {
    if (bytes < at + layout::vlan::kBytes) return false;
    message->lan = {true, static_cast<uint16_t>(get_wire(frame + at, layout::vlan::vid))};
    ethertype = static_cast<uint32_t>(get_wire(frame + at, layout::vlan::ethertype));
    at += layout::vlan::kBytes;
  }
  if (ethertype == layout::ethertype::kArp) return read_arp(frame + at, bytes - at, message);
  if (ethertype == layout::ethertype::kIpv6) return read_nd(frame + at, bytes - at, message);
  return false;
}

size_t make_request(uint8_t* frame, const GidEntry& own, Mac own_mac, const Gid& target) {
  if (target.is_ipv4()) {
    return make_arp(frame, kBroadcast, own.lan, kArpRequest, own_mac, own.gid.ipv4(), 0,
                    target.ipv4());
  }
  const Gid group = solicited_node(target);
  return make_nd(frame, group_mac(group), own_mac, own.lan, own.gid, group, kSolicitation, false,
                 target);
}

size_t make_reply(uint8_t* frame, Mac own_mac, const NeighbourMessage& message) {
  if (message.target.is_ipv4()) {
    return make_arp(frame, message.sender_mac, message.lan, kArpReply, own_mac,
                    message.target.ipv4(), message.sender_mac,
                    message.sender.is_zero() ? 0 : message.sender.ipv4());
  }
  // A sender without an address detects duplicates: the reply goes to all nodes.
  if (message.sender.is_zero()) {
    return make_nd(frame, group_mac(kAllNodes), own_mac, message.lan, message.target, kAllNodes,
                   kAdvertisement, false, message.target);
  }
  const Mac dst = is_unicast(message.sender_mac) ? message.sender_mac : message.ethernet_src;
  return make_nd(frame, dst, own_mac, message.lan, message.target, message.sender, kAdvertisement,
                 true, message.target);
}

}  // namespace roci::fw
