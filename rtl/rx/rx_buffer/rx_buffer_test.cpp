// SPDX-License-Identifier: Apache-2.0
// Payload rows of packets: kept, rolled back, given out or dropped.
#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "Vroci_rx_buffer.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kSeed = 314159;
constexpr unsigned kRows = 64;
using Rows = std::vector<std::uint64_t>;

struct Bench {
  Dut<Vroci_rx_buffer> dut;
  std::mt19937 random{kSeed};
  // Percent; `hold`: of clocks without a command, `keeps`: of commands that keep their rows.
  unsigned stalls = 0, drops = 0, hold = 0, keeps = 0;
  std::deque<Rows> kept;  // no command yet
  std::deque<Rows> expected;
  std::size_t at = 0;
  unsigned received = 0, dropped = 0, lost = 0, again = 0;
  std::uint64_t first_command = 0, first_out = 0, last_out = 0, beats = 0;
  std::uint64_t next = 1;

  void clock() {
    const bool command = !kept.empty() && random() % 100 >= hold;
    const bool drop = random() % 100 < drops;
    const bool keep = !drop && random() % 100 < keeps;
    dut->command_valid_i = command;
    dut->command_drop_i = drop;
    dut->command_keep_i = keep;
    dut->command_rows_i = command ? kept.front().size() : 0;
    dut->pay_tready_i = random() % 100 >= stalls;
    dut.settle();
    if (command && dut->command_ready_o) {
      if (first_command == 0) first_command = dut.cycle();
      if (!drop) expected.push_back(kept.front());
      dropped += drop;
      again += keep;
      if (!keep) kept.pop_front();
    }
    if (dut->pay_tvalid_o && dut->pay_tready_i) {
      if (first_out == 0) first_out = dut.cycle();
      last_out = dut.cycle();
      ++beats;
      REQUIRE(!expected.empty());
      CHECK(port::get(dut->pay_tdata_o, 0, 64) == expected.front()[at]);
      CHECK(port::get(dut->pay_tdata_o, DATA_WIDTH - 64, 64) == expected.front()[at]);
      ++at;
      CHECK(dut->pay_tlast_o == (at == expected.front().size()));
      if (at == expected.front().size()) {
        expected.pop_front();
        at = 0;
        ++received;
      }
    }
    dut.tick();
  }

  /// Writes the rows of a packet, with headers before them and pad after. True when it was kept.
  bool send(unsigned rows, bool commit, unsigned gaps = 0) {
    Rows content;
    const unsigned before = random() % 3, after = random() % 2;
    bool ended = false, there = false;
    for (unsigned i = 0; i < before + rows + after || !ended; ++i) {
      while (random() % 100 < gaps) clock();
      const bool write = i >= before && i < before + rows;
      dut->write_i = write;
      if (write) {
        content.push_back(next++ * 0x9E3779B97F4A7C15);
        port::put(dut->write_data_i, 0, 64, content.back());
        port::put(dut->write_data_i, DATA_WIDTH - 64, 64, content.back());
        dut->write_row_i = i - before;
      }
      ended = i + 1 >= before + rows + after;
      dut->last_i = ended;
      dut->commit_i = ended && commit;
      dut->rows_i = ended ? rows : 0;
      dut.settle();
      there = ended && commit && !dut->overflow_o;
      lost += ended && commit && dut->overflow_o;
      clock();
      if (there && rows) kept.push_back(content);
      dut->write_i = dut->last_i = dut->commit_i = 0;
    }
    return there;
  }

  void drain() {
    for (unsigned i = 0; i < 5000 && !(kept.empty() && dut->idle_o); ++i) clock();
    CHECK(kept.empty());
    CHECK(expected.empty());
    CHECK(dut->idle_o);
    CHECK(dut->done_o);
  }
};

}  // namespace

TEST_CASE("rx_buffer: packets come out as they were committed, one after the other") {
  for (const unsigned stalls : {0u, 50u}) {
    Bench bench;
    bench.stalls = stalls;
    for (unsigned n = 0; n < 300; ++n) {
      CHECK(bench.send(n % 20, true, 20));
      if (stalls || n % 9 == 0) bench.drain();
    }
    bench.drain();
    CHECK(bench.received == 285);
  }
}

TEST_CASE("rx_buffer: what is rolled back or dropped leaves no trace") {
  Bench bench;
  bench.stalls = 30;
  bench.drops = 40;
  for (unsigned n = 0; n < 1000; ++n) {
    bench.send(bench.random() % 12, bench.random() % 4 != 0);
    while (bench.kept.size() > 2) bench.clock();
  }
  bench.drain();
  CHECK(bench.dropped > 100);
  CHECK(bench.received > 200);
  CHECK(bench.lost == 0);
}

TEST_CASE("rx_buffer: rows that a command keeps come again, and stay in use until then") {
  Bench bench;
  bench.keeps = 70;
  for (const unsigned stalls : {0u, 50u}) {
    bench.stalls = stalls;
    for (unsigned n = 0; n < 1000; ++n) {
      bench.drops = n % 3 * 20;
      bench.send(1 + bench.random() % 20, bench.random() % 8 != 0);
    }
    bench.drain();
  }
  CHECK(bench.again > 500);
  CHECK(bench.dropped > 50);
  CHECK(bench.lost > 100);  // what is kept leaves less room
  // One packet that fills the memory, three times, then another one in its place.
  bench.keeps = 100;
  CHECK(bench.send(kRows, true));
  const unsigned before = bench.received;
  while (bench.received < before + 3) bench.clock();
  CHECK(!bench.send(1, true));
  bench.keeps = 0;
  bench.drops = 0;
  bench.drain();
  CHECK(bench.send(kRows, true));
  bench.drain();
}

TEST_CASE("rx_buffer: a packet without room is lost as a whole, the others are not harmed") {
  Bench bench;
  bench.hold = 100;  // nothing is taken
  unsigned rows = 0;
  for (unsigned n = 0; n < 60; ++n) {
    const unsigned more = 1 + bench.random() % 10;
    const bool fits = rows + more <= kRows;
    CHECK(bench.send(more, true) == fits);
    if (fits) rows += more;
  }
  CHECK(rows == kRows);
  CHECK(!bench.send(1, true));
  CHECK(bench.send(0, true));  // needs no room
  bench.hold = 0;
  bench.drain();
  CHECK(!bench.send(kRows + 1, true));
  CHECK(bench.send(kRows, true));
  bench.drain();
  bench.stalls = 50;
  bench.hold = 30;
  bench.drops = 20;
  for (unsigned n = 0; n < 3000; ++n) bench.send(1 + bench.random() % 30, bench.random() % 8 != 0);
  bench.drain();
  CHECK(bench.lost > 100);
  CHECK(bench.received > 300);
}

TEST_CASE("rx_buffer: a beat a clock, two clocks after the command") {
  Bench bench;
  bench.hold = 100;
  for (unsigned n = 0; n < 12; ++n) CHECK(bench.send(5, true));
  bench.hold = 0;
  bench.drain();
  CHECK(bench.first_out - bench.first_command == 2);
  CHECK(bench.beats == 60);
  CHECK(bench.last_out - bench.first_out == 59);
}

TEST_CASE("rx_buffer: a dropped packet costs the reader one clock whatever its length") {
  Bench bench;
  bench.hold = 100;
  for (unsigned n = 0; n < 4; ++n) CHECK(bench.send(15, true));
  bench.hold = 0;
  bench.drops = 100;
  const std::uint64_t begin = bench.dut.cycle();
  bench.drain();
  CHECK(bench.dropped == 4);
  CHECK(bench.dut.cycle() - begin <= 7);
}
