// SPDX-License-Identifier: Apache-2.0
// Read data that come in any order.
#include <doctest/doctest.h>

#include <deque>
#include <random>

#include "Vroci_dma_tags.h"
#include "rtl/common/test/dut.hpp"

namespace {

// As in block.cmake.
constexpr unsigned kTags = 8, kRows = 32, kMaxRows = 12;

struct Read {
  unsigned tag, row, rows, info, arrived, drained;
  bool there;  // no beat comes
};

TEST_CASE("dma_tags: reads whose data come in any order leave in order, row by row, at once") {
  std::mt19937 random(7);
  MESSAGE("seed 7");
  Dut<Vroci_dma_tags> dut;
  std::deque<Read> reads;  // outstanding
  unsigned next_row = 0, drained = 0, full = 0;
  for (int i = 0; i < 40000; ++i) {
    unsigned used = 0;
    for (const Read& read : reads) used += read.rows - read.drained;
    // The head is that of the model.
    const bool there = !reads.empty() && reads[0].arrived >= reads[0].drained + 1;
    REQUIRE(dut->head_valid_o == there);
    REQUIRE(dut->empty_o == reads.empty());
    REQUIRE(dut->alloc_ready_o == (reads.size() < kTags && used <= kRows - kMaxRows));
    full += !dut->alloc_ready_o;
    if (there) {
      REQUIRE(dut->head_row_o == (reads[0].row + reads[0].drained) % kRows);
      REQUIRE(dut->head_first_o == (reads[0].drained == 0));
      REQUIRE(dut->head_last_o == (reads[0].drained + 1 == reads[0].rows));
      REQUIRE(dut->head_info_o == reads[0].info);
      REQUIRE(dut->head_there_o == reads[0].there);
      REQUIRE(dut->head_index_o == reads[0].drained);
    }
    dut->pop_i = there && random() % 3;
    // A beat of any outstanding read.
    dut->beat_i = 0;
    std::size_t at = reads.empty() ? 0 : random() % reads.size();
    while (at < reads.size() && reads[at].arrived == reads[at].rows) ++at;
    if (at < reads.size() && random() % 4) {
      dut->beat_i = 1;
      dut->beat_tag_i = reads[at].tag;
      dut->beat_last_i = reads[at].arrived + 1 == reads[at].rows;
      dut.settle();
      REQUIRE(dut->beat_row_o == (reads[at].row + reads[at].arrived) % kRows);
      ++reads[at].arrived;
    }
    dut->alloc_i = dut->alloc_ready_o && random() % 3 == 0;
    if (dut->alloc_i) {
      const unsigned rows = 1 + random() % kMaxRows;
      dut->alloc_rows_i = rows;
      dut->alloc_info_i = random() & 15;
      const bool data_there = random() % 4 == 0;
      dut->alloc_there_i = data_there;
      reads.push_back({dut->alloc_tag_o, next_row, rows, dut->alloc_info_i, data_there ? rows : 0,
                       0, data_there});
      next_row = (next_row + rows) % kRows;
    }
    if (dut->pop_i) {
      ++drained;
      if (++reads[0].drained == reads[0].rows) reads.pop_front();
    }
    dut.tick();
  }
  CHECK(drained > 5000);
  CHECK(full > 1000);
}

}  // namespace
