// SPDX-License-Identifier: Apache-2.0
// The FIFO against a queue.
#include "Vroci_fifo.h"
#include "rtl/common/test/queue_bench.hpp"

using Bench = QueueBench<Vroci_fifo, 4>;

TEST_CASE("fifo: fills up, is not ready when full, runs empty") { Bench().fill_and_empty(); }

TEST_CASE("fifo: a word in and a word out per clock") {
  Bench bench;
  bench.tick(true, false);
  for (int i = 0; i < 100; ++i) {
    bench.tick(true, true);
    CHECK(bench.inside.size() == 1);
  }
}

TEST_CASE("fifo: keeps order under any traffic") { Bench().any_traffic(); }
