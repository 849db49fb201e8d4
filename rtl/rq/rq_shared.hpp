// SPDX-License-Identifier: Apache-2.0
// Queue pairs of the receive side that share the receives of one SRQ.
#pragma once

#include "rtl/rq/rq_rig.hpp"

namespace rq {

constexpr std::uint64_t kIova = 0x40000000;
constexpr unsigned kSrqNumber = 5;

/// Queue pairs 1 to n share the receives of SRQ 5, which has a protection domain of its own.
struct Shared : Bench {
  Srq srq;
  std::map<unsigned, std::uint32_t> psn;
  unsigned next_tag = 0x4000;
  explicit Shared(unsigned qps, Srq s = {}) : srq(s) {
    regions.push_back({kRegion, s.pd, kEveryRight, kIova + 0x100000, 0x40000, 0x100000});
    srq_row(kSrqNumber, srq);
    for (unsigned q = 1; q <= qps; ++q) connect_shared(q);
  }
  void connect_shared(unsigned q) {
    Attr attr;
    attr.srq = true;
    attr.srqn = kSrqNumber;
    attr.rq_log = 0;
    attr.stride = 2;  // not used
    psn[q] = attr.rq_psn;
    connect(q, attr);
  }
  /// Posts a receive of `length` bytes at `addr`. Returns its tag.
  unsigned give(std::uint64_t addr, std::uint32_t length, bool ring_it = true) {
    post_srq(kSrqNumber, {{kIova + addr, length, kRegion}}, next_tag, ring_it);
    return next_tag++;
  }
  void packet(unsigned q, unsigned opcode, const Bytes& payload, std::uint32_t imm = 0) {
    Request r;
    r.qpn = q;
    r.opcode = opcode;
    r.psn = psn[q]++;
    r.payload = payload;
    r.imm = imm;
    r.rkey = kOtherRegion;
    send(r);
  }
  bool holds(std::uint64_t addr, const Bytes& data) const {
    return std::equal(data.begin(), data.end(), memory.begin() + addr);
  }
  unsigned count(EventKind kind, unsigned number) const {
    return static_cast<unsigned>(std::count(events.begin(), events.end(), Event(kind, number)));
  }
};

}  // namespace rq
