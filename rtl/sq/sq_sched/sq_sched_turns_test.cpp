// SPDX-License-Identifier: Apache-2.0
// Turns of queue pairs, and how large their grants are.
#include <doctest/doctest.h>

#include <vector>

#include "rtl/sq/sq_sched/sq_sched_rig.hpp"

using namespace sq_sched_rig;

TEST_CASE("sq_sched: queue pairs take turns") {
  Rig r;
  for (unsigned q = 0; q < 4; ++q) r.connect(q);
  for (unsigned q = 0; q < 4; ++q) r.ring(q, 200);
  std::vector<unsigned> index(4);
  std::size_t seen = 0;
  for (unsigned i = 0; i < 400 && seen < 40; ++i) {
    r.tick();
    while (seen < r.grants.size()) {
      const Grant g = r.grants[seen++];
      CHECK(g.qpn == (seen - 1) % 4);
      CHECK(g.index == index[g.qpn]);
      index[g.qpn] += 5;
      r.segmented({g.qpn, g.epoch, index[g.qpn], 0, true});
    }
  }
  CHECK(seen >= 40);
}

TEST_CASE("sq_sched: the pointers say how many work requests a grant has at most") {
  Rig r;
  r.connect(4);
  unsigned index = 0, granted = 0;
  r.ring(4, 100);
  const auto next = [&](unsigned most) {
    r.run(10);
    REQUIRE(r.grants.size() == ++granted);
    CHECK(r.grants.back().count == most);
    index += most;
  };
  next(32);
  for (const auto& [less, most] : {std::pair{3u, 4u}, {2u, 8u}, {1u, 16u}, {0u, 32u}}) {
    r.segmented({4, 1, index, 0, true, less});
    next(most);
  }
  r.set({4, 2, index, 0, true, 1});  // the requester: half as many,
  r.segmented({4, 1, index, 0, true, 0});
  r.run(10);
  CHECK(r.grants.back().count == 8);  // no more are posted
  r.ring(4, 140);
  r.segmented({4, 2, 100, 0, true, 3});
  r.run(10);
  CHECK(r.grants.back().count == 4);
  r.set({4, 3, 104, 0, true, 1});  // but no more than there were
  r.segmented({4, 2, 104, 0, true, 0});
  r.run(10);
  CHECK(r.grants.back().count == 4);
  r.state(4, QpState::kReset);
  r.connect(4);
  r.ring(4, 100);
  r.segmented({4, 3, 108, 0, true, 3});  // the grant of before
  r.run(10);
  CHECK(r.grants.back().index == 0);
  CHECK(r.grants.back().count == 32);
}

TEST_CASE("sq_sched: grants that are not taken wait, and none is lost") {
  Rig r;
  for (unsigned q = 0; q < kQps; ++q) r.connect(q);
  r.dut->grant_ready_i = 0;
  for (unsigned q = 0; q < kQps; ++q) r.ring(q, 1);
  r.run(100);
  r.dut->grant_ready_i = 1;
  r.run(100);
  REQUIRE(r.grants.size() == kQps);
  for (unsigned q = 0; q < kQps; ++q) CHECK(r.grants[q].qpn == q);
}

TEST_CASE("sq_sched: a doorbell is granted after the queue pairs that wait") {
  Rig r;
  for (unsigned q = 0; q < kQps; ++q) r.connect(q);
  r.dut->grant_ready_i = 0;
  for (unsigned q = 0; q < kQps - 1; ++q) r.ring(q, 1);
  r.run(100);
  r.dut->grant_ready_i = 1;
  r.run(6);  // grants have room again, and queue pairs wait
  CHECK(r.grants.size() < 8);
  r.ring(kQps - 1, 1);
  r.run(100);
  REQUIRE(r.grants.size() == kQps);
  for (unsigned q = 0; q < kQps; ++q) CHECK(r.grants[q].qpn == q);
}
