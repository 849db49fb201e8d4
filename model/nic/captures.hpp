// SPDX-License-Identifier: Apache-2.0
// Captured conversations between two queue pairs, and a bench in place of one of them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "model/nic/test_bench.hpp"
#include "model/packet/capture.hpp"

namespace roci::nic::test {

constexpr std::uint64_t kData = 0x100000;  // where memory for payload begins

/// The RC packets of one direction between two queue pairs, and those the other way.
struct Conversation {
  std::vector<packet::CapturedFrame> frames;
  std::vector<Parsed> packets;  ///< of both directions, in order
  std::uint32_t responder = 0;  ///< queue pair that gets the requests
  std::uint32_t pmtu_code = 3;
  Parsed first;  ///< request
};

inline Conversation conversation_of(const std::string& name) {
  Conversation c;
  c.frames = packet::read_capture(std::string(CAPTURES "/") + name + ".pcap");
  bool begun = false;
  std::size_t largest = 0;
  for (const packet::CapturedFrame& frame : c.frames) {
    const Parsed p = packet::parse(frame.bytes);
    if (!p.ok() || p.bth().opcode() >> 5 != 0) continue;
    if (!p.op->response && !begun) {
      begun = true;
      c.first = p;
      c.responder = p.bth().dest_qp();
    }
    if (!begun) continue;
    const bool there = p.src() == c.first.src();
    const bool request = !p.op->response && there && p.bth().dest_qp() == c.responder;
    const bool answer = p.op->response && !there;
    if (!request && !answer) continue;
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
  return packet::is_ipv4(gid) ? packet::ipv4_of(gid) : spec::get_wire(gid.data(), {64, 64});
}

/// Queue pair `qpn` of a bench, at the end of the conversation that sees `seen` arrive or leave.
inline void connect(Bench* bench, const Conversation& c, std::uint32_t qpn, bool requester,
                    std::uint32_t peer) {
  const Parsed& p = c.first;
  const packet::Gid own = requester ? p.src() : p.dst();
  const packet::Gid other = requester ? p.dst() : p.src();
  const std::uint64_t psn = p.bth().psn();
  bench->row("QpAttr", qpn, spec::kQpAttr,
             {{"pd", kPd},
              {"pasid", kPasid},
              {"access", 0xE},
              {"pmtu", c.pmtu_code},
              {"retry_cnt", 7},
              {"rnr_retry", 7},
              {"timeout", 31},
              {"min_rnr_timer", 12},
              {"max_rd_atomic", 16},
              {"max_dest_rd_atomic", 16},
              {"sq_base", Bench::kSq},
              {"sq_log", 10},
              {"sq_stride_log", 0},
              {"rq_base", Bench::kRq},
              {"rq_log", 10},
              {"rq_stride_log", 0},
              {"sq_psn", psn},
              {"rq_psn", psn}});
  Row av{};
  fill_in(av.data(), spec::kAv,
          {{"dst_mac", requester ? p.ethernet().dst_mac() : p.ethernet().src_mac()},
           {"src_mac", requester ? p.ethernet().src_mac() : p.ethernet().dst_mac()},
           {"ipv6", p.ipv6},
           {"vlan", p.vlan},
           {"vlan_tci", p.vlan ? p.vlan_tag().vid() | p.vlan_tag().pcp() << 13 : 0u},
           {"traffic_class", p.traffic_class()},
           {"hop_limit", p.hop_limit()},
           {"src_port", p.udp().src_port()},
           {"pkey", p.bth().pkey()},
           {"dest_qpn", peer}});
  const auto put_address = [&](std::string_view name, const packet::Gid& gid) {
    const spec::Place place = spec::place_of(spec::kAv, name);
    spec::put_memory(av.data(), {place.offset, 64}, low_half(gid));
    if (p.ipv6) {
      spec::put_memory(av.data(), {place.offset + 64, 64}, spec::get_wire(gid.data(), {0, 64}));
    }
  };
  put_address("src_ip", own);
  put_address("dst_ip", other);
  bench->raw_row("Av", qpn, av);
  for (const char* state : {"Init", "Rtr", "Rts"}) bench->state(qpn, state);
}

/// What an answer says, in words.
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
