// SPDX-License-Identifier: Apache-2.0
// Work requests that come with their doorbell.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: a work request that comes with its doorbell is not read from the queue") {
  for (const unsigned stride : {0u, 1u, 2u}) {
    CAPTURE(stride);
    Bench b;
    Attr a;
    a.stride = stride;
    b.connect(8, a);
    for (unsigned i = 0; i < 40; ++i) {
      Bytes data;
      for (unsigned k = 0; k < 1 + i; ++k) data.push_back(std::uint8_t(i * 3 + k));
      b.post_and_ring(8, stride == 0 ? write_of(16) : inline_send_of(data));
      REQUIRE(b.until(i + 1));
      if (stride != 0) CHECK(b.peers[8].sends.back() == data);
    }
    const bool fits = RTL_Posts && stride < 2;  // in two blocks
    CHECK(b.posted == (fits ? 40 : 0));
    CHECK((b.fetched == 0) == fits);
    CHECK(b.wrong_places == 0);
  }
}

TEST_CASE("sq: as many words as another size of work requests has are not taken") {
  for (const unsigned stride : {0u, 1u}) {
    CAPTURE(stride);
    Bench b;
    Attr a;
    a.stride = stride;
    b.connect(8, a);
    for (unsigned i = 0; i < 10; ++i) {
      b.post_and_ring(8, write_of(16 + i), 2 - stride);
      REQUIRE(b.until(i + 1));
      CHECK(b.sent.back().payload_len == 16 + i);
    }
    CHECK(b.posted == 0);
    CHECK(b.fetched != 0);
  }
}

TEST_CASE(
    "sq: posted with their doorbells or not, lost or not, work requests are executed in order") {
  MESSAGE("seed 9");
  Bench b;
  b.random.seed(9);
  b.loss = 0.03;
  Attr a;
  a.stride = 1;
  constexpr unsigned kFirst = 8, kUsed = 3, kEach = 120;
  std::vector<std::vector<Bytes>> wanted(kUsed);
  for (unsigned q = 0; q < kUsed; ++q) b.connect(kFirst + q, a);
  unsigned total = 0;
  for (unsigned i = 0; i < kEach; ++i) {
    for (unsigned q = 0; q < kUsed; ++q) {
      Bytes data;
      for (unsigned k = 0; k < 1 + (i + q) % 64; ++k) data.push_back(std::uint8_t(b.random()));
      wanted[q].push_back(data);
      const Work w = inline_send_of(std::move(data));
      if (b.random() % 4 == 0) {
        b.post(kFirst + q, w);
        b.ring(kFirst + q);
      } else {
        b.post_and_ring(kFirst + q, w);
      }
      ++total;
      b.run(unsigned(b.random() % 120));
    }
    if (i % 10 == 9) REQUIRE(b.until(total));
  }
  REQUIRE(b.until(total));
  for (unsigned q = 0; q < kUsed; ++q) CHECK(b.peers[kFirst + q].sends == wanted[q]);
  if (RTL_Posts) CHECK(b.posted > total / 8);
  CHECK(b.fetched > 0);
  CHECK(b.wrong_places == 0);
}
