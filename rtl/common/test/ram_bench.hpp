// SPDX-License-Identifier: Apache-2.0
// A memory of the RTL (ports write_*, read_*, ready_o) against an array of C++.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>

#include "rtl/common/test/dut.hpp"

template <typename Model, unsigned kDepth, unsigned kWidth = 32>
struct RamBench {
  Dut<Model> dut;

  RamBench() {
    dut->write_i = 0;
    dut->read_i = 0;
  }

  /// A reset of one clock, with what is on the ports in that clock.
  void reset() {
    dut->rst_ni = 0;
    dut.tick();
    dut->rst_ni = 1;
    dut->write_i = 0;
    dut.settle();
  }

  void write(unsigned row, std::uint64_t data) {
    dut->write_i = 1;
    dut->write_row_i = row;
    dut->write_data_i = data;
    dut.tick();
    dut->write_i = 0;
  }

  std::uint64_t read(unsigned row) {
    dut->read_i = 1;
    dut->read_row_i = row;
    dut.tick();
    dut->read_i = 0;
    return dut->read_data_o;
  }

  /// Clocks until the memory is ready.
  unsigned wait() {
    unsigned clocks = 0;
    for (; !dut->ready_o && clocks < 100; ++clocks) dut.tick();
    return clocks;
  }

  void check_zero() {
    for (unsigned row = 0; row < kDepth; ++row) CHECK(read(row) == 0);
  }

  /// Reads and writes, many of them of one row, with a reset in one of `resets` clocks; 0: none.
  void any_traffic(unsigned clocks, unsigned resets) {
    std::array<std::uint64_t, kDepth> content{};
    std::mt19937_64 random(1);
    std::uint64_t shown = 0;
    bool known = false;
    for (unsigned i = 0; i < clocks; ++i) {
      if (resets != 0 && random() % resets == 0) {
        reset();
        wait();
        content = {};
        known = false;
      }
      dut->write_i = random() & 1;
      dut->write_row_i = random() % kDepth;
      dut->write_data_i = random() >> (64 - kWidth);
      dut->read_i = random() % 3 != 0;
      dut->read_row_i = random() % 3 ? random() % kDepth : dut->write_row_i;
      if (dut->write_i) content[dut->write_row_i] = dut->write_data_i;
      if (dut->read_i) {
        shown = content[dut->read_row_i];
        known = true;
      }
      dut.tick();
      if (known) CHECK(dut->read_data_o == shown);
    }
  }
};
