// SPDX-License-Identifier: Apache-2.0
// Clocks that a small WRITE, SEND or READ takes. The bounds are a little above what is measured.
#include <algorithm>
#include <vector>

#include "rtl/rq/rq_peer.hpp"
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: 64-byte WRITEs to one queue pair: clocks per packet") {
  Rig b;
  b.write_delay = 200;
  constexpr unsigned kPackets = 500;
  for (unsigned i = 0; i < kPackets; ++i) b.write_only(Rig::pattern(64, i), 0x100000 + 64 * i);
  const std::uint64_t start = b.dut.cycle();
  while (!b.requests.empty()) b.clock();
  const double clocks = static_cast<double>(b.dut.cycle() - start) / kPackets;
  b.run();
  MESSAGE("clocks per 64-byte WRITE: ", clocks, ", ACKs: ", b.responses.size());
  CHECK(clocks < (RTL_Compact ? 8.2 : 3.03));
  CHECK(b.responses.size() < kPackets / 4);  // RSP-11
  CHECK(b.responses.back().psn == 0x1000 + kPackets - 1);
  CHECK(b.responses.back().msn == kPackets);
  for (unsigned i = 0; i < kPackets; ++i) CHECK(b.holds(0x100000 + 64 * i, Rig::pattern(64, i)));
}

TEST_CASE("rq: 64-byte WRITEs to 16 queue pairs, each acknowledged: clocks per packet") {
  Rig b;
  constexpr unsigned kPackets = 640, kQps = 16;
  for (unsigned q = 1; q <= kQps; ++q) b.connect(q);
  b.run();
  for (unsigned i = 0; i < kPackets; ++i) {
    Request r;
    r.qpn = i % kQps + 1;
    r.opcode = kRcWriteOnly;
    r.psn = Attr{}.rq_psn + i / kQps;
    r.payload = Rig::pattern(64, i);
    r.va = Rig::kIova + 0x100000 + 64 * i;
    r.rkey = kRegion;
    r.length = 64;
    b.send(r);
  }
  const std::uint64_t start = b.dut.cycle();
  while (!b.requests.empty()) b.clock();
  const double clocks = static_cast<double>(b.dut.cycle() - start) / kPackets;
  b.run();
  MESSAGE("clocks per 64-byte WRITE, 16 queue pairs: ", clocks, ", ACKs: ", b.responses.size());
  CHECK(clocks < (RTL_Compact ? 8.2 : 3.1));
  for (unsigned i = 0; i < kPackets; ++i) CHECK(b.holds(0x100000 + 64 * i, Rig::pattern(64, i)));
}

/// Sends `packets` 64-byte SENDs to the queue pairs from 1 to `qps` in turns of `turn`; each posts
/// a receive when one is completed. Clocks per SEND.
double send_clocks(Rig& b, unsigned qps, unsigned turn, unsigned packets,
                   const std::vector<Bench::Sge>& list, Attr attr = {}) {
  std::vector<unsigned> psn(qps + 1, attr.rq_psn);
  for (unsigned q = 1; q <= qps; ++q) {
    b.connect(q, attr);
    for (unsigned i = 0; i < 16; ++i) b.post(q, list);
  }
  b.run();
  std::size_t seen = 0;
  std::map<unsigned, unsigned> open;  // sent and not completed
  unsigned sent = 0;
  const std::uint64_t start = b.dut.cycle();
  while (sent < packets || !b.requests.empty()) {
    const unsigned q = sent / turn % qps + 1;
    if (sent < packets && b.requests.size() < 8 && open[q] < 16) {
      Request r;
      r.qpn = q;
      r.opcode = kRcSendOnly;
      r.psn = psn[q]++;
      r.payload = Rig::pattern(64, sent++);
      b.send(r);
      ++open[q];
    }
    b.clock();
    for (; seen < b.completions.size(); ++seen) {
      const unsigned from = b.completions[seen].qpn;
      --open[from];
      b.post(from, list);
    }
  }
  const double clocks = static_cast<double>(b.dut.cycle() - start) / packets;
  b.run();
  CHECK(b.completions.size() == packets);
  for (const Completion& c : b.completions) CHECK(c.status == Status::kSuccess);
  for (const Response& a : b.responses) CHECK(a.syndrome == kAckNoCredits);  // no RNR NAK
  return clocks;
}

TEST_CASE("rq: 64-byte SENDs: clocks per packet") {
  const std::vector<Bench::Sge> one = {{Rig::kIova + 0x100000, 64, kRegion}};
  {
    Rig b;
    b.read_delay = 100;
    const double clocks = send_clocks(b, 12, 1, 2000, one);
    MESSAGE("clocks per 64-byte SEND, 12 queue pairs: ", clocks);
    CHECK(clocks < kSend);
  }
  {
    Rig b;
    b.read_delay = 200;
    const double clocks = send_clocks(b, 12, 16, 12 * 16 * 10, one);
    MESSAGE("in turns of 16, receives read in 200 clocks: ", clocks);
    CHECK(clocks < kSend);
  }
  {
    const std::vector<Bench::Sge> two = {{Rig::kIova + 0x100000, 40, kRegion},
                                         {Rig::kIova + 0x100040, 24, kRegion}};
    Attr attr;
    attr.stride = 1;
    Rig b;
    const double clocks = send_clocks(b, 6, 1, 600, two, attr);
    MESSAGE("clocks per SEND to two segments: ", clocks);
    CHECK(clocks < (RTL_Compact ? 20.2 : std::max(14.3, 2 * kBlock + 1)));
  }
  {
    Rig b;
    const double clocks = send_clocks(b, 1, 1, 500, one);
    MESSAGE("one queue pair, receives read in 20 clocks: ", clocks);
    CHECK(clocks < 5.0 + kBlock);
  }
  {
    Rig b;
    b.read_delay = 200;
    const double clocks = send_clocks(b, 1, 1, 500, one);
    MESSAGE("one queue pair, receives read in 200 clocks: ", clocks);
    CHECK(clocks < 15.0 + kBlock);
  }
}

TEST_CASE("rq: 64-byte READs: clocks per packet") {
  Attr attr;
  attr.max_dest = 16;
  Rig b(attr);
  constexpr unsigned kPackets = 160;
  const std::uint64_t start = b.dut.cycle();
  for (unsigned i = 0; i < kPackets; ++i) {
    b.read(0x100000 + 64 * i, 64);
    while (b.responses.size() + 14 < i) b.clock();
  }
  b.run();
  const double clocks = static_cast<double>(b.dut.cycle() - start) / kPackets;
  MESSAGE("clocks per 64-byte READ, 14 outstanding: ", clocks);
  CHECK(clocks < (RTL_Compact ? 10.3 : 5.2));
  CHECK(b.responses.size() == kPackets);
}

}  // namespace
