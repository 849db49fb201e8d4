// SPDX-License-Identifier: Apache-2.0
// What a reset clears, and reads and writes against a model.
#include "Vroci_deep_ram.h"
#include "rtl/common/test/ram_bench.hpp"

namespace {

constexpr unsigned kDepth = 16;
using Bench = RamBench<Vroci_deep_ram, kDepth>;

}  // namespace

TEST_CASE("deep_ram: is zero, and ready after a clock, when no row was written") {
  Bench bench;
  CHECK(bench.wait() == 1);
  bench.check_zero();
  bench.reset();
  CHECK(bench.wait() == 1);
  bench.check_zero();
}

TEST_CASE("deep_ram: a write in the clock after the first reset is lost") {
  Bench bench;
  bench.write(3, 7);
  CHECK(bench.dut->ready_o);
  bench.check_zero();
  bench.reset();
  CHECK(bench.wait() == kDepth);
  bench.check_zero();
}

TEST_CASE("deep_ram: a reset clears every row that was written, one per clock, each time") {
  Bench bench;
  bench.wait();
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned row = 0; row < kDepth; ++row) bench.write(row, 0xDEAD0000 + row);
    CHECK(bench.read(5) == 0xDEAD0005);
    bench.reset();
    CHECK_FALSE(bench.dut->ready_o);
    CHECK(bench.wait() == kDepth);
    bench.check_zero();
  }
}

TEST_CASE("deep_ram: a reset of one clock clears the first row that is written in that clock") {
  for (unsigned row = 0; row < kDepth; ++row) {
    Bench bench;
    bench.wait();
    bench.dut->write_i = 1;
    bench.dut->write_row_i = row;
    bench.dut->write_data_i = 7;
    bench.reset();
    bench.wait();
    bench.check_zero();
  }
}

TEST_CASE("deep_ram: a reset while rows are cleared starts with the first one, and loses writes") {
  Bench bench;
  bench.wait();
  for (unsigned row = 0; row < kDepth; ++row) bench.write(row, ~row);
  bench.reset();
  for (unsigned row = 0; row < kDepth / 2; ++row) bench.write(row, ~row);
  bench.reset();
  CHECK(bench.wait() == kDepth);
  bench.check_zero();
}

TEST_CASE("deep_ram: reads what was written, in the same clock too, and holds it") {
  Bench bench;
  bench.wait();
  bench.any_traffic(20000, 500);
}
