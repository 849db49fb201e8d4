// SPDX-License-Identifier: Apache-2.0
// Bursts of every form through the bridge, at a DMA engine that is slow, fast, or fails.
#include "rtl/board/dma_bridge/dma_bridge_bench.hpp"

namespace {

using namespace dma_bridge;

/// Bursts of any length, writes of any bytes of them; some writes select none.
void add_random(Bench& bench, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    bench.add_read(1 + bench.below(bench.below(3) == 0 ? kMostBeats : 4));
    const unsigned beats = 1 + bench.below(bench.below(3) == 0 ? kMostBeats : 4);
    const unsigned from = bench.below(beats * kBeat);
    const unsigned bytes = bench.below(10) == 0 ? 0 : 1 + bench.below(beats * kBeat - from);
    bench.add_write(beats, from, bytes);
  }
}

TEST_CASE("dma_bridge: every byte arrives, in any order of the engine and at any pace") {
  for (const unsigned stalls : {0u, 20u, 60u}) {
    for (const unsigned latency : {0u, 10u, 400u}) {
      CAPTURE(stalls);
      CAPTURE(latency);
      Bench bench(stalls + latency);
      bench.stalls = bench.engine.stalls = stalls;
      bench.engine.latency = latency;
      add_random(bench, 400);
      bench.run();
      if (latency != 0) CHECK(bench.engine.overtaken > 20);
    }
  }
}

TEST_CASE("dma_bridge: an error of the engine is one of the burst, and of no other") {
  Bench bench(1);
  bench.stalls = bench.engine.stalls = 10;
  bench.engine.latency = 30;
  bench.engine.errors = 20;
  add_random(bench, 1000);
  bench.run();
}

TEST_CASE("dma_bridge: the master waits, or the engine alone") {
  for (const bool engine : {false, true}) {
    Bench bench(2);
    (engine ? bench.engine.stalls : bench.stalls) = 90;
    add_random(bench, 60);
    bench.run();
  }
}

TEST_CASE("dma_bridge: writes of no byte are responded to in their turn") {
  Bench bench(3);
  bench.engine.latency = 50;
  for (unsigned i = 0; i < 200; ++i) bench.add_write(1 + i % 3, 0, i % 4 == 0 ? 1 : 0);
  bench.run();
}

TEST_CASE("dma_bridge: a beat per clock each way") {
  constexpr unsigned kBursts = 200;
  const unsigned beats = std::min(kMostBeats, 32u);
  Bench bench(4);
  for (unsigned i = 0; i < kBursts; ++i) {
    bench.add_read(beats);
    bench.add_write(beats, 0, beats * kBeat);
  }
  const double clocks = static_cast<double>(bench.run()) / (kBursts * beats);
  MESSAGE("clocks per beat: ", clocks);
  CHECK(clocks < 1.05);
}

TEST_CASE("dma_bridge: small bursts: clocks of each") {
  constexpr unsigned kBursts = 500;
  Bench bench(5);
  for (unsigned i = 0; i < kBursts; ++i) {
    bench.add_read(1);
    bench.add_write(1, 0, kBeat);
  }
  const double clocks = static_cast<double>(bench.run()) / kBursts;
  MESSAGE("clocks per burst of a beat: ", clocks);
  CHECK(clocks < 2.1);
}

}  // namespace
