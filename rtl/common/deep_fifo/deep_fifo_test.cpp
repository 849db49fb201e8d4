// SPDX-License-Identifier: Apache-2.0
// The FIFO in block RAM against a queue.
#include <doctest/doctest.h>

#include <deque>
#include <random>

#include "Vroci_deep_fifo.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kDepth = RTL_Depth;

struct Bench {
  Dut<Vroci_deep_fifo> dut;
  std::deque<unsigned> inside;
  std::mt19937 random{20261125};
  unsigned out = 0;

  /// One clock in which the writer offers a word and the reader takes one, or not.
  void tick(bool write, bool read) {
    dut->in_data_i = random() & 0xFFFF;
    dut->in_valid_i = write;
    dut->out_ready_i = read;
    dut.settle();
    CHECK(dut->level_o == inside.size());
    CHECK(bool(dut->in_ready_o) == (inside.size() < kDepth));
    if (dut->out_valid_o) {
      REQUIRE(!inside.empty());
      CHECK(dut->out_data_o == inside.front());
    }
    const bool push = write && dut->in_ready_o;
    if (read && dut->out_valid_o) {
      inside.pop_front();
      ++out;
    }
    if (push) inside.push_back(dut->in_data_i);
    dut.tick();
  }
};

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
  for (int i = 0; i < 5000; ++i) {
    const bool filling = i / 50 % 2;
    bench.tick(bench.random() % 4 < (filling ? 3 : 1), bench.random() % 4 < (filling ? 1 : 3));
  }
  CHECK(bench.out > 1000);
}
