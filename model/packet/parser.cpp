// SPDX-License-Identifier: Apache-2.0
#include "model/packet/parser.hpp"

#include "model/packet/icrc.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::packet {
namespace {

constexpr std::size_t kIcrcBytes = 4;
constexpr unsigned kEtherTypeVlan = layout::ethertype::kVlan;
constexpr unsigned kEtherTypeIpv4 = layout::ethertype::kIpv4;
constexpr unsigned kEtherTypeIpv6 = layout::ethertype::kIpv6;
constexpr unsigned kEtherTypeRoceV1 = layout::ethertype::kRoceV1;
constexpr unsigned kGrhBth = layout::protocol::kGrhBth;
constexpr unsigned kIpUdp = layout::protocol::kIpUdp;
constexpr unsigned kRocePort = layout::protocol::kRoceUdpPort;

// Locates the headers before the BTH; the two lengths count from IP header and BTH. False, with the
// error set, when the frame is not RoCE or too short.
bool find_bth(Parsed* p, std::size_t* ip_length, std::size_t* length) {
  const ByteView f = p->frame;
  if (f.size < Ethernet::kBytes) return false;
  unsigned ethertype = p->ethernet().ethertype();
  p->ip_at = Ethernet::kBytes;
  if (ethertype == kEtherTypeVlan) {
    if (f.size < Ethernet::kBytes + Vlan::kBytes) return false;
    p->vlan = true;
    ethertype = p->vlan_tag().ethertype();
    p->ip_at += Vlan::kBytes;
  }
  if (ethertype == kEtherTypeIpv4) {
    if (f.size < p->ip_at + Ipv4::kBytes) return false;
    const Ipv4 ip = p->ipv4_header();
    if (ip.version() != 4 || ip.ihl() < 5 || ip.protocol() != kIpUdp || ip.fragment_offset() != 0) {
      return false;
    }
    p->udp_at = p->ip_at + std::size_t{4} * ip.ihl();
    *ip_length = ip.total_length();
  } else if (ethertype == kEtherTypeIpv6) {
    if (f.size < p->ip_at + Ipv6::kBytes) return false;
    const Ipv6 ip = p->ipv6_header();
    if (ip.version() != 6 || ip.next_header() != kIpUdp) return false;
    p->ipv6 = true;
    p->udp_at = p->ip_at + Ipv6::kBytes;
    *ip_length = Ipv6::kBytes + ip.payload_length();
  } else if (ethertype == kEtherTypeRoceV1) {
    p->error = Error::kTruncated;
    if (f.size < p->ip_at + Ipv6::kBytes) return false;
    const Ipv6 grh = p->ipv6_header();
    p->error = Error::kGrh;
    if (grh.version() != 6 || grh.next_header() != kGrhBth) return false;
    p->ipv6 = true;
    p->roce_v1 = true;
    p->udp_at = p->bth_at = p->ip_at + Ipv6::kBytes;
    *length = grh.payload_length();
    *ip_length = Ipv6::kBytes + *length;
    return true;
  } else {
    return false;
  }
  if (f.size < p->udp_at + Udp::kBytes || p->udp().dst_port() != kRocePort) return false;
  p->bth_at = p->udp_at + Udp::kBytes;
  *length = std::size_t{p->udp().length()} - Udp::kBytes;
  p->error = Error::kTruncated;
  return p->udp().length() >= Udp::kBytes;
}

Error check_ip(const Parsed& p, std::size_t ip_length) {
  if (p.roce_v1) return Error::kNone;
  const std::size_t ip_header = p.udp_at - p.ip_at;
  if (!p.ipv6) {
    if (ip_header != Ipv4::kBytes) return Error::kIpv4Options;
    if ((p.ipv4_header().flags() & 1) != 0) return Error::kFragment;
    if (ones_sum(p.frame.sub(p.ip_at, ip_header)) != 0xFFFF) return Error::kIpv4Checksum;
  }
  if (ip_length != ip_header + p.udp().length()) return Error::kLength;
  if (p.udp().checksum() != 0) {
    const ByteView datagram = p.frame.sub(p.udp_at, p.udp().length());
    const std::uint16_t sum = udp_sum(p.frame.sub(p.ip_at, ip_header), datagram, p.ipv6);
    if (sum != 0xFFFF) return Error::kUdpChecksum;
  }
  return Error::kNone;
}

// Locates payload and pad.
Error check_layout(Parsed* p) {
  if (p->op == nullptr) return Error::kOpcode;
  const std::size_t body_at = p->bth_at + Bth::kBytes;
  const std::size_t body = p->icrc_at - body_at;
  const std::size_t pad = p->bth().pad_count();
  if (body < p->op->ext_bytes) return Error::kExtension;
  if (body < p->op->ext_bytes + pad) return Error::kPad;
  p->payload = p->frame.sub(body_at + p->op->ext_bytes, body - p->op->ext_bytes - pad);
  p->pad = p->frame.sub(p->icrc_at - pad, pad);
  if (body % 4 != 0) return Error::kAlignment;
  if (!p->op->payload && body != p->op->ext_bytes) return Error::kExtraBytes;
  return Error::kNone;
}

}  // namespace

std::string_view to_string(Error error) {
  switch (error) {
    case Error::kNone:
      return "ok";
    case Error::kNotRoce:
      return "not RoCE";
    case Error::kGrh:
      return "no GRH with a BTH";
    case Error::kTruncated:
      return "truncated";
    case Error::kIpv4Options:
      return "IPv4 options";
    case Error::kFragment:
      return "fragment";
    case Error::kIpv4Checksum:
      return "wrong IPv4 checksum";
    case Error::kLength:
      return "IP and UDP lengths disagree";
    case Error::kUdpChecksum:
      return "wrong UDP checksum";
    case Error::kIcrc:
      return "wrong ICRC";
    case Error::kVersion:
      return "TVer not 0";
    case Error::kOpcode:
      return "unknown opcode";
    case Error::kExtension:
      return "no room for the extension headers";
    case Error::kPad:
      return "no room for the pad";
    case Error::kAlignment:
      return "length not a multiple of 4";
    case Error::kExtraBytes:
      return "payload on an opcode without payload";
  }
  return "unknown error";
}

std::uint32_t Parsed::icrc_sent() const {
  std::uint32_t value = 0;
  for (std::size_t i = kIcrcBytes; i-- > 0;) value = value << 8 | frame[icrc_at + i];
  return value;
}

Parsed parse(ByteView frame) {
  Parsed p;
  p.frame = frame;
  std::size_t ip_length = 0, length = 0;
  if (!find_bth(&p, &ip_length, &length)) return p;
  if (p.bth_at + length > frame.size || length < Bth::kBytes + kIcrcBytes) {
    p.error = Error::kTruncated;
    return p;
  }
  p.has_bth = true;
  p.op = find_opcode(p.bth().opcode());
  p.icrc_at = p.bth_at + length - kIcrcBytes;
  p.icrc_expected = icrc(frame.sub(p.ip_at, p.icrc_at - p.ip_at), p.bth_at - p.ip_at, p.network());
  p.icrc_ok = p.icrc_sent() == p.icrc_expected;
  const Error layout = check_layout(&p);
  p.error = check_ip(p, ip_length);
  if (p.error == Error::kNone && !p.icrc_ok) p.error = Error::kIcrc;
  if (p.error == Error::kNone && p.bth().version() != 0) p.error = Error::kVersion;
  if (p.error == Error::kNone) p.error = layout;
  return p;
}

}  // namespace roci::packet
