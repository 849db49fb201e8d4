// SPDX-License-Identifier: Apache-2.0
// The queue of records at any pace.
#include <doctest/doctest.h>

#include <deque>
#include <random>

#include "Vroci_rx_queue.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kSeed = 271828;

/// Pushes records and verdicts, and pops, with the given chances in percent; every record must come
/// out, in order, with its verdict.
struct Run {
  Dut<Vroci_rx_queue> dut;
  std::mt19937 random{kSeed};
  std::deque<std::uint64_t> inside, verdicts;
  std::uint64_t next = 1;
  unsigned full = 0, out = 0, waits = 0;

  void clocks(unsigned count, unsigned push, unsigned pop, unsigned verdict = 100) {
    for (unsigned i = 0; i < count; ++i) {
      dut->in_valid_i = random() % 100 < push;
      dut->in_data_i = next * 0x9E3779B1 & 0xFFFFFFFFFF;
      dut->out_ready_i = random() % 100 < pop;
      dut->verdict_valid_i = verdicts.size() < inside.size() && random() % 100 < verdict;
      dut->verdict_i = random() % 4;
      dut.settle();
      full += !dut->in_ready_o;
      if (dut->out_valid_o && dut->out_ready_i) {
        REQUIRE(!inside.empty());
        REQUIRE(!verdicts.empty());
        CHECK(dut->out_data_o == inside.front());
        CHECK(dut->out_verdict_o == verdicts.front());
        inside.pop_front();
        verdicts.pop_front();
        ++out;
      }
      waits += !inside.empty() && verdicts.empty();
      if (dut->verdict_valid_i) verdicts.push_back(dut->verdict_i);
      if (dut->in_valid_i && dut->in_ready_o) {
        inside.push_back(dut->in_data_i);
        ++next;
      }
      dut.tick();
    }
  }
};

}  // namespace

TEST_CASE("rx_queue: keeps order at any pace") {
  Run run;
  for (unsigned round = 0; round < 200; ++round) {
    run.clocks(50, run.random() % 101, run.random() % 101, run.random() % 101);
  }
  run.clocks(60, 0, 100);
  CHECK(run.inside.empty());
  CHECK(run.full > 0);
  CHECK(run.waits > 0);
}

TEST_CASE("rx_queue: one record a clock, from empty and from full") {
  Run run;
  run.clocks(100, 100, 100);
  CHECK(run.out == 98);
  run.clocks(40, 100, 0);
  CHECK(run.full > 0);
  run.out = 0;
  run.clocks(100, 100, 100);
  CHECK(run.out == 100);
}

TEST_CASE("rx_queue: a record leaves a clock after its verdict") {
  Run run;
  run.clocks(1, 100, 100);
  run.clocks(5, 0, 100, 0);
  CHECK_FALSE(run.dut->out_valid_o);
  run.clocks(1, 0, 100);
  CHECK(run.dut->out_valid_o);
  run.clocks(1, 0, 100);
  CHECK(run.out == 1);
}
