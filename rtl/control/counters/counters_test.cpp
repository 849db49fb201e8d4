// SPDX-License-Identifier: Apache-2.0
#include <Vroci_counters.h>
#include <doctest/doctest.h>

#include <random>

#include "model/spec/registers.hpp"
#include "rtl/common/test/dut.hpp"

namespace {
std::uint64_t read(Dut<Vroci_counters>& dut, unsigned select) {
  dut->select_i = select;
  dut->select_write_i = 1;
  dut.tick();
  dut->select_write_i = 0;
  dut.tick();
  CHECK(dut->select_o == select);
  return dut->value_o;
}
}  // namespace

TEST_CASE("counters: both sources of a drop cause count in the same clock") {
  Dut<Vroci_counters> dut;
  constexpr unsigned kGhost = 7;  // DropCause
  dut->drop_rx_i = 0x3FF;
  dut->drop_rq_i = 0x201;
  dut->drop_ghost_i = 1;
  for (int i = 0; i < 5; ++i) dut.tick();
  dut->drop_rx_i = 0;
  dut->drop_rq_i = 0;
  dut->drop_ghost_i = 0;
  for (unsigned cause = 0; cause < 10; ++cause) {
    CHECK(read(dut, cause) == (cause == 0 || cause == 9 || cause == kGhost ? 10 : 5));
  }
}

TEST_CASE("counters: a value stays as it was selected") {
  Dut<Vroci_counters> dut;
  dut->tx_frame_i = 1;
  dut->tx_bytes_i = 0x3FFF;
  constexpr unsigned kTxBytes = 13;
  std::uint64_t expect = 0;
  for (int i = 0; i < 1000; ++i) {
    dut.tick();
    expect += 0x3FFF;
  }
  CHECK(read(dut, kTxBytes) == expect + 0x3FFF);  // latched in the clock after the write
  for (int i = 0; i < 10; ++i) dut.tick();
  CHECK(dut->value_o == expect + 0x3FFF);
}
