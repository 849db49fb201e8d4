// SPDX-License-Identifier: Apache-2.0
// The FIFO in block RAM against a queue.
#include "Vroci_deep_fifo.h"
#include "rtl/common/test/queue_bench.hpp"

namespace {

constexpr unsigned kDepth = RTL_Depth;
using Bench = QueueBench<Vroci_deep_fifo, kDepth, false>;

}  // namespace

TEST_CASE("deep_fifo: fills up, is not ready when full, runs empty") {
  Bench bench;
  for (unsigned i = 0; i < kDepth + 2; ++i) bench.tick(true, false);
  CHECK(bench.inside.size() == kDepth);
  for (unsigned i = 0; i < kDepth; ++i) bench.tick(false, true);
  CHECK(bench.inside.empty());
}

TEST_CASE("deep_fifo: a word is out two clocks after it came, then one a clock") {
  Bench bench;
  bench.tick(true, true);
  CHECK_FALSE(bench.dut->out_valid_o);
  bench.tick(true, true);
  CHECK(bench.dut->out_valid_o);
  for (int i = 0; i < 100; ++i) bench.tick(true, true);
  CHECK(bench.out == 100);
}

TEST_CASE("deep_fifo: keeps order under any traffic") {
  Bench bench;
  bench.any_traffic();
  CHECK(bench.out > 1000);
}
