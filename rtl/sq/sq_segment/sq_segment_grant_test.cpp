// SPDX-License-Identifier: Apache-2.0
// What is read for a grant, where it ends, and how large the next one may be.
#include <doctest/doctest.h>

#include "rtl/sq/sq_segment/sq_segment_rig.hpp"

using namespace sq_segment_rig;

TEST_CASE("sq_segment: reads of a grant end at multiples of 16 blocks") {
  Rig r(3, 1, 7);  // two blocks for a work request
  for (unsigned i = 0; i < 40; ++i) r.post(i, {WrOp::kWrite, {{0x5000 + i, i + 1}}});
  r.grant(3, 32);
  r.settle();
  constexpr unsigned kMost = RTL_Blocks / 4 / 2;  // a quarter of the buffer
  if (kMost < 32) {
    CHECK(r.reads == std::vector<unsigned>{10, 16, 6});
  } else {
    CHECK(r.reads == std::vector<unsigned>{10, 16, 16, 16, 6});
  }
  REQUIRE(r.plans.size() == kMost);
  for (unsigned i = 0; i < kMost; ++i) {
    CHECK(r.plans[i].index == 3 + i);
    CHECK(r.plans[i].len == 4 + i);
  }
  CHECK(r.pointers[0].index == 3 + kMost);
  CHECK(r.pointers[0].less == 0);
}

TEST_CASE("sq_segment: a grant takes no more than a quarter of the buffer") {
  Rig r(3, 2, 6);  // four blocks for a work request
  for (unsigned i = 0; i < 32; ++i) r.post(i, {WrOp::kWrite, {{0x5000, i + 1}}});
  r.grant(0, 32);
  r.settle();
  CHECK(r.blocks_read == RTL_Blocks / 4);
  CHECK(r.plans.size() == RTL_Blocks / 16);
  CHECK(r.pointers[0].index == RTL_Blocks / 16);
}

TEST_CASE("sq_segment: a grant ends after eight READs, and the next one has as many") {
  Rig r;
  for (unsigned i = 0; i < 12; ++i) r.post(i, {i == 3 ? WrOp::kWrite : WrOp::kRead, {{0x5000, 8}}});
  r.grant(0, 12);
  r.settle();
  CHECK(r.plans.size() == 9);  // a WRITE does not count
  CHECK(r.pointers[0].index == 9);
  CHECK(r.pointers[0].less == 2);
  r.grant(9, 3, 0, 2);
  r.settle();
  CHECK(r.plans.size() == 12);
  CHECK(r.pointers[1].index == 12);
  CHECK(r.pointers[1].less == 2);
}

TEST_CASE("sq_segment: a grant that ends early is followed by a small one") {
  Rig r;
  r.post(0, {WrOp::kWrite, {{0x5000, 16384}}});
  r.post(1, {WrOp::kWrite, {{0x5000, 16384}}});
  r.grant(0, 2);
  r.settle();
  CHECK(r.pointers[0].index == 1);
  CHECK(r.pointers[0].less == 3);
  r.grant(1, 1, 0, 2);  // its last work request ends with the quantum
  r.settle();
  CHECK(r.pointers[1].index == 2);
  CHECK(r.pointers[1].less == 0);
}

TEST_CASE("sq_segment: what follows a grant that ended early waits for its own blocks") {
  Rig r(3, 0, 6);
  constexpr unsigned kDropped = 30;
  r.post(0, {WrOp::kWrite, {}, 100, true});  // inline data beyond its entry: it ends the grant
  for (unsigned i = 1; i < 40; ++i) r.post(i, {WrOp::kWrite, {{0x5000, 100 + i}}});
  r.grant(0, kDropped);
  r.grant(1, 8, 0, 2);
  r.settle();
  REQUIRE(r.plans.size() == 1 + 8);
  CHECK(r.plans[0].status != Status::kSuccess);
  CHECK(r.pointers[0].index == 1);
  for (unsigned i = 1; i < r.plans.size(); ++i) {
    CHECK(r.plans[i].index == i);
    CHECK(r.plans[i].len == 100 + i);
  }
}
