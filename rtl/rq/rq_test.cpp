// SPDX-License-Identifier: Apache-2.0
// WRITEs and SENDs of every size, their rates, and receives of every stride.
#include "rtl/rq/rq_peer.hpp"
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: a WRITE is placed, acknowledged with its MSN and counted (RSP-01, RSP-13)") {
  Rig b;
  const Bytes data = Rig::pattern(64, 1);
  b.write_only(data, 0x100040);
  b.run();
  CHECK(b.holds(0x100040, data));
  REQUIRE(b.responses.size() == 1);
  b.ack_is(0, kAckNoCredits, 0x1000, 1);
  CHECK(b.responses[0].by_ack);
  CHECK(b.counters[3][QpCounter::kRxPackets] == 1);
  CHECK(b.counters[3][QpCounter::kRxBytes] == 64);
  CHECK(b.counters[3][QpCounter::kTxPackets] == 1);
  CHECK(b.live(3) == Bench::Live{0x1001u, 1});
  REQUIRE(b.events.size() == 1);  // RSP-53
  CHECK(b.events[0].first == EventKind::kCommEst);
}

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
  CHECK(clocks < (RTL_Compact ? 8.2 : 3.2));
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
  CHECK(clocks < (RTL_Compact ? 8.2 : 4.2));
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
    CHECK(clocks < (RTL_Compact ? 19.0 : std::max(13.4, 2 * kBlock + 1)));
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
  MESSAGE("clocks per 64-byte READ, 14 outstanding: ",
          static_cast<double>(b.dut.cycle() - start) / kPackets);
  CHECK(b.responses.size() == kPackets);
}

TEST_CASE("rq: WRITEs of every number of packets, with immediate or without (RSP-17, RSP-18)") {
  for (bool imm : {false, true}) {
    Rig b;
    unsigned count = 0;
    for (std::size_t n : {0u, 1u, 255u, 256u, 257u, 512u, 777u, 1500u}) {
      CAPTURE(n);
      if (imm) b.post(3, {});
      const Bytes data = Rig::pattern(n, static_cast<unsigned>(n));
      b.message(true, data, 0x110000 + count, imm);
      b.run();
      ++count;
      CHECK(b.holds(0x110000 + count - 1, data));
      REQUIRE(!b.responses.empty());
      CHECK(b.responses.back().psn == ((b.psn - 1) & kPsnMask));
      CHECK(b.responses.back().msn == count);
      REQUIRE(b.completions.size() == (imm ? count : 0));
      if (!imm) continue;
      const Completion& c = b.completions.back();
      CHECK(c.status == Status::kSuccess);
      CHECK(c.opcode == WcOp::kRecvWriteImm);
      CHECK(c.byte_len == n);
      CHECK(c.imm == 0xCAFE0000 + n);
      CHECK(c.with_imm);
      CHECK(c.index == count - 1);
      CHECK(c.cqn == kFirstCq + 3);
    }
  }
}

TEST_CASE("rq: SENDs scatter over lists of every stride (RSP-19)") {
  for (unsigned stride : {0u, 1u, 2u}) {
    Attr attr;
    attr.stride = stride;
    Rig b(attr);
    const std::vector<std::vector<Bench::Sge>> lists = {{{Rig::kIova + 0x100001, 1600, kRegion}},
                                                        {{Rig::kIova + 0x100000, 10, kRegion},
                                                         {0, 0, 0},
                                                         {Rig::kIova + 0x101000, 333, kRegion},
                                                         {Rig::kIova + 0x102003, 4000, kRegion}},
                                                        {{Rig::kIova + 0x100000, 100, kRegion},
                                                         {Rig::kIova + 0x101000, 100, kRegion},
                                                         {Rig::kIova + 0x102000, 100, kRegion},
                                                         {Rig::kIova + 0x103000, 100, kRegion},
                                                         {Rig::kIova + 0x104000, 100, kRegion},
                                                         {Rig::kIova + 0x105000, 100, kRegion},
                                                         {Rig::kIova + 0x106000, 100, kRegion},
                                                         {Rig::kIova + 0x107000, 1000, kRegion}}};
    unsigned count = 0;
    for (unsigned round = 0; round < 12; ++round) {
      for (std::size_t n : {608u, 0u, 1u, 256u, 1100u}) {
        const auto& list = lists[(round + n) % (stride + 1)];
        CAPTURE(n);
        CAPTURE(stride);
        b.post(3, list);
        const Bytes before = b.memory, data = Rig::pattern(n, round);
        b.message(false, data, 0, n == 1);
        b.run();
        Bytes expected = before;
        std::size_t at = 0;
        for (auto& sge : list) {
          const std::size_t take = std::min<std::size_t>(sge.length, n - at);
          std::copy_n(data.data() + at, take, expected.data() + (sge.addr - Rig::kIova));
          at += take;
        }
        CHECK(b.memory == expected);
        REQUIRE(b.completions.size() == ++count);
        const Completion& c = b.completions.back();
        CHECK(c.status == Status::kSuccess);
        CHECK(c.opcode == WcOp::kRecv);
        CHECK(c.byte_len == n);
        CHECK(c.with_imm == (n == 1));
        CHECK(c.index == count - 1);
      }
    }
  }
}

TEST_CASE("rq: receives are fetched ahead, over the end of the ring") {
  for (unsigned log : {0u, 1u, 2u, 4u}) {
    Attr attr;
    attr.rq_log = log;
    Rig b(attr);
    for (unsigned i = 0; i < 40;) {
      const unsigned batch = std::min(1u << log, 40 - i);
      for (unsigned k = 0; k < batch; ++k)
        b.post(3, {{Rig::kIova + 0x100000 + 64 * (i + k), 64, kRegion}});
      for (unsigned k = 0; k < batch; ++k) b.message(false, Rig::pattern(64, i + k));
      b.run();
      i += batch;
    }
    REQUIRE(b.completions.size() == 40);
    for (unsigned i = 0; i < 40; ++i) {
      CHECK(b.completions[i].index == i);
      CHECK(b.holds(0x100000 + 64 * i, Rig::pattern(64, i)));
    }
  }
}

TEST_CASE(
    "rq: SENDs that are not executed do not shift the receives of later ones (RSP-06, RSP-19)") {
  for (bool stalls : {false, true}) {
    Attr attr;
    attr.stride = 1;
    Rig b(attr);
    b.random_stalls = stalls;
    constexpr unsigned kSends = 24;
    for (unsigned i = 0; i < kSends; ++i) {  // one segment, or two, or the first too small
      const std::uint64_t at = Rig::kIova + 0x100000 + 64 * i;
      if (i % 3 == 0) b.post(3, {{at, 64, kRegion}});
      if (i % 3 == 1) b.post(3, {{at, 40, kRegion}, {at + 40, 24, kRegion}});
      if (i % 3 == 2) b.post(3, {{at, 64, kRegion}, {at, 64, kOtherRegion}});
      if (i % 12 == 11) {
        b.run();
        for (unsigned k = i - 11; k <= i; ++k) {
          b.message(false, Rig::pattern(64, k));
          for (unsigned n = b.random() % 4; n != 0;
               --n) {  // copies of this SEND or of an older one
            b.requests.push_back(b.requests.back());
            b.requests.back().psn -= b.random() % 2;
          }
        }
        b.run();
      }
    }
    REQUIRE(b.completions.size() == kSends);
    for (unsigned i = 0; i < kSends; ++i) {
      CHECK(b.completions[i].index == i);
      CHECK(b.completions[i].status == Status::kSuccess);
      CHECK(b.completions[i].byte_len == 64);
      CHECK(b.holds(0x100000 + 64 * i, Rig::pattern(64, i)));
    }
  }
}

}  // namespace
