// SPDX-License-Identifier: Apache-2.0
// Reception: which frames are RoCE, which of them are admitted, and where the others go.
#include <algorithm>
#include <utility>

#include "model/nic/nic.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "model/transport/rules.hpp"

namespace roci::nic {
namespace {

constexpr unsigned kRxFrames = layout::number(layout::PortCounter::kRxFrames);
constexpr unsigned kRxBytes = layout::number(layout::PortCounter::kRxBytes);
constexpr unsigned kRxRoce = layout::number(layout::PortCounter::kRxRoce);
constexpr unsigned kRxEthernet = layout::number(layout::PortCounter::kRxEthernet);

constexpr unsigned kVlan = layout::ethertype::kVlan;
constexpr unsigned kArp = layout::ethertype::kArp;
constexpr unsigned kIpv6 = layout::ethertype::kIpv6;
constexpr std::uint32_t kEnable = 1u << 0;
constexpr std::uint32_t kNeighbours = 1u << 1;
constexpr std::uint8_t kIcmpv6 = 58;
constexpr std::uint8_t kSolicitation = 135, kAdvertisement = 136;  // RFC 4861
constexpr std::size_t kMostFrames = 64;                            // frames that wait for firmware

constexpr unsigned kServiceShift = 5;           // bits of an opcode that name the transport service
constexpr unsigned kServiceCode[] = {0, 1, 3};  // by Service (9.2.1)
constexpr unsigned kVidMask = 0xFFF;
constexpr std::uint32_t kMulticastQpn = 0xFFFFFF;

DropCause cause_of(packet::Error error) {
  switch (error) {
    case packet::Error::kIcrc:
      return DropCause::kIcrc;
    case packet::Error::kOpcode:
      return DropCause::kOpcode;
    default:
      return DropCause::kMalformed;
  }
}

}  // namespace

bool Nic::for_firmware(packet::ByteView frame) const {
  if ((control_ & kNeighbours) == 0 || frame.size < packet::Ethernet::kBytes) return false;
  std::size_t at = packet::Ethernet::kBytes;
  unsigned type = packet::Ethernet(frame.data).ethertype();
  if (type == kVlan && frame.size >= at + packet::Vlan::kBytes) {
    type = packet::Vlan(frame.data + at).ethertype();
    at += packet::Vlan::kBytes;
  }
  if (type == kArp) return true;
  if (type != kIpv6 || frame.size <= at + packet::Ipv6::kBytes) return false;
  if (packet::Ipv6(frame.data + at).next_header() != kIcmpv6) return false;
  const std::uint8_t kind = frame[at + packet::Ipv6::kBytes];
  return kind == kSolicitation || kind == kAdvertisement;
}

void Nic::to_ethernet(packet::ByteView frame) {
  engine_.count_port(kRxEthernet);
  if (!for_firmware(frame)) {
    if (engine_.outputs.ethernet) engine_.outputs.ethernet(frame);
  } else if (frame.size <= rx_window_.size() && rx_frames_.size() < kMostFrames) {
    rx_frames_.push_back(frame.copy());
  }
}

/// Whether the packet comes from the peer of the connection (WIRE-27).
bool Nic::from_peer(const packet::Parsed& packet, const Av& av) const {
  const bool same_lan =
      packet.vlan == av.vlan && (!av.vlan || packet.vlan_tag().vid() == (av.vlan_tci & kVidMask));
  return packet.ipv6 == av.ipv6 && packet.roce_v1 == av.roce_v1 && packet.src() == av.dst &&
         packet.dst() == av.src && same_lan;
}

/// Whether the packet goes to a GID of the port: a datagram may come from anywhere (UD-07).
bool Nic::to_own_gid(const packet::Parsed& packet) const {
  const packet::Gid to = packet.dst();
  if (!packet.roce_v1 && packet.ipv6 == packet::is_ipv4(to)) return false;
  return std::any_of(engine_.gids.begin(), engine_.gids.end(), [&](const OwnGid& own) {
    return own.valid && own.gid == to && own.roce_v1 == packet.roce_v1 && own.vlan == packet.vlan &&
           (!own.vlan || packet.vlan_tag().vid() == own.vid);
  });
}

/// Whether the packet is of a network in which the port has an address.
bool Nic::on_own_network(const packet::Parsed& packet) const {
  return std::any_of(engine_.gids.begin(), engine_.gids.end(), [&](const OwnGid& own) {
    return own.valid && own.roce_v1 == packet.roce_v1 && own.vlan == packet.vlan &&
           (!own.vlan || packet.vlan_tag().vid() == own.vid);
  });
}

/// Checks that need no transport state (WIRE-23 to WIRE-28, WIRE-47).
std::optional<DropCause> Nic::objection(const QueuePair* qp, const packet::Parsed& packet) const {
  const packet::Bth bth = packet.bth();
  const bool response = packet.op->response;
  const bool takes =
      qp != nullptr && (qp->state == QpState::kRts || qp->state == QpState::kSqd ||
                        (!response && (qp->state == QpState::kRtr || qp->state == QpState::kSqe)));
  if (!takes) return DropCause::kUnknownQp;
  const bool known = bth.dest_qp() == kMulticastQpn ? on_own_network(packet)
                     : qp->service == Service::kUd  ? to_own_gid(packet)
                                                    : from_peer(packet, qp->av);
  if (!known) return DropCause::kAddress;
  if (!transport::pkeys_match(bth.pkey(), qp->av.pkey)) return DropCause::kPkey;
  if (bth.opcode() >> kServiceShift != kServiceCode[layout::number(qp->service)]) {
    return DropCause::kOpcode;
  }
  return {};
}

/// A datagram to a multicast group: each queue pair that is attached gets it (UD-10). The cause of
/// a drop is that of the last attached queue pair, when none takes the packet.
void Nic::to_group(const packet::Parsed& packet) {
  DropCause cause = DropCause::kUnknownQp;
  bool taken = false;
  for (const std::uint32_t qpn : engine_.members(packet.dst())) {
    QueuePair* qp = find(qpn);
    if (const auto fault = objection(qp, packet)) {
      cause = *fault;
      continue;
    }
    if (!std::exchange(taken, true)) engine_.count_port(kRxRoce);
    qp->responder.request(packet);
    wake(qp);
  }
  if (!taken) engine_.drop(cause);
}

/// Gives the multicast datagrams that were sent to the attached queue pairs of this adapter, the
/// sender's among them, as Linux does for Soft-RoCE.
void Nic::deliver_looped() {
  while (!engine_.looped.empty()) {
    const packet::Bytes frame = std::move(engine_.looped.front());
    engine_.looped.pop_front();
    const packet::Parsed packet = packet::parse({frame.data(), frame.size()});
    const bool attached = !engine_.members(packet.dst()).empty();
    if (attached && packet.bth().dest_qp() == kMulticastQpn) to_group(packet);
  }
}

void Nic::receive(packet::ByteView frame) {
  engine_.count_port(kRxFrames);
  engine_.count_port(kRxBytes, frame.size);
  handle(frame);
}

void Nic::handle(packet::ByteView frame) {
  if ((control_ & kEnable) == 0) {
    to_ethernet(frame);
    return;
  }
  const packet::Parsed packet = packet::parse(frame);
  if (packet.error == packet::Error::kNotRoce || packet.error == packet::Error::kIpv4Options) {
    to_ethernet(frame);
    return;
  }
  if (!packet.ok()) {
    engine_.drop(cause_of(packet.error));
    return;
  }
  if (packet.bth().dest_qp() == kMulticastQpn) return to_group(packet);
  QueuePair* qp = find(packet.bth().dest_qp());
  if (const auto cause = objection(qp, packet)) return engine_.drop(*cause);
  engine_.count_port(kRxRoce);
  if (packet.op->response) {
    qp->requester.response(packet);
  } else {
    qp->responder.request(packet);
  }
  wake(qp);
}

}  // namespace roci::nic
