// SPDX-License-Identifier: Apache-2.0
// Segments into bursts within pages.
#include <doctest/doctest.h>

#include <random>

#include "Vroci_dma_split.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kBeat = DATA_WIDTH / 8;

struct Bursts {
  Dut<Vroci_dma_split> dut;

  /// Feeds one segment and checks that its bursts are its bytes, in order, within every limit.
  unsigned split(std::uint64_t addr, unsigned len, bool last) {
    dut->in_addr_i = addr;
    dut->in_len_i = len;
    dut->in_pasid_i = 0x54321;
    dut->in_last_i = last;
    dut->in_drop_i = 0;
    dut->in_valid_i = 1;
    dut->out_ready_i = 0;
    dut.settle();
    REQUIRE(dut->in_ready_o == 1);
    dut.tick();
    dut->in_valid_i = 0;
    unsigned count = 0;
    for (std::uint64_t at = addr; at < addr + len; ++count) {
      dut->out_ready_i = 1;
      dut.settle();
      REQUIRE(dut->out_valid_o == 1);
      REQUIRE(dut->out_pasid_o == 0x54321);
      REQUIRE(dut->out_addr_o % kBeat == 0);
      REQUIRE(dut->out_addr_o + dut->out_first_o == at);
      REQUIRE(dut->out_beats_o <= 256);
      const std::uint64_t end = dut->out_addr_o + std::uint64_t{kBeat} * dut->out_beats_o;
      REQUIRE(dut->out_addr_o / 4096 == (end - 1) / 4096);
      at = end - kBeat + dut->out_end_o + 1;
      REQUIRE(at <= addr + len);
      REQUIRE(dut->out_last_o == (last && at == addr + len));
      dut.tick();
    }
    REQUIRE(dut->out_valid_o == 0);
    return count;
  }
};

TEST_CASE("dma_split: segments at and around every boundary") {
  Bursts bursts;
  CHECK(bursts.split(0x1000, 4096, true) == (DATA_WIDTH == 64 ? 2 : 1));
  CHECK(bursts.split(0x1000, 1, true) == 1);
  CHECK(bursts.split(0x1FFF, 1, true) == 1);
  CHECK(bursts.split(0x1FFF, 2, false) == 2);
  CHECK(bursts.split(0x1FFF, 4096, true) == (DATA_WIDTH == 64 ? 3 : 2));
  CHECK(bursts.split(0xFFFF'FFFF'FFFF'F000, 4095, true) == (DATA_WIDTH == 64 ? 2 : 1));
}

TEST_CASE("dma_split: random segments") {
  std::mt19937 random(1);
  MESSAGE("seed 1");
  Bursts bursts;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t addr = std::uint64_t{random()} << 20 | random() % 0x100000;
    bursts.split(addr, 1 + random() % (i % 2 ? 200 : 4096), random() % 2);
  }
}

TEST_CASE("dma_split: one burst a clock from segment to segment; a dropped segment stays whole") {
  Bursts bursts;
  auto& dut = bursts.dut;
  dut->in_valid_i = 1;
  dut->in_len_i = 64;
  dut->out_ready_i = 1;
  for (unsigned i = 0; i < 20; ++i) {
    dut->in_addr_i = 0x4000 + 0x100 * i;
    dut.settle();
    REQUIRE(dut->in_ready_o == 1);
    if (i > 0) REQUIRE(dut->out_addr_o == 0x4000 + 0x100 * (i - 1));
    dut.tick();
  }
  dut->in_addr_i = 0xFF0;
  dut->in_len_i = 4096;
  dut->in_drop_i = 1;
  dut->in_last_i = 1;
  dut.tick();
  dut->in_valid_i = 0;
  CHECK(dut->out_drop_o == 1);
  CHECK(dut->out_last_o == 1);
  dut.tick();
  CHECK(dut->out_valid_o == 0);
}

}  // namespace
