// SPDX-License-Identifier: Apache-2.0
// Windows of PSNs against numbers that do not wrap.
#include <Vroci_psn_window.h>
#include <doctest/doctest.h>

#include <cstdio>
#include <random>

TEST_CASE("psn_window: RQ-16, RQ-22: what counts as in flight, over the wrap of 2^24") {
  Vroci_psn_window dut;
  auto inside = [&](unsigned una, unsigned next, unsigned psn) {
    dut.una_i = una & 0xFFFFFF;
    dut.next_i = next & 0xFFFFFF;
    dut.psn_i = psn & 0xFFFFFF;
    dut.eval();
    return bool(dut.inside_o);
  };
  CHECK(inside(5, 8, 5));
  CHECK(inside(5, 8, 7));
  CHECK_FALSE(inside(5, 8, 8));
  CHECK_FALSE(inside(5, 8, 4));
  CHECK_FALSE(inside(5, 5, 5));
  CHECK(inside(0xFFFFFE, 2, 0xFFFFFF));
  CHECK(inside(0xFFFFFE, 2, 1));
  CHECK_FALSE(inside(0xFFFFFE, 2, 2));
  CHECK_FALSE(inside(0xFFFFFE, 2, 0xFFFFFD));
  CHECK_FALSE(inside(100, 200, 100 + 0x800000));

  std::printf("seed 7\n");
  std::mt19937 random(7);
  for (unsigned i = 0; i < 20000; ++i) {
    const unsigned una = random() & 0xFFFFFF;
    const unsigned flight = random() % 600;
    const int step = int(random() % 1300) - 350;
    CHECK(inside(una, una + flight, una + unsigned(step)) == (step >= 0 && step < int(flight)));
  }
}
