// SPDX-License-Identifier: Apache-2.0
#include "model/packet/builder.hpp"

#include "model/packet/icrc.hpp"
#include "model/packet/parser.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::packet {
namespace {

constexpr std::size_t kIcrcBytes = 4;
constexpr std::uint8_t kDontFragment = 2;

void put_icrc(std::uint8_t* at, std::uint32_t value) {
  for (std::size_t i = 0; i < kIcrcBytes; ++i) at[i] = static_cast<std::uint8_t>(value >> 8 * i);
}

void append(Bytes* frame, const std::uint8_t* bytes, std::size_t count) {
  frame->insert(frame->end(), bytes, bytes + count);
}

}  // namespace

template <typename View>
View Builder::ext(Ext kind) {
  Bytes& bytes = ext_[static_cast<std::size_t>(kind)];
  bytes.assign(View::kBytes, 0);
  return View(bytes.data());
}

Builder& Builder::ethernet(Mac dst, Mac src) {
  dst_mac_ = dst;
  src_mac_ = src;
  return *this;
}

Builder& Builder::vlan(std::uint16_t vid, std::uint8_t pcp, bool dei) {
  vlan_.emplace();
  vlan_->fill(0);
  MutableVlan tag(vlan_->data());
  tag.set_vid(vid);
  tag.set_pcp(pcp);
  tag.set_dei(dei);
  return *this;
}

Builder& Builder::ipv4(std::uint32_t src, std::uint32_t dst) {
  return gids(gid_from_ipv4(src), gid_from_ipv4(dst));
}

Builder& Builder::ipv6(const Gid& src, const Gid& dst) {
  src_ = src;
  dst_ = dst;
  ipv6_ = true;
  return *this;
}

Builder& Builder::gids(const Gid& src, const Gid& dst) {
  ipv6(src, dst);
  ipv6_ = !(is_ipv4(src) && is_ipv4(dst));
  return *this;
}

Builder& Builder::roce_v1(bool value) {
  roce_v1_ = value;
  return *this;
}

Builder& Builder::identification(std::uint16_t value) {
  identification_ = value;
  return *this;
}

Builder& Builder::traffic_class(std::uint8_t value) {
  traffic_class_ = value;
  return *this;
}

Builder& Builder::hop_limit(std::uint8_t value) {
  hop_limit_ = value;
  return *this;
}

Builder& Builder::flow_label(std::uint32_t value) {
  flow_label_ = value;
  return *this;
}

Builder& Builder::src_port(std::uint16_t value) {
  src_port_ = value;
  return *this;
}

Builder& Builder::dst_port(std::uint16_t value) {
  dst_port_ = value;
  return *this;
}

Builder& Builder::bth(std::uint8_t opcode, std::uint32_t dest_qp, transport::Psn psn) {
  bth_.fill(0);
  MutableBth bth(bth_.data());
  bth.set_opcode(opcode);
  bth.set_mig_req(true);
  bth.set_pkey(0xFFFF);
  bth.set_dest_qp(dest_qp);
  bth.set_psn(psn.value());
  return *this;
}

Builder& Builder::solicited(bool value) {
  MutableBth(bth_.data()).set_solicited(value);
  return *this;
}

Builder& Builder::ack_req(bool value) {
  MutableBth(bth_.data()).set_ack_req(value);
  return *this;
}

Builder& Builder::mig_req(bool value) {
  MutableBth(bth_.data()).set_mig_req(value);
  return *this;
}

Builder& Builder::pkey(std::uint16_t value) {
  MutableBth(bth_.data()).set_pkey(value);
  return *this;
}

Builder& Builder::congestion(bool fecn, bool becn) {
  MutableBth bth(bth_.data());
  bth.set_fecn(fecn);
  bth.set_becn(becn);
  return *this;
}

Builder& Builder::reth(std::uint64_t va, std::uint32_t rkey, std::uint32_t dma_length) {
  auto header = ext<MutableReth>(Ext::kReth);
  header.set_va(va);
  header.set_rkey(rkey);
  header.set_dma_length(dma_length);
  return *this;
}

Builder& Builder::atomic_eth(std::uint64_t va, std::uint32_t rkey, std::uint64_t swap_add,
                             std::uint64_t compare) {
  auto header = ext<MutableAtomicEth>(Ext::kAtomicEth);
  header.set_va(va);
  header.set_rkey(rkey);
  header.set_swap_add(swap_add);
  header.set_compare(compare);
  return *this;
}

Builder& Builder::aeth(std::uint8_t syndrome, std::uint32_t msn) {
  auto header = ext<MutableAeth>(Ext::kAeth);
  header.set_syndrome(syndrome);
  header.set_msn(msn);
  return *this;
}

Builder& Builder::atomic_ack_eth(std::uint64_t original) {
  ext<MutableAtomicAckEth>(Ext::kAtomicAckEth).set_original(original);
  return *this;
}

Builder& Builder::imm_dt(std::uint32_t immediate) {
  ext<MutableImmDt>(Ext::kImmDt).set_immediate(immediate);
  return *this;
}

Builder& Builder::ieth(std::uint32_t rkey) {
  ext<MutableIeth>(Ext::kIeth).set_rkey(rkey);
  return *this;
}

Builder& Builder::deth(std::uint32_t qkey, std::uint32_t src_qp) {
  auto header = ext<MutableDeth>(Ext::kDeth);
  header.set_qkey(qkey);
  header.set_src_qp(src_qp);
  return *this;
}

Builder& Builder::payload(ByteView bytes) {
  payload_ = bytes.copy();
  return *this;
}

Bytes Builder::build() const {
  Bytes body;
  for (const Bytes& header : ext_) append(&body, header.data(), header.size());
  const std::uint8_t opcode = Bth(bth_.data()).opcode();
  if (opcode == kCnp && body.empty()) body.assign(find_opcode(kCnp)->ext_bytes, 0);
  append(&body, payload_.data(), payload_.size());
  const std::size_t pad = (4 - payload_.size() % 4) % 4;
  body.insert(body.end(), pad, 0);
  const Network network = roce_v1_ ? Network::kGrh : ipv6_ ? Network::kIpv6 : Network::kIpv4;
  const std::size_t udp_bytes = roce_v1_ ? 0 : Udp::kBytes;
  const std::size_t length = udp_bytes + Bth::kBytes + body.size() + kIcrcBytes;

  const std::size_t ip_at = Ethernet::kBytes + (vlan_ ? Vlan::kBytes : 0);
  const std::size_t udp_at = ip_at + (network == Network::kIpv4 ? Ipv4::kBytes : Ipv6::kBytes);
  const std::size_t bth_at = udp_at + udp_bytes;
  Bytes frame(bth_at);
  MutableEthernet eth(frame.data());
  eth.set_dst_mac(dst_mac_);
  eth.set_src_mac(src_mac_);
  auto ethertype =
      static_cast<std::uint16_t>(network == Network::kGrh    ? layout::ethertype::kRoceV1
                                 : network == Network::kIpv6 ? layout::ethertype::kIpv6
                                                             : layout::ethertype::kIpv4);
  if (vlan_) {
    std::copy(vlan_->begin(), vlan_->end(), frame.begin() + Ethernet::kBytes);
    MutableVlan(&frame[Ethernet::kBytes]).set_ethertype(ethertype);
    ethertype = layout::ethertype::kVlan;
  }
  eth.set_ethertype(ethertype);
  if (network != Network::kIpv4) {
    MutableIpv6 ip(&frame[ip_at]);
    ip.set_version(6);
    ip.set_traffic_class(traffic_class_);
    ip.set_flow_label(flow_label_);
    ip.set_payload_length(static_cast<std::uint16_t>(length));
    ip.set_next_header(roce_v1_ ? layout::protocol::kGrhBth : layout::protocol::kIpUdp);
    ip.set_hop_limit(hop_limit_);
    ip.set_src_ip(src_);
    ip.set_dst_ip(dst_);
  } else {
    MutableIpv4 ip(&frame[ip_at]);
    ip.set_version(4);
    ip.set_ihl(Ipv4::kBytes / 4);
    ip.set_tos(traffic_class_);
    ip.set_total_length(static_cast<std::uint16_t>(Ipv4::kBytes + length));
    ip.set_identification(identification_);
    ip.set_flags(kDontFragment);
    ip.set_ttl(hop_limit_);
    ip.set_protocol(layout::protocol::kIpUdp);
    ip.set_src_ip(ipv4_of(src_));
    ip.set_dst_ip(ipv4_of(dst_));
  }
  if (!roce_v1_) {
    MutableUdp udp(&frame[udp_at]);
    udp.set_src_port(src_port_);
    udp.set_dst_port(dst_port_);
    udp.set_length(static_cast<std::uint16_t>(length));
  }

  std::array<std::uint8_t, Bth::kBytes> bth = bth_;
  MutableBth(bth.data()).set_pad_count(static_cast<std::uint8_t>(pad));
  append(&frame, bth.data(), bth.size());
  append(&frame, body.data(), body.size());
  if (network == Network::kIpv4) {
    MutableIpv4(&frame[ip_at]).set_checksum(ipv4_checksum({&frame[ip_at], Ipv4::kBytes}));
  }
  const std::uint32_t crc =
      icrc(ByteView(frame).sub(ip_at, frame.size() - ip_at), bth_at - ip_at, network);
  frame.resize(frame.size() + kIcrcBytes);
  put_icrc(&frame[frame.size() - kIcrcBytes], crc);
  return frame;
}

bool seal(Bytes* frame) {
  const Parsed before = parse(*frame);
  if (!before.has_bth) return false;
  if (!before.ipv6) {
    const std::size_t header = before.udp_at - before.ip_at;
    MutableIpv4(&(*frame)[before.ip_at])
        .set_checksum(ipv4_checksum({&(*frame)[before.ip_at], header}));
  }
  put_icrc(&(*frame)[before.icrc_at], before.icrc_expected);
  return true;
}

}  // namespace roci::packet
