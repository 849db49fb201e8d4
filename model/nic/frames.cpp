// SPDX-License-Identifier: Apache-2.0
#include "model/nic/frames.hpp"

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::nic {
namespace {

constexpr std::size_t kIcrcBytes = 4;
constexpr std::uint8_t kDoNotFragment = 2;

constexpr unsigned kVlanType = layout::ethertype::kVlan;
constexpr unsigned kIpv4Type = layout::ethertype::kIpv4;
constexpr unsigned kIpv6Type = layout::ethertype::kIpv6;
constexpr unsigned kRoceV1Type = layout::ethertype::kRoceV1;
constexpr std::uint8_t kGrhBth = layout::protocol::kGrhBth;
constexpr std::uint8_t kUdpProtocol = layout::protocol::kIpUdp;
constexpr std::uint16_t kRocePort = layout::protocol::kRoceUdpPort;

template <typename View>
View append(PacketHeader* header) {
  View view(header->ext.data() + header->ext_bytes);
  header->ext_bytes += View::kBytes;
  return view;
}

std::size_t pad_of(std::size_t payload) { return (4 - payload % 4) % 4; }

}  // namespace

void PacketHeader::add_deth(std::uint32_t qkey, std::uint32_t src_qp) {
  auto view = append<packet::MutableDeth>(this);
  view.set_qkey(qkey);
  view.set_src_qp(src_qp);
}

void PacketHeader::add_reth(std::uint64_t va, std::uint32_t rkey, std::uint32_t bytes) {
  auto view = append<packet::MutableReth>(this);
  view.set_va(va);
  view.set_rkey(rkey);
  view.set_dma_length(bytes);
}

void PacketHeader::add_atomic(std::uint64_t va, std::uint32_t rkey, std::uint64_t swap_add,
                              std::uint64_t compare) {
  auto view = append<packet::MutableAtomicEth>(this);
  view.set_va(va);
  view.set_rkey(rkey);
  view.set_swap_add(swap_add);
  view.set_compare(compare);
}

void PacketHeader::add_aeth(std::uint8_t syndrome, std::uint32_t msn) {
  auto view = append<packet::MutableAeth>(this);
  view.set_syndrome(syndrome);
  view.set_msn(msn);
}

void PacketHeader::add_original(std::uint64_t original) {
  append<packet::MutableAtomicAckEth>(this).set_original(original);
}

void PacketHeader::add_word(std::uint32_t word) {
  append<packet::MutableImmDt>(this).set_immediate(word);
}

FrameMaker::FrameMaker(const Av& av)
    : network_(av.roce_v1 ? packet::Network::kGrh
               : av.ipv6  ? packet::Network::kIpv6
                          : packet::Network::kIpv4),
      to_group_(is_group(av.dst)) {
  const bool ipv4 = network_ == packet::Network::kIpv4;
  const bool udp_there = network_ != packet::Network::kGrh;
  const std::size_t ip_bytes = ipv4 ? packet::Ipv4::kBytes : packet::Ipv6::kBytes;
  ip_at_ = packet::Ethernet::kBytes + (av.vlan ? packet::Vlan::kBytes : 0);
  udp_at_ = ip_at_ + ip_bytes;
  bth_at_ = udp_at_ + (udp_there ? packet::Udp::kBytes : 0);
  head_.assign(bth_at_ + packet::Bth::kBytes, 0);

  packet::MutableEthernet ethernet(head_.data());
  ethernet.set_dst_mac(av.dst_mac);
  ethernet.set_src_mac(av.src_mac);
  const auto ip_type = static_cast<std::uint16_t>(!udp_there ? kRoceV1Type
                                                  : ipv4     ? kIpv4Type
                                                             : kIpv6Type);
  ethernet.set_ethertype(av.vlan ? static_cast<std::uint16_t>(kVlanType) : ip_type);
  if (av.vlan) {
    packet::MutableVlan vlan(&head_[packet::Ethernet::kBytes]);
    layout::put_wire(vlan.bytes(), {0, 16}, av.vlan_tci);
    vlan.set_ethertype(ip_type);
  }
  if (!ipv4) {  // the GRH of RoCE v1 has the same layout
    packet::MutableIpv6 ip(&head_[ip_at_]);
    ip.set_version(6);
    ip.set_traffic_class(av.traffic_class);
    ip.set_flow_label(av.flow_label);
    ip.set_next_header(udp_there ? kUdpProtocol : kGrhBth);
    ip.set_hop_limit(av.hop_limit);
    ip.set_src_ip(av.src);
    ip.set_dst_ip(av.dst);
  } else {
    packet::MutableIpv4 ip(&head_[ip_at_]);
    ip.set_version(4);
    ip.set_ihl(packet::Ipv4::kBytes / 4);
    ip.set_tos(av.traffic_class);
    ip.set_flags(kDoNotFragment);
    ip.set_ttl(av.hop_limit);
    ip.set_protocol(kUdpProtocol);
    ip.set_src_ip(packet::ipv4_of(av.src));
    ip.set_dst_ip(packet::ipv4_of(av.dst));
  }
  if (udp_there) {
    packet::MutableUdp udp(&head_[udp_at_]);
    udp.set_src_port(av.src_port);
    udp.set_dst_port(kRocePort);
  }
  packet::MutableBth bth(&head_[bth_at_]);
  bth.set_mig_req(true);
  bth.set_pkey(av.pkey);
  bth.set_dest_qp(av.dest_qpn);
}

packet::Bytes FrameMaker::open(const PacketHeader& header, std::size_t payload,
                               std::uint16_t identification) const {
  const std::size_t pad = pad_of(payload);
  packet::Bytes frame;
  frame.reserve(head_.size() + header.ext_bytes + payload + pad + kIcrcBytes);
  frame.insert(frame.end(), head_.begin(), head_.end());
  frame.insert(frame.end(), header.ext.begin(), header.ext.begin() + header.ext_bytes);
  frame.resize(frame.size() + payload + pad);

  const auto bytes = static_cast<std::uint16_t>(frame.size() + kIcrcBytes - udp_at_);
  if (udp_at_ != bth_at_) packet::MutableUdp(&frame[udp_at_]).set_length(bytes);
  if (network_ != packet::Network::kIpv4) {
    packet::MutableIpv6(&frame[ip_at_]).set_payload_length(bytes);
  } else {
    packet::MutableIpv4 ip(&frame[ip_at_]);
    ip.set_total_length(static_cast<std::uint16_t>(packet::Ipv4::kBytes + bytes));
    ip.set_identification(identification);
    ip.set_checksum(packet::ipv4_checksum({&frame[ip_at_], packet::Ipv4::kBytes}));
  }
  packet::MutableBth bth(&frame[bth_at_]);
  bth.set_opcode(header.opcode);
  bth.set_solicited(header.solicited);
  bth.set_pad_count(static_cast<std::uint8_t>(pad));
  bth.set_ack_req(header.ack_req);
  bth.set_psn(header.psn.value());
  if (header.dest_qpn) {
    bth.set_dest_qp(*header.dest_qpn);
    bth.set_pkey(header.pkey);
  }
  return frame;
}

void FrameMaker::close(packet::Bytes* frame) const {
  const packet::ByteView datagram(frame->data() + ip_at_, frame->size() - ip_at_);
  const std::uint32_t crc = packet::icrc(datagram, bth_at_ - ip_at_, network_);
  for (unsigned i = 0; i < kIcrcBytes; ++i) {
    frame->push_back(static_cast<std::uint8_t>(crc >> 8 * i));  // lowest byte first (WIRE-39)
  }
}

}  // namespace roci::nic
