// SPDX-License-Identifier: Apache-2.0
// The queue of records against a queue of C++.
#include <doctest/doctest.h>

#include <deque>
#include <random>

#include "Vroci_records.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kDepth = RTL_Depth;

struct Bench {
  Dut<Vroci_records> dut;
  std::deque<unsigned> inside;
  std::mt19937 random{1};

  /// One clock in which the writer offers a record and the reader takes one, or not.
  void tick(bool write, bool read) {
    dut->in_data_i = random() & 0xFFFF;
    dut->in_valid_i = write;
    dut->out_ready_i = read;
    dut.settle();
    CHECK(dut->level_o == inside.size());
    CHECK(bool(dut->in_ready_o) == (inside.size() < kDepth));
    CHECK(bool(dut->out_valid_o) == !inside.empty());
    if (!inside.empty()) CHECK(dut->out_data_o == inside.front());
    const bool push = write && inside.size() < kDepth;
    if (read && !inside.empty()) inside.pop_front();
    if (push) inside.push_back(dut->in_data_i);
    dut.tick();
  }
};

}  // namespace

TEST_CASE("records: fills up, is not ready when full, runs empty") {
  Bench bench;
  for (unsigned i = 0; i < kDepth + 2; ++i) bench.tick(true, false);
  for (unsigned i = 0; i < kDepth + 2; ++i) bench.tick(false, true);
}

TEST_CASE("records: one in and one out per clock; in one register, every two clocks") {
  Bench bench;
  bench.tick(true, false);
  for (int i = 0; i < 100; ++i) {
    bench.tick(true, true);
    CHECK(bench.inside.size() == (kDepth == 1 ? i % 2 : 1));
  }
}

TEST_CASE("records: keeps order under any traffic") {
  Bench bench;
  for (int i = 0; i < 5000; ++i) {
    const bool filling = i / 50 % 2;
    bench.tick(bench.random() % 4 < (filling ? 3 : 1), bench.random() % 4 < (filling ? 1 : 3));
  }
}
