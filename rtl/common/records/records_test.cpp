// SPDX-License-Identifier: Apache-2.0
// The queue of records against a queue of C++.
#include "Vroci_records.h"
#include "rtl/common/test/queue_bench.hpp"

namespace {

constexpr unsigned kDepth = RTL_Depth;
using Bench = QueueBench<Vroci_records, kDepth>;

}  // namespace

TEST_CASE("records: fills up, is not ready when full, runs empty") { Bench().fill_and_empty(); }

TEST_CASE("records: one in and one out per clock; in one register, every two clocks") {
  Bench bench;
  bench.tick(true, false);
  for (int i = 0; i < 100; ++i) {
    bench.tick(true, true);
    CHECK(bench.inside.size() == (kDepth == 1 ? i % 2 : 1));
  }
}

TEST_CASE("records: keeps order under any traffic") { Bench().any_traffic(); }
