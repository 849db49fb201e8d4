// SPDX-License-Identifier: Apache-2.0
// Whole frames through the buffer of the Ethernet path: kept, rolled back, or without room.
#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "Vroci_rx_ethernet.h"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/stream.hpp"

namespace {

constexpr unsigned kSeed = 8023;
constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kRows = 64;
using Frame = std::vector<std::uint8_t>;

struct Bench {
  Dut<Vroci_rx_ethernet> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0, stalls = 0;  // percent
  std::deque<Frame> expected;
  Frame part;
  unsigned received = 0, lost = 0;
  std::uint64_t first_out = 0, last_in = 0;

  Frame frame(std::size_t size) {
    Frame bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }

  void clock() {
    dut->m_axis_tready_i = random() % 100 >= stalls;
    dut.settle();
    if (dut->m_axis_tvalid_o && dut->m_axis_tready_i) {
      if (first_out == 0) first_out = dut.cycle();
      stream::take_beat(dut->m_axis_tdata_o, dut->m_axis_tkeep_o, dut->m_axis_tlast_o, kBytes,
                        part);
      if (dut->m_axis_tlast_o) {
        REQUIRE(!expected.empty());
        CHECK(part == expected.front());
        expected.pop_front();
        part.clear();
        ++received;
      }
    }
    dut.tick();
  }

  /// Writes a frame; its end may come without a beat of its own. True when it was kept.
  bool send(const Frame& bytes, bool commit, bool all_beats = true) {
    bool kept = false;
    for (std::size_t at = 0; at < bytes.size(); at += kBytes) {
      while (gaps && random() % 100 < gaps) clock();
      const std::size_t left = bytes.size() - at;
      // Beats of a frame that is known not to be for the Ethernet path are not written.
      dut->write_i = all_beats || random() % 2;
      for (unsigned i = 0; i < kBytes; ++i)
        port::put_byte(dut->write_data_i, i, i < left ? bytes[at + i] : 0xEE);
      dut->write_end_i = (left < kBytes ? left : kBytes) - 1;
      dut->last_i = left <= kBytes;
      dut->commit_i = commit && dut->last_i;
      dut.settle();
      if (dut->last_i) kept = commit && !dut->overflow_o;
      if (kept) expected.push_back(bytes);
      if (dut->last_i) last_in = dut.cycle();
      clock();
      dut->write_i = dut->last_i = dut->commit_i = 0;
    }
    lost += commit && !kept;
    return kept;
  }

  void drain() {
    for (unsigned i = 0; i < 2000 && !dut->idle_o; ++i) clock();
    CHECK(dut->idle_o);
    CHECK(expected.empty());
    CHECK(part.empty());
  }
};

}  // namespace

TEST_CASE("rx_ethernet: frames of any length come out whole and in order") {
  for (const unsigned stalls : {0u, 40u}) {
    Bench bench;
    bench.stalls = stalls;
    bench.gaps = 30;
    for (unsigned size = 1; size < 6 * kBytes; size += 1 + size / 70) {
      CHECK(bench.send(bench.frame(size), true));
      if (stalls) bench.drain();  // the buffer must not overflow
    }
    bench.drain();
  }
}

TEST_CASE("rx_ethernet: what is not committed leaves no trace") {
  Bench bench;
  for (unsigned n = 0; n < 500; ++n) {
    const bool commit = bench.random() % 2;
    // Only the first beats of a RoCE frame are written.
    bench.send(bench.frame(1 + bench.random() % (5 * kBytes)), commit, commit);
    if (n % 7 == 0) bench.drain();
  }
  bench.drain();
  CHECK(bench.received > 200);
}

TEST_CASE("rx_ethernet: a frame without room is lost as a whole, the others are not harmed") {
  Bench bench;
  bench.stalls = 100;
  for (unsigned n = 0; n < 40; ++n)
    bench.send(bench.frame(1 + bench.random() % (6 * kBytes)), true);
  CHECK(bench.lost > 10);
  CHECK(bench.expected.size() > 10);
  bench.stalls = 0;
  bench.drain();
  CHECK(!bench.send(bench.frame((kRows + 1) * kBytes), true));  // longer than the memory
  CHECK(bench.send(bench.frame(kRows * kBytes), true));
  bench.drain();
  bench.stalls = 60;
  for (unsigned n = 0; n < 2000; ++n)
    bench.send(bench.frame(1 + bench.random() % (9 * kBytes)), true);
  bench.stalls = 0;
  bench.drain();
  CHECK(bench.lost > 100);
  CHECK(bench.received > 500);
}

TEST_CASE("rx_ethernet: latency of two clocks") {
  Bench bench;
  bench.send(bench.frame(10 * kBytes), true);
  bench.drain();
  CHECK(bench.first_out - bench.last_in == 2);
}

TEST_CASE("rx_ethernet: a beat a clock") {
  Bench bench;
  for (unsigned n = 0; n < 200; ++n) CHECK(bench.send(bench.frame(3 * kBytes), true));
  bench.drain();
}
