// SPDX-License-Identifier: Apache-2.0
// Turns of the arbiter.
#include <doctest/doctest.h>

#include <random>

#include "Vroci_arbiter.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kClients = 4;

/// Index of the grant; checks that it is the first request after `last`.
int grant(Dut<Vroci_arbiter>& dut, unsigned requests, unsigned last, bool taken) {
  dut->request_i = requests;
  dut->taken_i = taken;
  dut.settle();
  int expected = -1;
  for (unsigned i = 1; i <= kClients && expected < 0; ++i) {
    if (requests >> (last + i) % kClients & 1) expected = (last + i) % kClients;
  }
  CHECK(dut->grant_o == (expected < 0 ? 0u : 1u << expected));
  CHECK(dut->index_o == (expected < 0 ? 0 : expected));
  dut.tick();
  return expected;
}

}  // namespace

TEST_CASE("arbiter: all requesters in turn when all request") {
  Dut<Vroci_arbiter> dut;
  unsigned last = kClients - 1;
  for (unsigned i = 0; i < 20; ++i) {
    last = grant(dut, 15, last, true);
    CHECK(last == i % kClients);
  }
}

TEST_CASE("arbiter: a grant that is not taken does not move") {
  Dut<Vroci_arbiter> dut;
  for (int i = 0; i < 5; ++i) CHECK(grant(dut, 0b1010, kClients - 1, false) == 1);
}

TEST_CASE("arbiter: the first request after the last one taken, for any requests") {
  Dut<Vroci_arbiter> dut;
  std::mt19937 random(1);
  unsigned last = kClients - 1;
  for (int i = 0; i < 5000; ++i) {
    const bool taken = random() & 1;
    const int got = grant(dut, random() & 15, last, taken);
    if (taken && got >= 0) last = got;
  }
}
