// SPDX-License-Identifier: Apache-2.0
// Port counters: two sources in a clock, and the latch.
#include <Vroci_counters.h>
#include <doctest/doctest.h>

#include <random>
#include <tuple>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using layout::DropCause;
using layout::PortCounter;
constexpr unsigned kCauses = layout::number(DropCause::kOutOfSequence) + 1;

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
  constexpr unsigned kFirst = layout::number(DropCause::kIcrc),
                     kGhost = layout::number(DropCause::kGhost),
                     kLast = layout::number(DropCause::kOutOfSequence), kDiscarded = 1u << kCauses,
                     kViolation = 1u << kCauses;
  dut->drop_rx_i = (1u << kCauses) - 1;
  dut->drop_rx_i |= kViolation;
  dut->drop_rq_i = 1u << kFirst | 1u << kLast | kDiscarded;
  dut->drop_ghost_i = 1;
  for (int i = 0; i < 5; ++i) dut.tick();
  dut->drop_rx_i = 0;
  dut->drop_rq_i = 0;
  dut->drop_ghost_i = 0;
  for (unsigned cause = 0; cause < kCauses; ++cause) {
    CHECK(read(dut, cause) == (cause == kFirst || cause == kLast || cause == kGhost ? 10 : 5));
  }
  CHECK(read(dut, layout::number(PortCounter::kDiscards)) == 5);
  CHECK(read(dut, layout::number(PortCounter::kQkeyViolations)) == 5);
  CHECK(read(dut, layout::number(PortCounter::kRxRoce)) == 0);
}

TEST_CASE("counters: a value stays as it was selected") {
  Dut<Vroci_counters> dut;
  port::put(dut->tx_stat_i, layout::frame_stat::ended, 1);
  port::put(dut->tx_stat_i, layout::frame_stat::bytes, 0x3FFF);
  constexpr unsigned kTxBytes = layout::number(PortCounter::kTxBytes);
  std::uint64_t expect = 0;
  for (int i = 0; i < 1000; ++i) {
    dut.tick();
    expect += 0x3FFF;
  }
  CHECK(read(dut, kTxBytes) == expect + 0x3FFF);  // latched in the clock after the write
  for (int i = 0; i < 10; ++i) dut.tick();
  CHECK(dut->value_o == expect + 0x3FFF);
}

TEST_CASE("counters: carries out of the low bits are kept, and each value is exact at any clock") {
  Dut<Vroci_counters> dut;
  std::mt19937 random{3};
  std::uint64_t expect[16] = {};
  for (int i = 0; i < 6000; ++i) {
    const bool dense = i / 1000 % 2;  // without a pause, or seldom
    const auto pulses = [&](unsigned mask) { return dense ? mask : random() & random() & mask; };
    dut->drop_rx_i = pulses((1u << kCauses) - 1);
    dut->drop_rq_i = pulses((1u << kCauses) - 1);
    dut->rx_ok_i = pulses(1);
    dut->rx_ethernet_i = pulses(1);
    for (auto [stat, frames, bytes] :
         {std::tuple{&dut->rx_stat_i, PortCounter::kRxFrames, PortCounter::kRxBytes},
          std::tuple{&dut->tx_stat_i, PortCounter::kTxFrames, PortCounter::kTxBytes}}) {
      const unsigned ended = pulses(1), length = dense ? 0x3FFF : random() & 0x3FFF;
      port::put(*stat, layout::frame_stat::ended, ended);
      port::put(*stat, layout::frame_stat::bytes, length);
      expect[layout::number(frames)] += ended;
      expect[layout::number(bytes)] += ended ? length : 0;
    }
    for (unsigned cause = 0; cause < kCauses; ++cause) {
      expect[cause] += (dut->drop_rx_i >> cause & 1) + (dut->drop_rq_i >> cause & 1);
    }
    expect[layout::number(PortCounter::kRxRoce)] += dut->rx_ok_i;
    expect[layout::number(PortCounter::kRxEthernet)] += dut->rx_ethernet_i;
    const unsigned select = random() % 16;
    dut->select_i = select;
    dut->select_write_i = 1;
    const std::uint64_t want = expect[select];
    dut.tick();
    dut->select_write_i = 0;
    dut->drop_rx_i = dut->drop_rq_i = 0;
    dut->rx_ok_i = dut->rx_ethernet_i = 0;
    port::put(dut->rx_stat_i, layout::frame_stat::ended, 0);
    port::put(dut->tx_stat_i, layout::frame_stat::ended, 0);
    dut.tick();
    CHECK(dut->value_o == want);
  }
}
