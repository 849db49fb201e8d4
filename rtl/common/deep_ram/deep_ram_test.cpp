// SPDX-License-Identifier: Apache-2.0
// What a reset clears, and reads and writes against a model.
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "Vroci_deep_ram.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kDepth = 16;

void reset(Dut<Vroci_deep_ram>& dut) {
  dut->rst_ni = 0;
  dut.tick();
  dut->rst_ni = 1;
  dut->write_i = 0;
  dut.settle();
}

void write(Dut<Vroci_deep_ram>& dut, unsigned row, std::uint32_t data) {
  dut->write_i = 1;
  dut->write_row_i = row;
  dut->write_data_i = data;
  dut.tick();
  dut->write_i = 0;
}

std::uint32_t read(Dut<Vroci_deep_ram>& dut, unsigned row) {
  dut->read_i = 1;
  dut->read_row_i = row;
  dut.tick();
  dut->read_i = 0;
  return dut->read_data_o;
}

/// Clocks until the memory is ready.
unsigned wait(Dut<Vroci_deep_ram>& dut) {
  unsigned clocks = 0;
  for (; !dut->ready_o && clocks < 100; ++clocks) dut.tick();
  return clocks;
}

void check_zero(Dut<Vroci_deep_ram>& dut) {
  for (unsigned row = 0; row < kDepth; ++row) CHECK(read(dut, row) == 0);
}

}  // namespace

TEST_CASE("deep_ram: is zero, and ready after a clock, when no row was written") {
  Dut<Vroci_deep_ram> dut;
  dut->write_i = 0;
  CHECK(wait(dut) == 1);
  check_zero(dut);
  reset(dut);
  CHECK(wait(dut) == 1);
  check_zero(dut);
}

TEST_CASE("deep_ram: a write in the clock after the first reset is lost") {
  Dut<Vroci_deep_ram> dut;
  write(dut, 3, 7);
  CHECK(dut->ready_o);
  check_zero(dut);
  reset(dut);
  CHECK(wait(dut) == kDepth);
  check_zero(dut);
}

TEST_CASE("deep_ram: a reset clears every row that was written, one per clock, each time") {
  Dut<Vroci_deep_ram> dut;
  wait(dut);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned row = 0; row < kDepth; ++row) write(dut, row, 0xDEAD0000 + row);
    CHECK(read(dut, 5) == 0xDEAD0005);
    reset(dut);
    CHECK_FALSE(dut->ready_o);
    CHECK(wait(dut) == kDepth);
    check_zero(dut);
  }
}

TEST_CASE("deep_ram: a reset of one clock clears the first row that is written in that clock") {
  for (unsigned row = 0; row < kDepth; ++row) {
    Dut<Vroci_deep_ram> dut;
    wait(dut);
    dut->write_i = 1;
    dut->write_row_i = row;
    dut->write_data_i = 7;
    reset(dut);
    wait(dut);
    check_zero(dut);
  }
}

TEST_CASE("deep_ram: a reset while rows are cleared starts with the first one, and loses writes") {
  Dut<Vroci_deep_ram> dut;
  wait(dut);
  for (unsigned row = 0; row < kDepth; ++row) write(dut, row, ~row);
  reset(dut);
  for (unsigned row = 0; row < kDepth / 2; ++row) write(dut, row, ~row);
  reset(dut);
  CHECK(wait(dut) == kDepth);
  check_zero(dut);
}

TEST_CASE("deep_ram: reads what was written, in the same clock too, and holds it") {
  Dut<Vroci_deep_ram> dut;
  wait(dut);
  std::array<std::uint32_t, kDepth> content{};
  std::mt19937 random(1);
  std::uint32_t shown = 0;
  bool known = false;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 500 == 0) {
      reset(dut);
      wait(dut);
      content = {};
      known = false;
    }
    dut->write_i = random() & 1;
    dut->write_row_i = random() % kDepth;
    dut->write_data_i = random();
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
