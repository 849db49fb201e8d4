// SPDX-License-Identifier: Apache-2.0
// The end of a fence against a model.
#include <Vroci_fence.h>
#include <doctest/doctest.h>

#include <random>

#include "rtl/common/test/dut.hpp"

namespace {
constexpr unsigned kSettle = 8;
}

TEST_CASE("fence: ends after eight idle clocks in a row, counted from its start") {
  Dut<Vroci_fence> dut;
  std::mt19937 random(11);
  unsigned quiet = 0, ended = 0;
  bool busy = false;
  for (int i = 0; i < 20000; ++i) {
    dut->start_i = random() % 40 == 0;
    dut->all_idle_i = random() % 12 != 0;
    dut.settle();
    CHECK(dut->busy_o == busy);
    CHECK(dut->pause_o == busy);
    const bool done = quiet == kSettle;
    if (dut->start_i)
      busy = true;
    else if (busy && done) {
      busy = false;
      ++ended;
    }
    // Counting begins in the clock after the start.
    quiet = dut->start_i || !dut->all_idle_i || done || !dut->busy_o ? 0 : quiet + 1;
    dut.tick();
  }
  CHECK(ended > 100);
}

TEST_CASE("fence: never ends while a block is busy") {
  Dut<Vroci_fence> dut;
  dut->all_idle_i = 0;
  dut->start_i = 1;
  dut.tick();
  dut->start_i = 0;
  for (int i = 0; i < 200; ++i) dut.tick();
  CHECK(dut->busy_o == 1);
  dut->all_idle_i = 1;
  for (unsigned i = 0; i < kSettle; ++i) dut.tick();
  CHECK(dut->busy_o == 1);
  dut.tick();
  CHECK(dut->busy_o == 0);
}
