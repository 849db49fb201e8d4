// SPDX-License-Identifier: Apache-2.0
// A queue of the RTL (ports in_*, out_*, level_o) against a queue of C++.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <random>

#include "rtl/common/test/dut.hpp"

/// kDirect: the oldest word inside is always on the output; otherwise it may come there later.
template <typename Model, unsigned kDepth, bool kDirect = true>
struct QueueBench {
  Dut<Model> dut;
  std::deque<unsigned> inside;
  std::mt19937 random{1};
  unsigned out = 0;  // words that left

  /// One clock in which the writer offers a word and the reader takes one, or not.
  void tick(bool write, bool read) {
    dut->in_data_i = random() & 0xFFFF;
    dut->in_valid_i = write;
    dut->out_ready_i = read;
    dut.settle();
    CHECK(dut->level_o == inside.size());
    CHECK(bool(dut->in_ready_o) == (inside.size() < kDepth));
    if (kDirect) CHECK(bool(dut->out_valid_o) == !inside.empty());
    if (dut->out_valid_o) {
      REQUIRE(!inside.empty());
      CHECK(dut->out_data_o == inside.front());
    }
    const bool push = write && inside.size() < kDepth;
    if (read && dut->out_valid_o) {
      inside.pop_front();
      ++out;
    }
    if (push) inside.push_back(dut->in_data_i);
    dut.tick();
  }

  void fill_and_empty() {
    for (unsigned i = 0; i < kDepth + 2; ++i) tick(true, false);
    for (unsigned i = 0; i < kDepth + 2; ++i) tick(false, true);
  }

  /// Alternates between mostly full and mostly empty.
  void any_traffic() {
    for (int i = 0; i < 5000; ++i) {
      const bool filling = i / 50 % 2;
      tick(random() % 4 < (filling ? 3 : 1), random() % 4 < (filling ? 1 : 3));
    }
  }
};
