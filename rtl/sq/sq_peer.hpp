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
    auto get = [&](const char* name) {
      return unsigned(port::get(d.desc_o, place_of(kTxDesc, name)));
    };
    Packet p;
    p.qpn = get("qpn");
    p.opcode = get("opcode");
    p.psn = get("psn");
    p.se = get("solicited");
    p.ack = get("ack_req");
    p.payload_len = get("payload_len");
    p.ext_len = get("ext_len");
    const unsigned base = place_of(kTxDesc, "ext").offset;
    for (unsigned i = 0; i < 28; ++i) {
      p.ext[i] = std::uint8_t(port::get(d.desc_o, base + 8 * (27 - i), 8));
    }
    tx_.push_back(p);
  }
  if (d.seg_valid_o && d.seg_ready_i) {
    auto get = [&](const char* name) { return port::get(d.seg_o, place_of(kSeg, name)); };
    segs_.push_back({get("addr"), get("len"), get("last") != 0});
  }
  // Segments may come before their packet; they are those of the packets in order.
  for (Packet& p : tx_) {
    while (p.payload.size() < p.payload_len && !segs_.empty()) {
      const Piece piece = segs_.front();
      segs_.pop_front();
      if (piece.addr + piece.len > memory.size() || p.payload.size() + piece.len > p.payload_len) {
        ++wrong_places;
        break;
      }
      p.payload.insert(p.payload.end(), memory.begin() + long(piece.addr),
                       memory.begin() + long(piece.addr + piece.len));
      if ((p.payload.size() == p.payload_len) != piece.last) ++wrong_places;
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

inline void Bench::read_back(unsigned qp, unsigned psn, std::uint64_t va, unsigned len) {
  const unsigned m = mtu(qp);
  const unsigned n = len == 0 ? 1 : (len + m - 1) / m;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned size = i + 1 == n ? len - i * m : m;
    Bytes data(peers[qp].memory.begin() + long(va + i * m),
               peers[qp].memory.begin() + long(va + i * m + size));
    const unsigned op = n == 1 ? 0x10 : i == 0 ? 0x0D : i + 1 == n ? 0x0F : 0x0E;
    respond(qp, op, psn + i, 0x1F, data);
  }
}

inline void Bench::serve(Packet p) {
  Peer& peer = peers[p.qpn];
  if (peer.mute) return;
  const bool is_read = p.opcode == 0x0C, is_atomic = p.opcode == 0x13 || p.opcode == 0x14;
  const unsigned ahead = (p.psn - peer.epsn) & 0xFFFFFF;
  if (ahead >= 0x800000) {  // duplicate
    if (is_read) {
      read_back(p.qpn, p.psn, p.ext_number(0, 8), unsigned(p.ext_number(12, 4)));
    } else if (is_atomic) {
      if (peer.atomics.count(p.psn)) respond(p.qpn, 0x12, p.psn, 0x1F, {}, peer.atomics[p.psn]);
    } else {
      respond(p.qpn, 0x11, peer.epsn - 1, 0x1F);
    }
    return;
  }
  if (ahead != 0) {
    if (!peer.nak_sent) respond(p.qpn, 0x11, peer.epsn, 0x60);
    peer.nak_sent = true;
    return;
  }
  if ((p.opcode == 0 || p.opcode == 4 || p.opcode == 5 || p.opcode == 0x17) && peer.rnr > 0) {
    --peer.rnr;
    respond(p.qpn, 0x11, peer.epsn, 0x20 | 1);
    peer.nak_sent = true;  // no sequence NAK after it
    return;
  }
  peer.nak_sent = false;
  if (is_read) {
    const unsigned len = unsigned(p.ext_number(12, 4));
    peer.msn++;
    peer.epsn = (peer.epsn + (len == 0 ? 1 : (len + mtu(p.qpn) - 1) / mtu(p.qpn))) & 0xFFFFFF;
    read_back(p.qpn, p.psn, p.ext_number(0, 8), len);
    return;
  }
  peer.epsn = (peer.epsn + 1) & 0xFFFFFF;
  if (is_atomic) {
    std::uint64_t old = 0;
    const std::uint64_t va = p.ext_number(0, 8);
    std::memcpy(&old, &peer.memory[va], 8);
    const std::uint64_t swap_add = p.ext_number(12, 8), compare = p.ext_number(20, 8);
    std::uint64_t now = p.opcode == 0x14 ? old + swap_add : old == compare ? swap_add : old;
    std::memcpy(&peer.memory[va], &now, 8);
    peer.atomics[p.psn] = old;
    peer.msn++;
    respond(p.qpn, 0x12, p.psn, 0x1F, {}, old);
    return;
  }
  const bool write = p.opcode >= 0x06 && p.opcode < 0x16;
  if (write) {
    if (p.opcode == 0x06 || p.opcode >= 0x0A) peer.write_at = p.ext_number(0, 8);
    std::copy(p.payload.begin(), p.payload.end(), peer.memory.begin() + long(peer.write_at));
    peer.write_at += p.payload.size();
  } else {
    peer.partial.insert(peer.partial.end(), p.payload.begin(), p.payload.end());
  }
  const bool last = p.opcode != 0x00 && p.opcode != 0x01 && p.opcode != 0x06 && p.opcode != 0x07;
  if (last) {
    peer.msn++;
    if (!write) peer.sends.push_back(std::move(peer.partial));
    if (!write) peer.partial.clear();
  }
  if (p.ack) respond(p.qpn, 0x11, p.psn, 0x1F);
}

}  // namespace sq_bench
