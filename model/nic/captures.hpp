// SPDX-License-Identifier: Apache-2.0
// Captured conversations between two queue pairs, and a bench in place of one of them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "model/nic/test_bench.hpp"
#include "model/packet/capture.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"

namespace roci::nic::test {

constexpr std::uint64_t kData = 0x100000;     // first address of the payload memory
constexpr std::uint32_t kOwnKey = 0x3FFFF00;  // a row that no capture names

/// The conversations in which no packet was lost.
constexpr const char* kWithoutLoss[] = {
    "rc_write_mtu256",     "rc_write_mtu512",      "rc_write_mtu1024",
    "rc_write_mtu2048",    "rc_write_mtu4096",     "rc_write_64k_mtu256",
    "rc_send_mtu256",      "rc_send_mtu1024",      "rc_send_mtu2048",
    "rc_send_mtu4096",     "rc_send_ipv6_mtu1024", "rc_writeimm_mtu256",
    "rc_writeimm_mtu1024", "rc_writeimm_mtu4096",  "rc_writeimm_ipv6_mtu512",
    "rc_read_mtu256",      "rc_read_mtu512",       "rc_read_mtu1024",
    "rc_read_mtu4096",     "rc_read_ipv6_mtu1024", "rc_atomic",
    "rc_psn_wrap_send",    "rc_psn_wrap_write",    "rc_psn_wrap_read",
    "rc_vlan100",          "rc_tos_ttl_v4",        "rc_tos_ttl_v6",
    "rc_zero_len_bad_rkey"};

/// The packets of one direction between two queue pairs, and those the other way.
struct Conversation {
  std::vector<packet::CapturedFrame> frames;
  std::vector<Parsed> packets;  ///< both directions, in order
  std::uint32_t responder = 0;  ///< queue pair that gets the requests
  std::uint32_t pmtu_code = 3;
  Parsed first;  ///< request
};

/// `service`: bits 7:5 of the opcodes of its packets.
inline Conversation conversation_of(const std::string& name, unsigned service = 0) {
  Conversation c;
  c.frames = packet::read_capture(std::string(CAPTURES "/") + name + ".pcap");
  bool begun = false;
  std::size_t largest = 0;
  for (const packet::CapturedFrame& frame : c.frames) {
    const Parsed p = packet::parse(frame.bytes);
    if (!p.ok() || p.bth().opcode() >> 5 != service) continue;
    if (!p.op->response && !begun) {
      begun = true;
      c.first = p;
      c.responder = p.bth().dest_qp();
    }
    if (!begun) continue;
    const bool there = p.src() == c.first.src();
    const bool request = !p.op->response && there && p.bth().dest_qp() == c.responder;
    const bool response = p.op->response && !there;
    if (!request && !response) continue;
    if (!p.op->end) largest = std::max(largest, p.payload.size);  // exactly a path MTU
    c.packets.push_back(p);
  }
  REQUIRE(begun);
  for (c.pmtu_code = 1; largest > 128u << c.pmtu_code; ++c.pmtu_code) {
  }
  if (largest == 0) c.pmtu_code = 5;
  return c;
}

inline std::uint64_t low_half(const packet::Gid& gid) {
  return packet::is_ipv4(gid) ? packet::ipv4_of(gid) : layout::get_wire(gid.data(), {64, 64});
}

/// Address vector of the end of the conversation that sends the requests, or of the other one.
inline Row address_row(const Conversation& c, bool requester, std::uint32_t peer) {
  const Parsed& p = c.first;
  Row av{};
  fill_in(av.data(),
          {{layout::av::dst_mac, requester ? p.ethernet().dst_mac() : p.ethernet().src_mac()},
           {layout::av::src_mac, requester ? p.ethernet().src_mac() : p.ethernet().dst_mac()},
           {layout::av::ipv6, p.ipv6},
           {layout::av::vlan, p.vlan},
           {layout::av::vlan_tci, p.vlan ? p.vlan_tag().vid() | p.vlan_tag().pcp() << 13 : 0u},
           {layout::av::traffic_class, p.traffic_class()},
           {layout::av::hop_limit, p.hop_limit()},
           {layout::av::src_port, p.udp().src_port()},
           {layout::av::pkey, p.bth().pkey()},
           {layout::av::dest_qpn, peer}});
  const auto put_address = [&](layout::Place place, const packet::Gid& gid) {
    layout::put_memory(av.data(), {place.offset, 64}, low_half(gid));
    if (p.ipv6) {
      layout::put_memory(av.data(), {place.offset + 64, 64}, layout::get_wire(gid.data(), {0, 64}));
    }
  };
  put_address(layout::av::src_ip, requester ? p.src() : p.dst());
  put_address(layout::av::dst_ip, requester ? p.dst() : p.src());
  return av;
}

/// Queue pair `qpn` of a bench, at the end of the conversation that `seen` selects.
inline void connect(Bench* bench, const Conversation& c, std::uint32_t qpn, bool requester,
                    std::uint32_t peer) {
  const std::uint64_t psn = c.first.bth().psn();
  bench->row(layout::Table::kQpAttr, qpn,
             {{layout::qp_attr::pd, kPd},
              {layout::qp_attr::pasid, kPasid},
              {layout::qp_attr::access, 0xE},
              {layout::qp_attr::pmtu, c.pmtu_code},
              {layout::qp_attr::retry_cnt, 7},
              {layout::qp_attr::rnr_retry, 7},
              {layout::qp_attr::timeout, 31},
              {layout::qp_attr::min_rnr_timer, 12},
              {layout::qp_attr::max_rd_atomic, 16},
              {layout::qp_attr::max_dest_rd_atomic, 16},
              {layout::qp_attr::sq_base, Bench::kSq},
              {layout::qp_attr::sq_log, 10},
              {layout::qp_attr::sq_stride_log, 0},
              {layout::qp_attr::rq_base, Bench::kRq},
              {layout::qp_attr::rq_log, 10},
              {layout::qp_attr::rq_stride_log, 0},
              {layout::qp_attr::sq_psn, psn},
              {layout::qp_attr::rq_psn, psn}});
  bench->raw_row(layout::Table::kAv, qpn, address_row(c, requester, peer));
  for (const QpState state : {QpState::kInit, QpState::kRtr, QpState::kRts})
    bench->state(qpn, state);
}

/// The fields of a response as text.
inline std::string describe(const Parsed& p) {
  std::string text = std::string(p.op->name) + " " + std::to_string(p.bth().psn());
  if (p.has(packet::Ext::kAeth)) {
    text += " syndrome " + std::to_string(p.aeth().syndrome()) + " MSN " +
            std::to_string(p.aeth().msn());
  }
  if (p.has(packet::Ext::kAtomicAckEth)) {
    text += " original " + std::to_string(p.atomic_ack_eth().original());
  }
  return text + " bytes " + std::to_string(p.payload.size);
}

}  // namespace roci::nic::test
