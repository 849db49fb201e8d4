// SPDX-License-Identifier: Apache-2.0
// The queue between two clocks of any ratio, against a queue of C++.
#include <doctest/doctest.h>
#include <verilated.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>

#include "Vroci_async_fifo.h"

namespace {

constexpr unsigned kDepth = 8;
constexpr unsigned kSeed = 2048;

struct Bench {
  VerilatedContext context;
  std::unique_ptr<Vroci_async_fifo> dut = std::make_unique<Vroci_async_fifo>(&context);
  std::mt19937 random{kSeed};
  std::deque<unsigned> inside;
  unsigned taken = 0, most = 0;
  bool was_full = false;

  Bench() {
    dut->wr_clk_i = dut->rd_clk_i = 0;
    dut->wr_rst_ni = dut->rd_rst_ni = 0;
    dut->in_valid_i = dut->out_ready_i = 0;
    for (int i = 0; i < 2; ++i) edges(true, true);
    dut->wr_rst_ni = dut->rd_rst_ni = 1;
    dut->eval();
  }
  ~Bench() { dut->final(); }

  void edges(bool write, bool read) {
    dut->eval();
    if (write) dut->wr_clk_i = 1;
    if (read) dut->rd_clk_i = 1;
    dut->eval();
    dut->wr_clk_i = dut->rd_clk_i = 0;
    dut->eval();
  }

  /// A rising edge of one or both clocks, at which a word is offered, and one may be taken.
  void step(bool write, bool read, bool offer, bool take) {
    dut->in_valid_i = offer;
    dut->in_data_i = random() & 0xFFFF;
    dut->out_ready_i = take;
    dut->eval();
    const bool push = write && offer && dut->in_ready_o;
    was_full |= write && !dut->in_ready_o;
    if (read && take && dut->out_valid_o) {
      REQUIRE(!inside.empty());
      CHECK(dut->out_data_o == inside.front());
      inside.pop_front();
      ++taken;
    }
    if (push) inside.push_back(dut->in_data_i);
    most = std::max<unsigned>(most, inside.size());
    CHECK(inside.size() <= kDepth + 1);  // one in the register of the output
    edges(write, read);
  }
};

}  // namespace

TEST_CASE("async_fifo: fills up, is not ready when full, runs empty") {
  Bench bench;
  for (int i = 0; i < 30; ++i) bench.step(true, true, true, false);
  CHECK(bench.was_full);
  CHECK(bench.inside.size() == kDepth + 1);
  for (int i = 0; i < 30; ++i) bench.step(true, true, false, true);
  CHECK(bench.inside.empty());
  CHECK(!bench.dut->out_valid_o);
}

TEST_CASE("async_fifo: a word in and a word out per clock") {
  Bench bench;
  for (int i = 0; i < 8; ++i) bench.step(true, true, true, true);
  const unsigned before = bench.taken;
  for (int i = 0; i < 100; ++i) bench.step(true, true, true, true);
  CHECK(bench.taken - before == 100);
  CHECK(!bench.was_full);
}

TEST_CASE("async_fifo: a word is out four clocks after it was offered") {
  Bench bench;
  bench.step(true, true, true, false);
  int clocks = 1;
  for (; !bench.dut->out_valid_o; ++clocks) bench.step(true, true, false, false);
  CHECK(clocks == 4);
}

TEST_CASE("async_fifo: keeps order under any traffic and any ratio of the clocks") {
  Bench bench;
  for (int i = 0; i < 40000; ++i) {
    const unsigned ratio = i / 1000 % 5;  // from a slow writer to a slow reader
    const bool filling = i / 200 % 2;
    const bool write = bench.random() % 4 < ratio || ratio == 0;
    const bool read = bench.random() % 4 < 4 - ratio || ratio == 4;
    bench.step(write, read, bench.random() % 4 < (filling ? 3 : 1),
               bench.random() % 4 < (filling ? 1 : 3));
  }
  CHECK(bench.was_full);
  CHECK(bench.taken > 5000);
}
