// SPDX-License-Identifier: Apache-2.0
// Queue pair 3 of the receive side; the test sends the packets of its peer one by one.
#pragma once

#include "rtl/rq/rq_bench.hpp"

namespace rq {

constexpr std::uint32_t kRegion = 0x00001234, kOtherRegion = 0x00005678;

/// Queue pair 3 connected, with a region that has all rights at iova = address + 1 GiB.
struct Rig : Bench {
  static constexpr std::uint64_t kIova = 0x40000000;
  static constexpr unsigned kQp = 3;
  Attr attr;
  std::uint32_t psn;
  bool uc = false;  // its packets are of UC
  explicit Rig(Attr a = {}) : attr(a), psn(a.rq_psn) {
    regions.push_back({kRegion, kPd, kEveryRight, kIova + 0x100000, 0x40000, 0x100000});
    connect(kQp, a);
  }
  unsigned mtu() const { return 128u << attr.pmtu; }
  static Bytes pattern(std::size_t n, unsigned seed) {
    Bytes out(n);
    for (std::size_t i = 0; i < n; ++i)
      out[i] = static_cast<std::uint8_t>(seed * 37 + i * 11 + i / 256);
    return out;
  }
  Request base(unsigned opcode) {
    Request r;
    r.qpn = kQp;
    r.opcode = opcode;
    r.psn = psn;
    r.uc = uc;
    r.rkey = kRegion;
    return r;
  }
  /// One packet of no more than a PMTU at the expected PSN.
  void packet(unsigned opcode, Bytes payload, std::uint64_t addr = 0, std::uint32_t length = 0,
              std::uint32_t imm = 0) {
    Request r = base(opcode);
    r.payload = std::move(payload);
    r.va = kIova + addr;
    r.length = length;
    r.imm = imm;
    send(r);
    psn = (psn + 1) & kPsnMask;
  }
  void write_only(Bytes payload, std::uint64_t addr) {
    const auto n = static_cast<std::uint32_t>(payload.size());
    packet(kRcWriteOnly, std::move(payload), addr, n);
  }
  /// A whole message, segmented into packets.
  void message(bool write, const Bytes& data, std::uint64_t addr = 0, bool imm = false) {
    for (std::size_t at = 0; at == 0 || at < data.size(); at += mtu()) {
      const std::size_t n = std::min<std::size_t>(mtu(), data.size() - at);
      const bool last = at + n == data.size();
      const unsigned op = data_opcode(write, at == 0, last, last && imm);
      packet(op, Bytes(data.begin() + at, data.begin() + at + n), addr,
             static_cast<std::uint32_t>(data.size()),
             0xCAFE0000 + static_cast<std::uint32_t>(data.size()));
    }
  }
  void read(std::uint64_t addr, std::uint32_t length) {
    Request r = base(kRcReadRequest);
    r.va = kIova + addr;
    r.length = length;
    send(r);
    psn = (psn + std::max(1u, (length + mtu() - 1) / mtu())) & kPsnMask;
  }
  void atomic(unsigned opcode, std::uint64_t addr, std::uint64_t swap_add,
              std::uint64_t compare = 0) {
    Request r = base(opcode);
    r.va = kIova + addr;
    r.swap_add = swap_add;
    r.compare = compare;
    send(r);
    psn = (psn + 1) & kPsnMask;
  }
  bool holds(std::uint64_t addr, const Bytes& data) const {
    return std::equal(data.begin(), data.end(), memory.begin() + addr);
  }
  void ack_is(std::size_t i, unsigned syndrome, std::uint32_t at, unsigned msn) {
    REQUIRE(responses.size() > i);
    CHECK(responses[i].opcode == kRcAck);
    CHECK(responses[i].syndrome == syndrome);
    CHECK(responses[i].psn == (at & kPsnMask));
    CHECK(responses[i].msn == msn);
  }
  /// Posts a receive of one scatter entry.
  void receive(std::uint64_t addr, std::uint32_t bytes, std::uint32_t key = kRegion) {
    post(kQp, {{kIova + addr, bytes, key}});
  }
  /// The one receive completes with a protection error, and its queue pair fails without a
  /// response.
  void receive_fails() {
    run();
    REQUIRE(completions.size() == 1);
    CHECK(completions[0].status == Status::kLocProtErr);
    REQUIRE(fails.size() == 1);
    CHECK(fails[0] == Event(EventKind::kQpFatal, kQp));
    CHECK(responses.empty());
  }
  /// A fatal NAK at the PSN of the last packet, once, and the event; then silence (RSP-50).
  void fails_with(unsigned syndrome, EventKind kind) {
    run();
    REQUIRE(!responses.empty());
    const Response a = responses.back();
    CHECK(a.opcode == kRcAck);
    CHECK(a.syndrome == syndrome);
    REQUIRE(fails.size() == 1);
    CHECK(fails[0] == Event(kind, kQp));
    const std::size_t n = responses.size();
    for (int i = 0; i < 3; ++i) write_only(pattern(8, 1), 0x100000);
    run();
    CHECK(responses.size() == n);
  }
};

}  // namespace rq
