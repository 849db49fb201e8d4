// SPDX-License-Identifier: Apache-2.0
// The sweep after reset, and reads and writes against a model.
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "Vroci_ram.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kDepth = 16;

void idle(Dut<Vroci_ram>& dut) {
  dut->write_i = 0;
  dut->read_i = 0;
  for (unsigned i = 0; i < 2 * kDepth; ++i) dut.tick();
}

std::uint32_t read(Dut<Vroci_ram>& dut, unsigned row) {
  dut->write_i = 0;
  dut->read_i = 1;
  dut->read_row_i = row;
  dut.tick();
  dut->read_i = 0;
  return dut->read_data_o;
}

}  // namespace

TEST_CASE("ram: reports when every row is cleared") {
  Dut<Vroci_ram> dut;
  dut->write_i = 0;
  dut->read_i = 0;
  unsigned clocks = 0;
  for (; !dut->ready_o && clocks < 100; ++clocks) dut.tick();
  CHECK(clocks <= kDepth);
  for (unsigned row = 0; row < kDepth; ++row) CHECK(read(dut, row) == 0);
}

TEST_CASE("ram: clears again after another reset") {
  Dut<Vroci_ram> dut;
  idle(dut);
  dut->write_i = 1;
  for (unsigned row = 0; row < kDepth; ++row) {
    dut->write_row_i = row;
    dut->write_data_i = 0xDEAD0000 + row;
    dut.tick();
  }
  CHECK(read(dut, 5) == 0xDEAD0005);
  dut->rst_ni = 0;
  dut.tick();
  dut->rst_ni = 1;
  dut.settle();
  CHECK_FALSE(dut->ready_o);
  idle(dut);
  for (unsigned row = 0; row < kDepth; ++row) CHECK(read(dut, row) == 0);
}

TEST_CASE("ram: reads what was written, in the same clock too, and holds it") {
  Dut<Vroci_ram> dut;
  idle(dut);
  std::array<std::uint32_t, kDepth> content{};
  std::mt19937 random(1);
  std::uint32_t shown = 0;
  bool known = false;
  for (int i = 0; i < 5000; ++i) {
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
