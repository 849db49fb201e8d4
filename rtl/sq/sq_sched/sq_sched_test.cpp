// SPDX-License-Identifier: Apache-2.0
// Grants by doorbells, states and pointers.
#include <doctest/doctest.h>

#include <cstdio>
#include <deque>
#include <random>
#include <vector>

#include "rtl/sq/sq_sched/sq_sched_rig.hpp"

using namespace sq_sched_rig;

TEST_CASE("sq_sched: a doorbell becomes a grant of at most 32 work requests, within four clocks") {
  Rig r;
  r.connect(3);
  r.ring(3, 40);
  unsigned clocks = 0;
  while (r.grants.empty() && clocks < 20) {
    r.tick();
    ++clocks;
  }
  CHECK(clocks <= 4);
  REQUIRE(r.grants.size() == 1);
  CHECK(r.grants[0].qpn == 3);
  CHECK(r.grants[0].epoch == 1);
  CHECK(r.grants[0].index == 0);
  CHECK(r.grants[0].count == 32);
  r.run(50);
  CHECK(r.grants.size() == 1);  // a queue pair has one grant at a time
  r.segmented({3, 1, 9, 4096, true});
  r.run(10);
  REQUIRE(r.grants.size() == 2);
  CHECK(r.grants[1].index == 9);
  CHECK(r.grants[1].offset == 4096);
  r.segmented({3, 1, 30, 0, true});
  r.run(10);
  REQUIRE(r.grants.size() == 3);
  CHECK(r.grants[2].count == 10);
  r.segmented({3, 1, 40, 0, true});
  r.run(20);
  CHECK(r.grants.size() == 3);
  CHECK(r.dut->idle_o);
}

TEST_CASE("sq_sched: F-84: hostile doorbells") {
  Rig r;
  r.connect(5, 5);
  r.ring(5, 32);
  r.run(10);
  r.ring(5, 32);
  r.ring(5, 7);  // an older index
  r.run(10);
  CHECK(r.grants.size() == 1);
  CHECK(r.fails.empty());
  r.done(5, 1);
  r.ring(5, 33);  // room for one more
  r.run(10);
  CHECK(r.fails.empty());
  r.ring(5, 34);  // one too far
  r.run(10);
  REQUIRE(r.fails.size() == 1);
  CHECK(r.fails[0] == 5);
  r.ring(6, 3);  // in RESET: ignored
  r.run(10);
  CHECK(r.fails.size() == 1);
  CHECK(r.grants.size() == 1);
}

TEST_CASE("sq_sched: a pointer of the requester replaces that of an outstanding grant") {
  Rig r;
  r.connect(2);
  r.ring(2, 20);
  r.run(10);
  REQUIRE(r.grants.size() == 1);
  r.set({2, 2, 3, 512, true, 1});  // back to work request 3
  r.run(10);
  CHECK(r.grants.size() == 1);       // the old grant is still outstanding
  r.segmented({2, 1, 16, 0, true});  // it ends with the old epoch, which has no effect
  r.run(10);
  REQUIRE(r.grants.size() == 2);
  CHECK(r.grants[1].epoch == 2);
  CHECK(r.grants[1].index == 3);
  CHECK(r.grants[1].offset == 512);
  CHECK(r.grants[1].count == 16);
}

TEST_CASE("sq_sched: RQ-54: after a local operation the requester states when to continue") {
  Rig r;
  r.connect(2);
  r.ring(2, 20);
  r.run(10);
  r.segmented({2, 1, 5, 0, false});
  r.run(50);
  CHECK(r.grants.size() == 1);
  r.set({2, 2, 5, 0, true});
  r.run(10);
  REQUIRE(r.grants.size() == 2);
  CHECK(r.grants[1].index == 5);
  // The requester may be faster than the end of the grant.
  r.set({2, 3, 9, 0, true});
  r.segmented({2, 2, 9, 0, false});
  r.run(10);
  REQUIRE(r.grants.size() == 3);
  CHECK(r.grants[2].index == 9);
}

TEST_CASE("sq_sched: QP-12: in SQD only what was segmented before is granted") {
  Rig r;
  r.connect(2);
  r.ring(2, 20);
  r.run(10);
  r.segmented({2, 1, 6, 0, false});
  r.state(2, QpState::kSqd);
  r.set({2, 2, 4, 0, true});
  r.run(20);
  REQUIRE(r.grants.size() == 2);
  CHECK(r.grants[1].index == 4);
  CHECK(r.grants[1].count == 2);
  r.segmented({2, 2, 6, 0, true});
  r.run(20);
  CHECK(r.grants.size() == 2);
  // Back in RTS a doorbell grants the rest.
  r.state(2, QpState::kRts);
  r.ring(2, 21);
  r.run(20);
  REQUIRE(r.grants.size() == 3);
  CHECK(r.grants[2].index == 6);
}

TEST_CASE("sq_sched: RQ-49: in ERR a doorbell becomes a flush; RESET clears the indices") {
  Rig r;
  r.connect(2);
  r.controls.clear();
  r.state(2, QpState::kErr);
  r.command(2, QpEvent::kFlush);
  r.ring(2, 3);
  r.run(20);
  REQUIRE(r.controls.size() == 2);
  CHECK(r.controls[0].flush);
  CHECK(r.controls[0].index == 0);
  CHECK(r.controls[1].flush);
  CHECK(r.controls[1].index == 3);
  CHECK_FALSE(r.controls[1].clear);
  CHECK(r.grants.empty());
  r.state(2, QpState::kReset);
  r.state(2, QpState::kErr);
  r.command(2, QpEvent::kFlush);
  r.run(10);
  REQUIRE(r.controls.size() == 3);
  CHECK(r.controls[2].clear);
  CHECK(r.controls[2].index == 0);
}

TEST_CASE("sq_sched: a pause stops grants only") {
  Rig r;
  r.connect(2);
  r.dut->pause_i = 1;
  r.ring(2, 3);
  r.run(30);
  CHECK(r.grants.empty());
  CHECK(r.dut->idle_o);
  r.dut->pause_i = 0;
  r.run(10);
  CHECK(r.grants.size() == 1);
}

TEST_CASE("sq_sched: at random, every work request is granted once in order after each return") {
  const unsigned seed = 7;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  Rig r;
  struct Model {
    unsigned produced = 0, next = 0, offset = 0, epoch = 1, outstanding = 0;
  };
  std::vector<Model> model(kQps);
  for (unsigned q = 0; q < kQps; ++q) r.connect(q, 15);
  std::deque<Grant> open;
  std::size_t seen = 0;
  unsigned returns = 0;
  for (unsigned i = 0; i < 6000; ++i) {
    const unsigned q = random() % kQps;
    Model& m = model[q];
    r.dut->grant_ready_i = random() % 4 != 0;
    switch (random() % 4) {
      case 0:
        if (m.produced < 30000) r.ring(q, m.produced += random() % 20);
        break;
      case 1:
        if (random() % 8 == 0 && m.next > 0) {
          ++returns;
          m.next -= std::min(m.next, unsigned(random() % 5));
          m.offset = random() % 2 * 1000;
          m.epoch = (m.epoch + 1) % 16;
          r.set({q, m.epoch, m.next, m.offset, true});
        }
        break;
      case 2:
        if (!open.empty()) {
          const Grant g = open.front();
          open.pop_front();
          Model& o = model[g.qpn];
          const unsigned end = random() % g.count, bytes = random() % 3 * 256;
          if (g.epoch == o.epoch) {
            o.next = bytes ? g.index + end : g.index + end + 1;
            o.offset = bytes;
          }
          --o.outstanding;
          r.segmented({g.qpn, g.epoch, bytes ? g.index + end : g.index + end + 1, bytes, true});
        }
        break;
      default:
        r.tick();
    }
    for (; seen < r.grants.size(); ++seen) {
      const Grant& g = r.grants[seen];
      Model& o = model[g.qpn];
      // A grant that waited may have the epoch before.
      REQUIRE(++o.outstanding == 1);
      if (g.epoch == o.epoch) {
        REQUIRE(g.index == o.next);
        REQUIRE(g.offset == o.offset);
        REQUIRE(g.count >= 1);
        REQUIRE(g.index + g.count <= o.produced);
      }
      open.push_back(g);
    }
  }
  CHECK(returns > 50);
  CHECK(seen > 500);
  CHECK(r.fails.empty());
}
