// SPDX-License-Identifier: Apache-2.0
// The ICRC of frames of any length against zlib.
#include <doctest/doctest.h>

#include <deque>

#include "Vroci_icrc.h"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/icrc_beat.hpp"
#include "rtl/common/test/icrc_reference.hpp"

namespace {

constexpr unsigned kLane = DATA_WIDTH / 8;

struct Bench {
  Dut<Vroci_icrc> dut;
  std::deque<icrc::Frame> sent;
  std::mt19937 random;
  unsigned hold_percent = 0;  // clocks without enable

  Bench() {
    dut->enable_i = 1;
    dut->valid_i = 0;
  }

  void tick() {
    dut->enable_i = random() % 100 >= hold_percent;
    dut.settle();
    if (dut->enable_i && dut->valid_o) {
      REQUIRE(!sent.empty());
      const unsigned gap = (kLane - sent.front().bytes.size() % kLane) % kLane;
      CHECK(dut->gap_o == gap);
      CHECK(dut->state_o == icrc::state_after(sent.front(), gap));
      sent.pop_front();
    }
    dut.tick();
  }

  void send(const icrc::Frame& frame) {
    sent.push_back(frame);
    for (std::size_t at = 0; at < frame.bytes.size(); at += kLane) {
      icrc::put_beat(dut, frame, at, kLane, random);
      do tick();
      while (!dut->enable_i);
    }
    dut->valid_i = 0;
  }

  void drain() {
    for (int i = 0; i < 100 && !sent.empty(); ++i) tick();
    CHECK(sent.empty());
  }
};

}  // namespace

TEST_CASE("icrc: WIRE-37, WIRE-38: any length, both IP versions, RoCE v1, with and without a tag") {
  Bench bench;
  for (unsigned extra = 0; extra < 200; ++extra) {
    for (unsigned n = 0; n < 6; ++n) {
      const icrc::Kind kind = icrc::kKinds[n / 2];
      const bool vlan = n & 1;
      bench.send(icrc::random_frame(bench.random, icrc::smallest(kind, vlan) + extra, kind, vlan));
    }
  }
  bench.drain();
}

TEST_CASE("icrc: keeps its state without enable") {
  Bench bench;
  bench.hold_percent = 40;
  for (unsigned n = 0; n < 300; ++n) {
    const icrc::Kind kind = icrc::kKinds[n % 3];
    const bool vlan = n & 1;
    bench.send(icrc::random_frame(bench.random, icrc::smallest(kind, vlan) + bench.random() % 300,
                                  kind, vlan));
    while (bench.random() % 4 == 0) bench.tick();
  }
  bench.drain();
}

TEST_CASE("icrc: a result follows the last beat after three clocks") {
  Bench bench;
  bench.send(icrc::random_frame(bench.random, 60, icrc::Kind::kIpv4, false));
  const auto sent = bench.dut.cycle();
  while (!bench.sent.empty()) bench.tick();
  CHECK(bench.dut.cycle() - sent == 3);  // one of them looks at the result
}
