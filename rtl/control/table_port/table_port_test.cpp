// SPDX-License-Identifier: Apache-2.0
// The row bus: one row a clock, changes of state first, nothing lost.
#include <Vroci_table_port.h>
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "model/spec/context.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace spec = roci::spec;

namespace {
constexpr unsigned kKeys = 32;  // as in block.cmake
constexpr std::uint32_t kGo = 1u << 31, kWrite = 1u << 30;
constexpr unsigned kQpState = 2, kKey = 3;
}  // namespace

TEST_CASE("table_port: rows and changes of state share the bus") {
  Dut<Vroci_table_port> dut;
  std::mt19937 random(9);
  std::vector<std::pair<unsigned, unsigned>> rows, changes;  // index, lowest word
  unsigned sent_changes = 0, sent_rows = 0;
  for (int i = 0; i < 4000; ++i) {
    dut->change_valid_i = random() % 2;
    dut->change_qpn_i = sent_changes % 16;
    dut->change_state_i = sent_changes % 7;
    const bool busy = dut->command_o >> 31;
    dut->command_i = 0;
    dut->data_i = 0;
    if (!busy && i % 3 == 0) {
      dut->data_i = 1;
      dut->data_word_i = 0;
      dut->word_i = sent_rows;
    } else if (!busy && i % 3 == 1) {
      dut->command_i = 1;
      dut->word_i = kGo | kWrite | kKey << 24 | sent_rows++ % kKeys;
    }
    sent_changes += dut->change_valid_i;
    dut.tick();
    if (dut->row_write_valid_o) {
      auto& list = port::get(dut->row_write_o, bus::kRowTable) == kQpState ? changes : rows;
      if (port::get(dut->row_write_o, bus::kRowTable) != kQpState)
        CHECK(port::get(dut->row_write_o, bus::kRowTable) == kKey);
      list.emplace_back(port::get(dut->row_write_o, bus::kRowIndex),
                        static_cast<unsigned>(port::get(dut->row_write_o, 0, 32)));
    }
  }
  REQUIRE(changes.size() == sent_changes);
  for (unsigned i = 0; i < changes.size(); ++i) {
    CHECK(changes[i] == std::pair<unsigned, unsigned>{i % 16, i % 7});
  }
  CHECK(rows.size() + 1 >= sent_rows);
  CHECK(rows.size() > 300);
  for (unsigned i = 0; i < rows.size(); ++i) CHECK(rows[i].first == i % kKeys);
}

TEST_CASE("table_port: an unknown table ends at once and reads 0") {
  Dut<Vroci_table_port> dut;
  for (unsigned table = 10; table < 16; ++table) {
    for (const std::uint32_t write : {0u, kWrite}) {
      dut->command_i = 1;
      dut->word_i = kGo | write | table << 24 | 1;
      dut.tick();
      dut->command_i = 0;
      for (int i = 0; i < 6; ++i) {
        CHECK(dut->row_write_valid_o == 0);
        dut.tick();
      }
      CHECK((dut->command_o >> 31) == 0);
      CHECK(dut->idle_o == 1);
    }
  }
}
