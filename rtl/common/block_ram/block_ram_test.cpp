// SPDX-License-Identifier: Apache-2.0
// Blocks written by beats, read by parts.
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "Vroci_block_ram.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kBlocks = RTL_Blocks, kPart = DATA_WIDTH < 128 ? 128 : DATA_WIDTH;
constexpr unsigned kLanes = kPart / DATA_WIDTH, kEntries = kPart / 128;

struct Beat {
  std::array<std::uint64_t, DATA_WIDTH / 64> words{};
  bool bad = false;
};

TEST_CASE("block_ram: what beats bring is read by parts, and a part that is read stays") {
  std::mt19937_64 random(11);
  MESSAGE("seed 11");
  Dut<Vroci_block_ram> dut;
  std::array<std::array<Beat, 512 / DATA_WIDTH>, kBlocks> model;
  bool known = false;
  std::array<Beat, kLanes> held;
  std::array<std::array<bool, 512 / DATA_WIDTH>, kBlocks> written{};
  for (int i = 0; i < 20000; ++i) {
    // The part that is read in this clock is written in none of its beats.
    dut->read_i = random() % 2;
    const unsigned read_block = random() % kBlocks, read_entry = random() % 4;
    dut->read_block_i = read_block;
    dut->read_entry_i = read_entry;
    const unsigned write_block = random() % kBlocks, write_entry = random() % 4;
    const bool same = read_block == write_block && read_entry / kEntries == write_entry / kEntries;
    const unsigned lanes = same ? 0 : random() % (1 << kLanes);
    dut->write_i = lanes;
    dut->write_block_i = write_block;
    dut->write_entry_i = write_entry;
    dut->write_bad_i = random() % 4 == 0;
    for (unsigned l = 0; l < kLanes; ++l) {
      Beat fresh;
      for (unsigned w = 0; w < fresh.words.size(); ++w) {
        fresh.words[w] = random();
        port::put(dut->write_data_i, DATA_WIDTH * l + 64 * w, 64, fresh.words[w]);
      }
      fresh.bad = dut->write_bad_i;
      if (lanes >> l & 1) {
        const unsigned at = write_entry / kEntries * kLanes + l;
        model[write_block][at] = fresh;
        written[write_block][at] = true;
      }
    }
    // What was read before stays until the next read.
    if (dut->read_i) {
      known = true;
      for (unsigned l = 0; l < kLanes; ++l) {
        const unsigned at = read_entry / kEntries * kLanes + l;
        known &= written[read_block][at];
        held[l] = model[read_block][at];
      }
    }
    dut.tick();
    if (!known) continue;
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned w = 0; w < DATA_WIDTH / 64; ++w)
        REQUIRE(port::get(dut->part_o, DATA_WIDTH * l + 64 * w, 64) == held[l].words[w]);
    REQUIRE(dut->bad_o == held[kLanes - 1].bad);
  }
}

}  // namespace
