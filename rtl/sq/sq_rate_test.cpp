// SPDX-License-Identifier: Apache-2.0
// Rates and latencies.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: 64-byte WRITEs of 64 queue pairs") {
  Bench b;
  b.latency = 200;
  b.wire = 125;
  for (unsigned q = 0; q < kQps; ++q) b.connect(q);
  for (unsigned i = 0; i < 32; ++i) {
    for (unsigned q = 0; q < kQps; ++q) b.post(q, write_of(64));
  }
  for (unsigned q = 0; q < kQps; ++q) b.ring(q);
  REQUIRE(b.until(kQps * 4));
  const auto from = b.dut.cycle();
  REQUIRE(b.until(kQps * 28));
  const double clocks = double(b.dut.cycle() - from) / (kQps * 24);
  std::printf("clocks per 64-byte WRITE over 64 queue pairs: %.2f\n", clocks);
  CHECK(clocks <= 8);  // at 64 bits, those in which a work request comes from memory
  REQUIRE(b.until(kQps * 32));
}

TEST_CASE("sq: 64-byte WRITEs of 64 queue pairs, a doorbell each") {
  Bench b;
  b.latency = 200;
  b.wire = 125;
  for (unsigned q = 0; q < kQps; ++q) b.connect(q);
  std::size_t posted = 0;
  std::vector<std::size_t> open(kQps);
  std::size_t seen = 0;
  std::uint64_t from = 0;
  while (seen < 4000) {
    for (; seen < b.done.size(); ++seen) {
      --open[b.done[seen].qpn];
      if (seen == 1000) from = b.dut.cycle();
    }
    // The host posts one work request at a time, to the queue pairs in turn.
    const unsigned q = posted % kQps;
    if (open[q] < 16) {
      b.post(q, write_of(64));
      b.ring(q);
      ++open[q];
      ++posted;
    }
    b.run(3);
  }
  const double clocks = double(b.dut.cycle() - from) / 3000;
  std::printf("the same, posted one by one: %.2f\n", clocks);
  CHECK(clocks < 8);
}

TEST_CASE("sq: 64-byte WRITEs of one queue pair") {
  Bench b;
  b.latency = 200;
  b.wire = 125;
  Attr a;
  a.sq_log = 9;
  b.connect(1, a);
  for (unsigned i = 0; i < 300; ++i) b.post(1, write_of(64));
  b.ring(1);
  REQUIRE(b.until(50));
  const auto from = b.dut.cycle();
  REQUIRE(b.until(250));
  const double clocks = double(b.dut.cycle() - from) / 200;
  std::printf("clocks per 64-byte WRITE of one queue pair: %.2f\n", clocks);
  CHECK(clocks < (DATA_WIDTH < 512 ? 16 : 12));  // a work request takes eight clocks at 64 bits
}

TEST_CASE("sq: latency of a doorbell with memory that responds at once") {
  Bench b;
  b.latency = 1;
  b.wire = 0;
  b.auto_peer = false;
  b.connect(1);
  b.run(100);
  b.post(1, write_of(64));
  b.ring(1);
  const auto from = b.dut.cycle();
  while (b.sent.empty() && b.dut.cycle() < from + 200) b.tick();
  std::printf("doorbell to packet described: %lu clocks\n", b.dut.cycle() - from);
  CHECK(b.dut.cycle() - from < 40);
}

TEST_CASE("sq: one queue pair with long messages keeps the wire busy") {
  for (unsigned pmtu : {3u, 5u}) {
    Bench b;
    b.latency = 200;
    b.wire = 125;
    b.desc_every = pmtu == 3 ? 22 : 83;  // clocks of such a packet at 512 bits and 100 Gb/s
    Attr a;
    a.pmtu = pmtu;
    b.connect(1, a);
    for (unsigned i = 0; i < 8; ++i) b.post(1, write_of(200000));
    b.ring(1);
    REQUIRE(b.until(1));
    const auto from = b.dut.cycle();
    const std::size_t sent = b.sent.size();
    REQUIRE(b.until(7));
    const double clocks = double(b.dut.cycle() - from) / double(b.sent.size() - sent);
    std::printf("clocks per packet of %u bytes, one queue pair: %.2f (wire %u)\n", b.mtu(1), clocks,
                b.desc_every);
    // Compact is for narrow links: 1,024 bytes are 130 beats there. Here its grants and its window
    // come to 27.4 or 28.7 clocks, by the clock of the first grant.
    CHECK(clocks < (RTL_Compact ? 1.35 : 1.02) * b.desc_every);
  }
}

TEST_CASE("sq: a long message does not starve short ones") {
  Bench b;
  b.latency = 200;
  b.desc_every = 22;
  b.connect(1);
  b.connect(2);
  for (unsigned i = 0; i < 8; ++i) b.post(1, write_of(250000));
  b.ring(1);
  b.run(2000);
  b.post(2, write_of(64));
  b.ring(2);
  const auto from = b.dut.cycle();
  while (b.done.empty() || b.done.back().qpn != 2) b.tick();
  CHECK(b.dut.cycle() - from < 2000);
}
