// SPDX-License-Identifier: Apache-2.0
// Packets on their way out, and the peer that takes them: a responder by 9.7.4 and 9.7.5.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "rtl/sq/sq_bench.hpp"

namespace sq_bench {

inline void Bench::take_packets() {
  const std::uint64_t now = dut.cycle();
  auto& d = *dut;
  if (d.desc_valid_o && d.desc_ready_i) {
    auto get = [&](auto field) { return port::get(d.desc_o, field); };
    Packet p;
    p.qpn = get(layout::tx_desc::qpn);
    p.opcode = get(layout::tx_desc::opcode);
    p.psn = get(layout::tx_desc::psn);
    p.se = get(layout::tx_desc::solicited);
    p.ack = get(layout::tx_desc::ack_req);
    p.payload_len = get(layout::tx_desc::payload_len);
    p.ext_len = get(layout::tx_desc::ext_len);
    for (unsigned i = 0; i < std::size(p.ext); ++i)
      p.ext[i] = port::get_byte(d.desc_o, layout::tx_desc::ext, i);
    tx_.push_back(p);
  }
  if (d.seg_valid_o && d.seg_ready_i) {
    auto get = [&](auto field) { return port::get(d.seg_o, field); };
    segs_.push_back({get(layout::seg::addr), get(layout::seg::len), get(layout::seg::last),
                     get(layout::seg::fetched) != 0});
  }
  // Segments may come before their packet; they are in the order of the packets.
  for (Packet& p : tx_) {
    while (p.payload.size() < p.payload_len && !segs_.empty()) {
      const Segment segment = segs_.front();
      segs_.pop_front();
      if (segment.addr + segment.len > memory.size() ||
          (segment.fetched && segment.addr >= kept_.size()) ||
          p.payload.size() + segment.len > p.payload_len) {
        ++wrong_places;
        break;
      }
      for (std::uint64_t i = segment.addr; i < segment.addr + segment.len; ++i)
        p.payload.push_back(segment.fetched ? kept_[i % kept_.size()] : memory[i]);
      if (segment.fetched) {
        inline_done_.push_back((segment.addr + segment.len - 1) / layout::kBlockBytes % kKept);
      }
      if ((p.payload.size() == p.payload_len) != segment.last) ++wrong_places;
    }
    if (p.payload.size() < p.payload_len) break;
  }
  while (!tx_.empty() && tx_.front().payload.size() == tx_.front().payload_len) {
    Packet p = std::move(tx_.front());
    tx_.pop_front();
    p.at = now + wire;
    if (log)
      std::printf("%8lu  tx qp %u op %02x psn %06x len %u\n", now, p.qpn, p.opcode, p.psn,
                  p.payload_len);
    sent.push_back(p);
    left_.emplace_back(p.qpn, p.psn);
    const bool lost = (loss > 0 && std::uniform_real_distribution<>(0, 1)(random) < loss) ||
                      (lose_request && lose_request(p));
    if (!lost && auto_peer) wire_.push_back(std::move(p));
  }
  while (!wire_.empty() && wire_.front().at <= now) {
    Packet p = std::move(wire_.front());
    wire_.pop_front();
    serve(std::move(p));
  }
}

inline void Bench::read_responses(unsigned qp, unsigned psn, std::uint64_t va, unsigned len) {
  const unsigned m = mtu(qp);
  const unsigned n = len == 0 ? 1 : (len + m - 1) / m;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned size = i + 1 == n ? len - i * m : m;
    Bytes data(peers[qp].memory.begin() + long(va + i * m),
               peers[qp].memory.begin() + long(va + i * m + size));
    const unsigned op = n == 1       ? kRcReadRespOnly
                        : i == 0     ? kRcReadRespFirst
                        : i + 1 == n ? kRcReadRespLast
                                     : kRcReadRespMiddle;
    respond(qp, op, psn + i, kAckNoCredits, data);
  }
}

inline void Bench::serve(Packet p) {
  Peer& peer = peers[p.qpn];
  if (peer.mute) return;
  const bool is_read = p.opcode == kRcReadRequest,
             is_atomic = p.opcode == kRcCmpSwap || p.opcode == kRcFetchAdd;
  const unsigned ahead = (p.psn - peer.epsn) & kPsnMask;
  if (ahead >= kPsnHalf) {  // duplicate
    if (is_read) {
      read_responses(p.qpn, p.psn, p.header(layout::reth::va), p.header(layout::reth::dma_length));
    } else if (is_atomic) {
      if (peer.atomics.count(p.psn))
        respond(p.qpn, kRcAtomicAck, p.psn, kAckNoCredits, {}, peer.atomics[p.psn]);
    } else {
      acknowledge(p.qpn, peer.epsn - 1);
    }
    return;
  }
  if (ahead != 0) {
    if (!peer.nak_sent) acknowledge(p.qpn, peer.epsn, kNakSequence);
    peer.nak_sent = true;
    return;
  }
  const bool takes_receive = p.opcode == kRcSendFirst || p.opcode == kRcSendOnly ||
                             p.opcode == kRcSendOnlyImm || p.opcode == kRcSendOnlyInv;
  if (takes_receive && peer.rnr > 0) {
    --peer.rnr;
    acknowledge(p.qpn, peer.epsn, rnr_nak(1));
    peer.nak_sent = true;  // no sequence NAK after it
    return;
  }
  peer.nak_sent = false;
  if (is_read) {
    const unsigned len = p.header(layout::reth::dma_length);
    peer.msn++;
    peer.epsn = (peer.epsn + (len == 0 ? 1 : (len + mtu(p.qpn) - 1) / mtu(p.qpn))) & kPsnMask;
    read_responses(p.qpn, p.psn, p.header(layout::reth::va), len);
    return;
  }
  peer.epsn = (peer.epsn + 1) & kPsnMask;
  if (is_atomic) {
    std::uint64_t old = 0;
    const std::uint64_t va = p.header(layout::atomic_eth::va);
    std::memcpy(&old, &peer.memory[va], 8);
    const std::uint64_t swap_add = p.header(layout::atomic_eth::swap_add),
                        compare = p.header(layout::atomic_eth::compare);
    std::uint64_t now = p.opcode == kRcFetchAdd ? old + swap_add : old == compare ? swap_add : old;
    std::memcpy(&peer.memory[va], &now, 8);
    peer.atomics[p.psn] = old;
    peer.msn++;
    respond(p.qpn, kRcAtomicAck, p.psn, kAckNoCredits, {}, old);
    return;
  }
  const bool write = p.opcode >= kRcWriteFirst && p.opcode <= kRcWriteOnlyImm;
  if (write) {
    if (p.opcode == kRcWriteFirst || p.opcode >= kRcWriteOnly)
      peer.write_at = p.header(layout::reth::va);
    std::copy(p.payload.begin(), p.payload.end(), peer.memory.begin() + long(peer.write_at));
    peer.write_at += p.payload.size();
  } else {
    peer.partial.insert(peer.partial.end(), p.payload.begin(), p.payload.end());
  }
  const bool last = p.opcode != kRcSendFirst && p.opcode != kRcSendMiddle &&
                    p.opcode != kRcWriteFirst && p.opcode != kRcWriteMiddle;
  if (last) {
    peer.msn++;
    if (!write) peer.sends.push_back(std::move(peer.partial));
    if (!write) peer.partial.clear();
  }
  if (p.ack) acknowledge(p.qpn, p.psn);
}

}  // namespace sq_bench
