// SPDX-License-Identifier: Apache-2.0
#include "sim/server/cm_frames.hpp"

#include "model/packet/builder.hpp"
#include "model/packet/parser.hpp"

namespace roci::sim {
namespace {

// Ethernet, IP, UDP, BTH, DETH, datagram, ICRC; and the place of the opcode.
constexpr std::size_t kIpv4Bytes = 14 + 20 + 8 + 12 + 8 + cm::kMadBytes + 4, kIpv4Opcode = 42;
constexpr std::size_t kIpv6Bytes = kIpv4Bytes + 20, kIpv6Opcode = kIpv4Opcode + 20;
constexpr std::uint16_t kDefaultPkey = 0xFFFF;

/// Cheap, as it is asked of every frame.
bool may_be_datagram(const packet::Bytes& frame) {
  return (frame.size() == kIpv4Bytes && frame[kIpv4Opcode] == packet::kUdSendOnly) ||
         (frame.size() == kIpv6Bytes && frame[kIpv6Opcode] == packet::kUdSendOnly);
}

}  // namespace

packet::Bytes frame_of(const cm::Outgoing& datagram, packet::Mac to, packet::Mac from) {
  return packet::Builder()
      .ethernet(to, from)
      .gids(datagram.path.local, datagram.path.remote)
      .bth(packet::kUdSendOnly, cm::kGsiQpn, transport::Psn(0))
      .pkey(kDefaultPkey)
      .deth(cm::kGsiQkey, cm::kGsiQpn)
      .payload({datagram.bytes.data(), datagram.bytes.size()})
      .build();
}

FrameKind datagram_in(const packet::Bytes& frame, Incoming& datagram) {
  if (!may_be_datagram(frame)) return FrameKind::kOther;
  const packet::Parsed parsed = packet::parse(frame);
  if (!parsed.ok() || parsed.bth().opcode() != packet::kUdSendOnly ||
      parsed.bth().dest_qp() != cm::kGsiQpn) {
    return FrameKind::kOther;
  }
  datagram = {parsed.dst(), parsed.src(), parsed.ethernet().src_mac(), parsed.payload};
  return parsed.deth().qkey() == cm::kGsiQkey ? FrameKind::kDatagram : FrameKind::kForeign;
}

}  // namespace roci::sim
