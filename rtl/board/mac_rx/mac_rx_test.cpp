// SPDX-License-Identifier: Apache-2.0
// Frames of a MAC on their way to the adapter: whole, damaged, too long, or without room.
#include "Vroci_mac_rx.h"
#include "rtl/board/mac_bench.hpp"

namespace {

constexpr unsigned kBuffer = RTL_Bytes;

struct Bench : MacBench<Vroci_mac_rx> {
  unsigned damaged = 0, lost = 0;

  void step() override {
    const bool clk = random() % 4 < core;
    if (clk) {
      damaged += dut->bad_o;
      lost += dut->lost_o;
      if (dut->m_axis_tvalid_o) take();
    }
    moved = random() % 4 < mac;
    edges(clk, moved);
  }

  /// The mark of a MAC counts on the last beat alone.
  void mark(bool bad) override { dut->s_axis_tuser_i = dut->s_axis_tlast_i ? bad : random() % 2; }
};

}  // namespace

TEST_CASE("mac_rx: frames of all lengths come out as they went in") {
  for (const unsigned core : {4U, 2U}) {
    Bench bench;
    bench.core = core;
    for (std::size_t size = 60; size < 200; ++size) {
      const Frame frame = bench.frame(size);
      bench.expected.push_back(frame);
      bench.send(frame, core == 4 ? 0 : 60);
    }
    bench.idle(200);
    CHECK(bench.expected.empty());
    CHECK(bench.damaged == 0);
    CHECK(bench.lost == 0);
  }
}

TEST_CASE("mac_rx: a frame that the MAC marks is dropped and counted") {
  Bench bench;
  unsigned marked = 0;
  for (int i = 0; i < 100; ++i) {
    const Frame frame = bench.frame(60 + bench.random() % 500);
    const bool bad = bench.random() % 3 == 0;
    if (!bad) bench.expected.push_back(frame);
    marked += bad;
    bench.send(frame, 0, bad);
  }
  bench.idle(200);
  CHECK(bench.expected.empty());
  CHECK(bench.damaged == marked);
  CHECK(bench.lost == 0);
}

TEST_CASE("mac_rx: a frame longer than the buffer is lost, and those around it are not") {
  Bench bench;
  for (int i = 0; i < 5; ++i) {
    const Frame frame = bench.frame(300);
    bench.expected.push_back(frame);
    bench.send(frame);
    bench.idle(20);
    bench.send(bench.frame(kBuffer + 1));
  }
  bench.idle(200);
  CHECK(bench.expected.empty());
  CHECK(bench.lost == 5);
}

TEST_CASE("mac_rx: with a core that is too slow, frames are lost whole and each is counted") {
  constexpr unsigned kFrames = 600;
  Bench bench;
  bench.core = 1;
  bench.any_may_be_lost = true;
  for (unsigned i = 0; i < kFrames; ++i) {
    bench.expected.push_back(bench.frame(60 + bench.random() % 400));
    bench.send(Frame(bench.expected.back()));
  }
  bench.idle(2000);
  CHECK(bench.lost == bench.skipped + bench.expected.size());
  CHECK(bench.received + bench.lost == kFrames);
  CHECK(bench.received > 5);
  CHECK(bench.lost > 300);
}
