// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "Vroci_flags.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kDepth = 16;
constexpr unsigned kWords = 4;

void reset(Dut<Vroci_flags>& dut) {
  dut->set_i = 0;
  dut->clear_i = 0;
  dut->rst_ni = 0;
  dut.tick();
  dut->rst_ni = 1;
  dut.settle();
}

unsigned sweep(Dut<Vroci_flags>& dut) {
  unsigned clocks = 0;
  for (; !dut->ready_o && clocks < 100; ++clocks) dut.tick();
  return clocks;
}

bool flag(Dut<Vroci_flags>& dut, unsigned row) {
  dut->read_row_i = row;
  dut.settle();
  return dut->flag_o;
}

void set(Dut<Vroci_flags>& dut, unsigned row) {
  dut->set_i = 1;
  dut->set_row_i = row;
  dut.tick();
  dut->set_i = 0;
}

void clear(Dut<Vroci_flags>& dut, unsigned row) {
  dut->clear_i = 1;
  dut->clear_row_i = row;
  dut.tick();
  dut->clear_i = 0;
}

}  // namespace

TEST_CASE("flags: are 0 during and after the sweep of reset, one clock a word") {
  Dut<Vroci_flags> dut;
  reset(dut);
  for (unsigned row = 0; row < kDepth; ++row) CHECK_FALSE(flag(dut, row));
  CHECK(sweep(dut) == kWords);
  for (unsigned row = 0; row < kDepth; ++row) CHECK_FALSE(flag(dut, row));
}

TEST_CASE("flags: another reset clears what was set") {
  Dut<Vroci_flags> dut;
  reset(dut);
  sweep(dut);
  for (unsigned row = 0; row < kDepth; ++row) set(dut, row);
  for (unsigned row = 0; row < kDepth; ++row) CHECK(flag(dut, row));
  reset(dut);
  sweep(dut);
  for (unsigned row = 0; row < kDepth; ++row) CHECK_FALSE(flag(dut, row));
}

TEST_CASE("flags: setting a flag twice sets it, clearing it twice clears it") {
  Dut<Vroci_flags> dut;
  reset(dut);
  sweep(dut);
  set(dut, 3);
  set(dut, 3);
  CHECK(flag(dut, 3));
  CHECK_FALSE(flag(dut, 2));
  clear(dut, 3);
  clear(dut, 3);
  CHECK_FALSE(flag(dut, 3));
  set(dut, 3);
  CHECK(flag(dut, 3));
}

TEST_CASE("flags: equal registers for random orders, set wins over clear") {
  Dut<Vroci_flags> dut;
  reset(dut);
  sweep(dut);
  std::array<bool, kDepth> expected{};
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    dut->set_i = random() % 3 == 0;
    dut->set_row_i = random() % kDepth;
    dut->clear_i = random() % 3 == 0;
    dut->clear_row_i = random() % 4 ? random() % kDepth : dut->set_row_i;
    const unsigned row = random() % kDepth;
    CHECK(flag(dut, row) == expected[row]);
    if (dut->clear_i) expected[dut->clear_row_i] = false;
    if (dut->set_i) expected[dut->set_row_i] = true;
    dut.tick();
  }
}
