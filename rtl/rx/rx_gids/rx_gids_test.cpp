// SPDX-License-Identifier: Apache-2.0
// Datagrams to own addresses and to others, with the clocks that each takes.
#include <doctest/doctest.h>

#include "Vroci_rx_gids.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"
#include "rtl/common/test/row_bus.hpp"

namespace {

using roce::Fields;
using roce::kShapes;
using roce::shape;

constexpr unsigned kRows = 16;

struct Bench : roce::RowBus<Bench> {
  Dut<Vroci_rx_gids> dut;

  Bench() {
    for (unsigned i = 0; i < 2 * kRows; ++i) clock();
  }
  void clock() { dut.tick(); }

  /// Whether the frame is to an own address, and the clocks until that is known.
  std::pair<bool, unsigned> look(const Fields& f) {
    port::clear(dut->frame_i);
    for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i)
      port::put_byte(dut->frame_i, layout::rx_frame::dst_ip, i, f.dst_ip[i]);
    port::put(dut->frame_i, layout::rx_frame::ipv6, f.ipv6);
    port::put(dut->frame_i, layout::rx_frame::roce_v1, f.v1);
    port::put(dut->frame_i, layout::rx_frame::vlan, f.vlan);
    port::put(dut->frame_i, layout::rx_frame::vid, f.tci & 0xFFF);
    dut->look_i = 1;
    unsigned clocks = 0;
    for (dut.settle(); !dut->done_o && clocks < 100; dut.settle()) {
      dut.tick();
      ++clocks;
    }
    const bool found = dut->found_o;
    dut->next_i = 1;
    dut.tick();
    dut->next_i = 0;
    dut->look_i = 0;
    return {found, clocks};
  }
};

/// Address `n` of a shape.
Fields address(unsigned n) {
  Fields f = shape(n % kShapes);
  f.dst_ip[15] = static_cast<std::uint8_t>(n);
  return f;
}

}  // namespace

TEST_CASE("rx_gids: every row is found, and from then on at once (UD-07, UD-12)") {
  Bench bench;
  CHECK(!bench.look(address(0)).first);  // no row is in use after reset
  for (unsigned i = 0; i < kRows; ++i) bench.gid(i, address(i));
  for (unsigned n = 0; n < 3 * kRows; ++n) {
    const unsigned which = n * 7 % kRows;
    const auto [found, clocks] = bench.look(address(which));
    CHECK(found);
    CHECK(clocks <= kRows + 1);
    CHECK(bench.look(address(which)) == std::pair{true, 2u});
  }
  for (unsigned i = 0; i < kRows; ++i) {
    bench.gid(i, address(i), false);
    bench.clock();  // a row counts a clock after it was written
    CHECK(bench.look(address(i)) == std::pair{false, kRows + 1});
  }
}

TEST_CASE("rx_gids: address, IP version, RoCE version and VLAN count, the priority does not") {
  Bench bench;
  for (unsigned i = 0; i < kShapes; ++i) bench.gid(i, address(i));
  for (unsigned i = 0; i < kShapes; ++i) {
    for (unsigned bit = address(i).ipv6 ? 0 : 96; bit < 128; ++bit) {
      Fields f = address(i);
      f.dst_ip[bit / 8] ^= static_cast<std::uint8_t>(0x80 >> bit % 8);
      CHECK(!bench.look(f).first);
    }
    Fields f = address(i);
    f.vlan = !f.vlan;
    CHECK(!bench.look(f).first);
    f = address(i);
    f.tci ^= 0xE000;
    CHECK(bench.look(f).first);
    f.tci ^= 1;
    CHECK(bench.look(f).first == !f.vlan);
    f = address(i);
    f.v1 = !f.v1;
    CHECK(!bench.look(f).first);
  }
  // An address of the other version of IP that looks alike.
  Fields mapped = address(2);
  mapped.dst_ip = address(0).dst_ip;
  CHECK(!bench.look(mapped).first);
  mapped.dst_ip[10] = mapped.dst_ip[11] = 0xFF;
  CHECK(!bench.look(mapped).first);
}
