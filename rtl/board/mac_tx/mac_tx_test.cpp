// SPDX-License-Identifier: Apache-2.0
// Frames of the adapter on their way to a MAC: whole, without a gap, or dropped when too long.
#include "Vroci_mac_tx.h"
#include "rtl/board/mac_bench.hpp"

namespace {

constexpr unsigned kBuffer = RTL_Bytes;

struct Bench : MacBench<Vroci_mac_tx> {
  unsigned lost = 0, waited = 0;
  unsigned stalls = 0;  // percent of the MAC's clocks in which it takes nothing

  void step() override {
    dut->m_axis_tready_i = random() % 100 >= stalls;
    dut->eval();
    const bool edge = random() % 4 < mac;
    if (edge) {
      lost += dut->mac_lost_o;
      CHECK((dut->m_axis_tvalid_o || part.empty()));  // no gap within a frame
      if (dut->m_axis_tvalid_o && dut->m_axis_tready_i) take();
    }
    const bool clk = random() % 4 < core;
    moved = clk && dut->s_axis_tready_o;
    waited += clk && !dut->s_axis_tready_o;
    edges(clk, edge);
  }
};

}  // namespace

TEST_CASE("mac_tx: frames of all lengths leave without a gap, whatever the clocks") {
  for (const unsigned core : {4U, 1U}) {
    Bench bench;
    bench.core = core;
    for (std::size_t size = 60; size < 200; ++size) {
      const Frame frame = bench.frame(size);
      bench.expected.push_back(frame);
      bench.send(frame, 40);
    }
    bench.idle(400);
    CHECK(bench.expected.empty());
    CHECK(bench.lost == 0);
  }
}

TEST_CASE("mac_tx: a MAC that is slow makes the adapter wait, and nothing is lost") {
  Bench bench;
  bench.mac = 1;
  bench.stalls = 30;
  for (int i = 0; i < 100; ++i) {
    const Frame frame = bench.frame(60 + bench.random() % 1500);
    bench.expected.push_back(frame);
    bench.send(frame);
  }
  CHECK(bench.waited > 1000);
  bench.idle(8000);
  CHECK(bench.expected.empty());
  CHECK(bench.lost == 0);
}

TEST_CASE("mac_tx: a frame longer than the buffer is dropped, and nothing waits for it") {
  Bench bench;
  bench.stalls = 50;
  for (int i = 0; i < 10; ++i) {
    for (const std::size_t size : {std::size_t{kBuffer}, std::size_t{300}}) {
      const Frame frame = bench.frame(size);
      bench.expected.push_back(frame);
      bench.send(frame);
    }
    bench.send(bench.frame(kBuffer + 1 + bench.random() % 500));
  }
  bench.idle(4000);
  CHECK(bench.expected.empty());
  CHECK(bench.lost == 10);
}
