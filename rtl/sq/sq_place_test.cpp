// SPDX-License-Identifier: Apache-2.0
// Lists of READs, which are read again when the data comes.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: a list of a READ that cannot be read again ends its queue pair only") {
  Bench b;
  Attr a;
  a.stride = 1;
  Work lost = read_of(40), w = read_of(70, kDataBase + 1000);
  lost.list.push_back({kDataBase + 4000, 30});
  lost.list.push_back({kDataBase + 8000, 20});
  w.list.push_back({kDataBase + 5000, 10});
  w.list.push_back({kDataBase + 9000, 5});
  for (unsigned qp : {1u, 2u}) {
    b.connect(qp, a);
    for (unsigned i = 0; i < 100; ++i) b.peers[qp].memory[i] = std::uint8_t(i * 3 + qp);
  }
  b.post(1, lost);
  b.ring(1);
  while (b.sent.empty()) b.run(1);
  b.read_error = true;
  REQUIRE(b.until(1));
  CHECK(b.done[0].status == Status::kFatalErr);
  CHECK(b.done[0].vendor == VendorErr::kPlaceFetch);
  b.read_error = false;
  b.post(2, w);
  b.ring(2);
  REQUIRE(b.until(2));
  CHECK(b.done[1].status == Status::kSuccess);
  unsigned at = 0;
  for (const auto& entry : w.list) {
    CHECK(std::equal(b.memory.begin() + long(entry.addr),
                     b.memory.begin() + long(entry.addr + entry.length),
                     b.peers[2].memory.begin() + at));
    at += entry.length;
  }
  CHECK(b.wrong_places == 0);
  CHECK(b.fails == 1);
}
