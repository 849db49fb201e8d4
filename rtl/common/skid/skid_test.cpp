// SPDX-License-Identifier: Apache-2.0
// The skid buffer at any pace.
#include <doctest/doctest.h>

#include <deque>
#include <random>

#include "Vroci_skid.h"
#include "rtl/common/test/dut.hpp"

namespace {

struct Bench {
  Dut<Vroci_skid> dut;
  std::deque<unsigned> inside;
  std::mt19937 random{1};
  unsigned taken = 0;

  void tick(bool write, bool read) {
    dut->in_data_i = random() & 0xFFFF;
    dut->in_valid_i = write;
    dut->out_ready_i = read;
    dut.settle();
    CHECK(bool(dut->out_valid_o) == !inside.empty());
    if (!inside.empty()) CHECK(dut->out_data_o == inside.front());
    const bool push = write && dut->in_ready_o;
    if (read && !inside.empty()) {
      inside.pop_front();
      ++taken;
    }
    if (push) inside.push_back(dut->in_data_i);
    dut.tick();
  }
};

}  // namespace

TEST_CASE("skid: holds two words and then is not ready") {
  Bench bench;
  for (int i = 0; i < 5; ++i) bench.tick(true, false);
  CHECK(bench.inside.size() == 2);
  CHECK_FALSE(bench.dut->in_ready_o);
  for (int i = 0; i < 5; ++i) bench.tick(false, true);
  CHECK(bench.taken == 2);
}

TEST_CASE("skid: no output depends on an input of the same clock") {
  Bench bench;
  for (int i = 0; i < 300; ++i) {
    bench.tick(bench.random() & 1, bench.random() & 1);
    const bool ready = bench.dut->in_ready_o, valid = bench.dut->out_valid_o;
    for (unsigned inputs = 0; inputs < 4; ++inputs) {
      bench.dut->in_valid_i = inputs & 1;
      bench.dut->out_ready_i = inputs >> 1;
      bench.dut.settle();
      CHECK(bool(bench.dut->in_ready_o) == ready);
      CHECK(bool(bench.dut->out_valid_o) == valid);
    }
  }
}

TEST_CASE("skid: a word per clock, in order, whatever the reader does") {
  Bench bench;
  for (int i = 0; i < 100; ++i) bench.tick(true, true);
  CHECK(bench.taken == 99);
  for (int i = 0; i < 3000; ++i) bench.tick(bench.random() % 3, bench.random() % 3);
}
