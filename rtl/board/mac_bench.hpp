// SPDX-License-Identifier: Apache-2.0
// Streams of frames on the two clocks of a block between adapter and MAC.
#pragma once

#include <doctest/doctest.h>
#include <verilated.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/stream.hpp"

constexpr unsigned kMacSeed = 80211;
constexpr unsigned kBeatBytes = DATA_WIDTH / 8;
using Frame = std::vector<std::uint8_t>;

/// A model with the clocks `clk_i` and `mac_clk_i`, the stream s_axis in one, m_axis in the other.
template <typename Model>
class MacBench {
 public:
  MacBench() {
    dut->clk_i = dut->mac_clk_i = dut->rst_ni = dut->mac_rst_ni = 0;
    dut->s_axis_tvalid_i = 0;
    port::clear(dut->s_axis_tdata_i);
    for (int i = 0; i < 2; ++i) edges(true, true);
    dut->rst_ni = dut->mac_rst_ni = 1;
    dut->eval();
  }
  virtual ~MacBench() { dut->final(); }

  /// Lets one step of time pass, in which each clock may have a rising edge. Sets `moved`.
  virtual void step() = 0;
  /// Lets time pass without a beat on s_axis.
  void idle(int steps) {
    dut->s_axis_tvalid_i = 0;
    for (int i = 0; i < steps; ++i) step();
  }
  /// Sends a frame. Before each beat a step without one passes with a chance of `gaps` percent.
  void send(const Frame& bytes, unsigned gaps = 0, bool bad = false) {
    for (std::size_t at = 0; at < beats(bytes); ++at) {
      while (gaps != 0 && random() % 100 < gaps) idle(1);
      show(bytes, at);
      mark(bad);
      do {
        step();
      } while (!moved);
    }
    dut->s_axis_tvalid_i = 0;
  }

  /// A rising edge of one or both clocks.
  void edges(bool core, bool mac) {
    dut->eval();
    if (core) dut->clk_i = 1;
    if (mac) dut->mac_clk_i = 1;
    dut->eval();
    dut->clk_i = dut->mac_clk_i = 0;
    dut->eval();
  }

  Frame frame(std::size_t size) {
    Frame bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }

  /// Puts beat `at` of a frame on s_axis.
  void show(const Frame& bytes, std::size_t at) {
    const std::size_t from = at * kBeatBytes;
    const std::size_t size = std::min<std::size_t>(kBeatBytes, bytes.size() - from);
    for (unsigned i = 0; i < kBeatBytes; ++i) {
      port::put_byte(dut->s_axis_tdata_i, i, i < size ? bytes[from + i] : std::uint8_t(random()));
    }
    port::put(dut->s_axis_tkeep_i, 0, kBeatBytes, ~std::uint64_t{0} >> (64 - size));
    dut->s_axis_tlast_i = from + size == bytes.size();
    dut->s_axis_tvalid_i = 1;
  }
  static std::size_t beats(const Frame& bytes) {
    return (bytes.size() + kBeatBytes - 1) / kBeatBytes;
  }

  /// Takes the beat of m_axis, and compares a frame that ends with the oldest expected one.
  void take() {
    stream::take_beat(dut->m_axis_tdata_o, dut->m_axis_tkeep_o, dut->m_axis_tlast_o, kBeatBytes,
                      part);
    if (!dut->m_axis_tlast_o) return;
    while (any_may_be_lost && !expected.empty() && part != expected.front()) {
      expected.pop_front();
      ++skipped;
    }
    REQUIRE(!expected.empty());
    CHECK(part == expected.front());
    expected.pop_front();
    part.clear();
    ++received;
  }

  /// Sets what goes with a beat on s_axis besides its data, in a frame that is `bad` or not.
  virtual void mark(bool bad) { static_cast<void>(bad); }

  VerilatedContext context;
  std::unique_ptr<Model> dut = std::make_unique<Model>(&context);
  std::mt19937 random{kMacSeed};
  unsigned core = 4, mac = 4;  ///< rising edges of each clock in four steps, on average
  bool moved = false;          ///< a beat of s_axis was taken in the last step
  std::deque<Frame> expected;
  Frame part;
  unsigned received = 0;
  bool any_may_be_lost = false;  ///< frames expected before one that came out were lost
  unsigned skipped = 0;          ///< so many
};
