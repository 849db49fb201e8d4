// SPDX-License-Identifier: Apache-2.0
// Slices of beats joined into whole beats.
#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "Vroci_dma_align.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kBeat = DATA_WIDTH / 8;

struct Beat {
  std::vector<std::uint8_t> bytes;
  unsigned from, to;
  bool last;
};

/// Sends runs of random slices; returns the clocks it took.
unsigned runs(unsigned count, unsigned stall, std::mt19937& random) {
  Dut<Vroci_dma_align> dut;
  std::deque<Beat> expected;
  Beat open{std::vector<std::uint8_t>(kBeat), 0, 0, false};
  bool begin = true, held = false;
  unsigned clocks = 0;
  for (; count > 0 || !expected.empty() || held; ++clocks) {
    REQUIRE(clocks < 100000);
    if (!held && count > 0 && random() % 100 >= stall) {
      held = true;
      const unsigned start = random() % kBeat;
      const unsigned bytes = random() % 3 ? kBeat - start : 1 + random() % (kBeat - start);
      const bool end = random() % 4 == 0;
      const unsigned pos = random() % kBeat;
      for (unsigned i = 0; i < kBeat; ++i) {
        port::put_byte(dut->in_data_i, i, static_cast<std::uint8_t>(random()));
      }
      dut->in_start_i = start;
      dut->in_bytes_i = bytes;
      dut->in_begin_i = begin;
      dut->in_pos_i = pos;
      dut->in_end_i = end;
      dut->in_user_i = 0;
      if (begin) open = {std::vector<std::uint8_t>(kBeat), pos, pos, false};
      for (unsigned i = 0; i < bytes; ++i) {
        open.bytes[open.to++] = port::byte(dut->in_data_i, start + i);
        if (open.to < kBeat && !(end && i + 1 == bytes)) continue;
        open.last = end && i + 1 == bytes;
        expected.push_back(open);
        open = {std::vector<std::uint8_t>(kBeat), 0, 0, false};
      }
      begin = end;
      if (end) --count;
    }
    dut->in_valid_i = held;
    dut->out_ready_i = random() % 100 >= stall;
    dut.settle();
    if (dut->out_valid_o && dut->out_ready_i) {
      REQUIRE_FALSE(expected.empty());
      const Beat& beat = expected.front();
      bool same = true;
      for (unsigned i = 0; i < kBeat; ++i) same &= port::byte(dut->out_data_o, i) == beat.bytes[i];
      REQUIRE(same);
      for (unsigned i = 0; i < kBeat; ++i) {
        same &= (dut->out_strb_o >> i & 1) == (i >= beat.from && i < beat.to);
      }
      REQUIRE(same);
      REQUIRE(dut->out_from_o == beat.from);
      REQUIRE(dut->out_to_o == beat.to);
      REQUIRE(dut->out_last_o == beat.last);
      expected.pop_front();
    }
    if (held && dut->in_ready_o) held = false;
    dut.tick();
  }
  REQUIRE(dut->idle_o == 1);
  return clocks;
}

TEST_CASE("dma_align: slices of any bytes join, what lies outside is 0") {
  std::mt19937 random(11);
  MESSAGE("seed 11");
  SUBCASE("at full speed") { runs(2000, 0, random); }
  SUBCASE("with stalls") { runs(2000, 40, random); }
}

TEST_CASE("dma_align: a beat a clock, one more for a last slice that spills") {
  Dut<Vroci_dma_align> dut;
  dut->out_ready_i = 1;
  dut->in_valid_i = 1;
  dut->in_start_i = 0;
  dut->in_bytes_i = kBeat;
  dut->in_pos_i = 3;
  unsigned waits = 0, beats = 0;
  for (unsigned i = 0; i < 10;) {
    dut->in_begin_i = i == 0;
    dut->in_end_i = i == 9;
    dut.settle();
    beats += dut->out_valid_o;
    ++(dut->in_ready_o ? i : waits);
    dut.tick();
  }
  dut->in_valid_i = 0;
  CHECK(waits == 0);
  for (int i = 0; i < 3; ++i) {
    dut.settle();
    beats += dut->out_valid_o;
    dut.tick();
  }
  CHECK(beats == 11);
}

}  // namespace
