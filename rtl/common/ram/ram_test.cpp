// SPDX-License-Identifier: Apache-2.0
// The sweep after reset, and reads and writes against a model.
#include "Vroci_ram.h"
#include "rtl/common/test/ram_bench.hpp"

namespace {

constexpr unsigned kDepth = 16;
constexpr unsigned kWidth = 45;
using Bench = RamBench<Vroci_ram, kDepth, kWidth>;

}  // namespace

TEST_CASE("ram: reports when every row is cleared") {
  Bench bench;
  CHECK(bench.wait() <= kDepth);
  bench.check_zero();
}

TEST_CASE("ram: clears again after another reset") {
  Bench bench;
  bench.wait();
  for (unsigned row = 0; row < kDepth; ++row) bench.write(row, 0x1DEAD0000000 + row);
  CHECK(bench.read(5) == 0x1DEAD0000005);
  bench.reset();
  CHECK_FALSE(bench.dut->ready_o);
  bench.wait();
  bench.check_zero();
}

TEST_CASE("ram: reads what was written, in the same clock too, and holds it") {
  Bench bench;
  bench.wait();
  bench.any_traffic(5000, 0);
}
