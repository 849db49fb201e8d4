// SPDX-License-Identifier: Apache-2.0
// The row bus: one row a clock, changes of state first, nothing lost.
#include <Vroci_table_port.h>
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/registers.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

namespace command = layout::reg::table_command;
using layout::Table;

constexpr unsigned kKeys = 32, kQps = 16, kGids = 16;  // as in block.cmake
constexpr unsigned kAttachments = 256;
constexpr std::uint32_t kGo = layout::mask(command::go), kWrite = layout::mask(command::write);

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
    const bool busy = dut->command_o & kGo;
    dut->command_i = 0;
    dut->data_i = 0;
    if (!busy && i % 3 == 0) {
      dut->data_i = 1;
      dut->data_word_i = 0;
      dut->word_i = sent_rows;
    } else if (!busy && i % 3 == 1) {
      dut->command_i = 1;
      dut->word_i = kGo | kWrite | layout::bits(command::table_id, Table::kKey) |
                    layout::bits(command::row, sent_rows++ % kKeys);
    }
    sent_changes += dut->change_valid_i;
    dut.tick();
    if (dut->row_write_valid_o) {
      const auto get = [&](auto field) { return port::get(dut->row_write_o, field); };
      const Table table{get(layout::row_write::table_id)};
      const unsigned index = get(layout::row_write::index);
      if (table == Table::kQpState) {
        changes.emplace_back(index, get(layout::qp_state::state));
      } else {
        CHECK(table == Table::kKey);
        rows.emplace_back(index, port::get(dut->row_write_o, 0, 32));
      }
    }
  }
  REQUIRE(changes.size() == sent_changes);
  for (unsigned i = 0; i < changes.size(); ++i) {
    CHECK(changes[i] == std::pair<unsigned, unsigned>{i % 16, i % 7});
  }
  CHECK(rows.size() + 1 >= sent_rows);
  CHECK(rows.size() > 200);  // a copy takes ten clocks
  for (unsigned i = 0; i < rows.size(); ++i) CHECK(rows[i].first == i % kKeys);
}

TEST_CASE("table_port: a row on the bus has the words of TableData, the last one just written") {
  Dut<Vroci_table_port> dut;
  std::mt19937 random(10);
  std::array<std::uint32_t, 16> words{};
  unsigned rows = 0;
  for (int i = 0; i < 500; ++i) {
    for (unsigned left = random() % 4; left-- != 0;) {
      dut->data_i = 1;
      dut->data_word_i = random() % 16;
      dut->word_i = random();
      words[dut->data_word_i] = dut->word_i;
      dut.tick();
    }
    dut->data_i = 0;
    const std::uint32_t write = random() % 8 != 0 ? kWrite : 0;
    if (write == 0) words = {};  // a command that reads begins with zeros
    dut->command_i = 1;
    dut->word_i = kGo | write | layout::bits(command::table_id, Table::kAv) |
                  layout::bits(command::row, random() % kQps);
    dut.tick();
    dut->command_i = 0;
    for (int clocks = 0; clocks < 6; ++clocks) {
      if (dut->row_write_valid_o) {
        ++rows;
        for (unsigned w = 0; w < 16; ++w) {
          CHECK(port::get(dut->row_write_o, 32 * w, 32) == words[w]);
        }
      }
      dut.tick();
    }
  }
  CHECK(rows > 400);
}

TEST_CASE("table_port: rows that are written only go on the row bus when they are in range") {
  Dut<Vroci_table_port> dut;
  const auto command_of = [&](Table table, unsigned row, unsigned write) {
    dut->command_i = 1;
    dut->word_i = kGo | write | layout::bits(command::table_id, layout::number(table)) |
                  layout::bits(command::row, row);
    dut.tick();
    dut->command_i = 0;
    unsigned rows = 0;
    for (int i = 0; i < 6; ++i) {
      if (dut->row_write_valid_o != 0) {
        ++rows;
        CHECK(port::get(dut->row_write_o, layout::row_write::index) == row);
        CHECK(Table{port::get(dut->row_write_o, layout::row_write::table_id)} == table);
      }
      dut.tick();
    }
    CHECK(dut->idle_o == 1);
    return rows;
  };
  // Table, rows
  for (const auto& [table, rows] : {std::pair{Table::kQpService, kQps},
                                    {Table::kAv, kQps},
                                    {Table::kAh, kQps},
                                    {Table::kGid, kGids},
                                    {Table::kMulticast, kAttachments}}) {
    for (const unsigned row : {0u, 1u, rows - 1}) {
      CHECK(command_of(table, row, kWrite) == 1);
      CHECK(command_of(table, row, 0) == 0);
    }
    for (const unsigned row : {rows, 0x10000u, 0xFFFFFFu}) {
      CHECK(command_of(table, row, kWrite) == 0);
    }
  }
}

TEST_CASE("table_port: an unknown table ends at once and reads 0") {
  Dut<Vroci_table_port> dut;
  for (unsigned table = layout::number(Table::kMulticast) + 1; table < 16; ++table) {
    for (const std::uint32_t write : {0u, kWrite}) {
      dut->command_i = 1;
      dut->word_i =
          kGo | write | layout::bits(command::table_id, table) | layout::bits(command::row, 1);
      dut.tick();
      dut->command_i = 0;
      for (int i = 0; i < 6; ++i) {
        CHECK(dut->row_write_valid_o == 0);
        dut.tick();
      }
      CHECK((dut->command_o & kGo) == 0);
      CHECK(dut->idle_o == 1);
    }
  }
}

TEST_CASE("table_port: TableData reads as it was written or loaded, and 0 where nothing was") {
  Dut<Vroci_table_port> dut;
  std::mt19937 random(11);
  std::array<std::uint32_t, 16> words{};
  const auto compare = [&] {
    for (unsigned i = 0; i < words.size(); ++i) {
      dut->read_i = 1;
      dut->read_word_i = i;
      dut.tick();
      dut->read_i = 0;
      dut->read_word_i = ~i & 15;  // the word that was read stays
      dut.tick();
      CHECK(dut->read_data_o == words[i]);
    }
  };
  const auto command = [&](Table table, std::uint32_t write) {
    dut->command_i = 1;
    dut->word_i = kGo | write | layout::bits(command::table_id, layout::number(table));
    dut.tick();
    dut->command_i = 0;
    dut.tick();
    dut.tick();
    if (!write) words.fill(0);  // a command that reads begins with a row of 0
  };
  compare();
  for (unsigned turn = 0; turn < 20; ++turn) {
    for (unsigned n = 0; n < 1 + turn; ++n) {
      const unsigned i = random() % words.size();
      dut->data_i = 1;
      dut->data_word_i = i;
      dut->word_i = words[i] = random();
      dut.tick();
      dut->data_i = 0;
    }
    compare();
    if (turn % 4 == 1) {
      const bool write = turn % 8 == 1;
      command(Table::kQpState, write ? kWrite : 0);
      dut->state_i = 1 + turn % 6;
      if (!write) words[0] = dut->state_i;
      dut->state_done_i = 1;
      dut.tick();
      dut->state_done_i = 0;
      for (int i = 0; i < 4; ++i) dut.tick();
      compare();
    } else if (turn % 4 == 3) {  // counters come in pairs
      command(Table::kQpCounters, 0);
      for (unsigned pair = 0; pair < 4; ++pair) {
        dut->count_pair_i = 1;
        dut->count_index_i = pair;
        for (unsigned w = 0; w < 4; ++w) {
          const std::uint32_t word = random();
          port::put(dut->count_data_i, 32 * w, 32, word);
          if (RTL_QpCounters) words[4 * pair + w] = word;
        }
        dut->count_done_i = pair == 3;
        dut.tick();
      }
      dut->count_pair_i = dut->count_done_i = 0;
      compare();
    }
    CHECK((dut->command_o & kGo) == 0);
  }
}
