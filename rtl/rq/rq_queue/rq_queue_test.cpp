// SPDX-License-Identifier: Apache-2.0
// The queue of numbers against a model.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "Vroci_rq_queue.h"
#include "rtl/common/test/dut.hpp"

namespace {

TEST_CASE("rq_queue: each number is inside at most once and they leave in order") {
  Dut<Vroci_rq_queue> dut;
  std::mt19937 random(20240611);
  std::deque<unsigned> model;
  unsigned empty_clocks = 0;
  for (dut.settle(); !dut->ready_o; dut.settle()) dut.tick();
  for (int i = 0; i < 20000; ++i) {
    const unsigned phase = i / 500 % 3;  // filling, even, draining
    dut->push_i = random() % 3 >= phase;
    dut->push_row_i = random() % 16;
    dut->pop_i = random() % 3 <= phase;
    dut.settle();
    CHECK(dut->level_o == model.size());
    empty_clocks = model.empty() || dut->pop_valid_o ? 0 : empty_clocks + 1;
    CHECK(empty_clocks <= 2);  // latency
    if (dut->pop_valid_o) {
      REQUIRE(!model.empty());
      CHECK(dut->pop_row_o == model.front());
      if (dut->pop_i) model.pop_front();
    }
    if (dut->push_i && std::find(model.begin(), model.end(), dut->push_row_i) == model.end())
      model.push_back(dut->push_row_i);
    dut.tick();
  }
}

}  // namespace
