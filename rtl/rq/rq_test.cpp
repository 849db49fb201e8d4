// SPDX-License-Identifier: Apache-2.0
// WRITEs and SENDs of every size, and receives of every stride.
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
