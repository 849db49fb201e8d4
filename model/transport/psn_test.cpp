// SPDX-License-Identifier: Apache-2.0
#include "model/transport/psn.hpp"

#include <doctest/doctest.h>

#include <random>

using roci::transport::Psn;

TEST_CASE("psn: keeps 24 bits (QP-07)") {
  CHECK(Psn(0x1FFFFFF).value() == 0xFFFFFF);
  CHECK(Psn(0x1000000) == Psn(0));
  CHECK(Psn(1) != Psn(2));
}

TEST_CASE("psn: a message crosses the wrap (RQ-01)") {
  Psn psn(0xFFFFFD);
  CHECK((++psn).value() == 0xFFFFFE);
  CHECK((++psn).value() == 0xFFFFFF);
  CHECK((++psn).value() == 0);
  CHECK((psn - 3).value() == 0xFFFFFD);
  psn += 5;
  psn -= 6;
  CHECK(psn.value() == 0xFFFFFF);
}

TEST_CASE("psn: the duplicate region is 2^23 numbers, the future 2^23 - 1 (RSP-08)") {
  for (const std::uint32_t expected : {0u, 1u, 0x7FFFFFu, 0x800000u, 0xFFFFFFu}) {
    const Psn epsn(expected);
    CHECK_FALSE(epsn.before(epsn));
    CHECK_FALSE(epsn.after(epsn));
    CHECK((epsn - 1).before(epsn));
    CHECK((epsn - Psn::kHalf).before(epsn));
    CHECK((epsn + 1).after(epsn));
    CHECK((epsn + (Psn::kHalf - 1)).after(epsn));
    CHECK((epsn - Psn::kHalf).distance_from(epsn) == -0x800000);
    CHECK((epsn + (Psn::kHalf - 1)).distance_from(epsn) == 0x7FFFFF);
  }
}

TEST_CASE("psn: comparisons hold across the wrap (RSP-09)") {
  CHECK(Psn(0xFFFFFF).before(Psn(0)));
  CHECK(Psn(0).after(Psn(0xFFFFFF)));
  CHECK(Psn(2).distance_from(Psn(0xFFFFFE)) == 4);
  CHECK(Psn(0xFFFFFE).distance_from(Psn(2)) == -4);
  CHECK(Psn(2).steps_from(Psn(0xFFFFFE)) == 4);
}

TEST_CASE("psn: a window is [first, first + size)") {
  CHECK(Psn(5).in_window(Psn(5), 1));
  CHECK_FALSE(Psn(5).in_window(Psn(5), 0));
  CHECK_FALSE(Psn(4).in_window(Psn(5), 100));
  CHECK(Psn(1).in_window(Psn(0xFFFFFF), 3));
  CHECK_FALSE(Psn(2).in_window(Psn(0xFFFFFF), 3));
}

TEST_CASE("psn: distance undoes addition") {
  constexpr unsigned kSeed = 20240501;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 10000; ++i) {
    const Psn a(static_cast<std::uint32_t>(random()));
    const Psn b(static_cast<std::uint32_t>(random()));
    CHECK(a + b.steps_from(a) == b);
    CHECK(a + static_cast<std::uint32_t>(b.distance_from(a)) == b);
  }
}
