// SPDX-License-Identifier: Apache-2.0
// Local operations: their turn in the queue, and the wait for accesses of peers.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

TEST_CASE("requester: F-90: an executed invalidation waits for earlier accesses, or is flushed") {
  for (bool flushed : {false, true}) {
    CAPTURE(flushed);
    Rig r;
    r.drains = false;
    r.plan({.index = 0, .opcode = WrOp::kBindMw, .len = 0});
    r.run(100);
    CHECK(r.operations == 1);
    CHECK(r.done.empty());
    CHECK(r.pointers.empty());  // nothing after it is fetched
    CHECK_FALSE(r.dut->idle_o);
    CHECK_FALSE(r.live(layout::qp_live::sq_idle));
    if (flushed) {
      r.state(QpState::kErr);
      r.control(true, 1);
      r.run(100);
      REQUIRE(r.done.size() == 1);
      CHECK(r.done[0].status == Status::kWrFlushErr);
    }
    r.drains = true;
    r.run(100);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].index == 0);
    CHECK(r.done[0].status == (flushed ? Status::kWrFlushErr : Status::kSuccess));
    CHECK(r.pointers.size() == (flushed ? 0 : 1));
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE("requester: RQ-54: a local operation waits until nothing is in flight, and runs once") {
  for (bool ok : {true, false}) {
    Rig r;
    r.op_ok = ok;
    r.plan({0});
    r.plan({1, WrOp::kBindMw, 0});
    r.run(20);
    CHECK(r.operations == 0);
    REQUIRE(r.pointers.size() == 1);
    CHECK_FALSE(r.pointers[0].ready);
    r.acknowledge(kFirst);
    REQUIRE(r.pointers.size() == 2);
    CHECK(r.pointers[1].index == 1);
    CHECK_FALSE(r.live(layout::qp_live::sq_idle));  // it has begun, so a drain waits for it
    r.plan({1, WrOp::kBindMw, 0, 2});
    r.run(20);
    CHECK(r.operations == 1);
    REQUIRE(r.done.size() == 2);
    CHECK(r.done[1].index == 1);
    CHECK(r.done[1].status == (ok ? Status::kSuccess : Status::kMwBindErr));
    CHECK(r.fails == (ok ? 0 : 1));
    CHECK(r.packets.size() == 1);
    if (ok) {
      CHECK(r.done[1].opcode == WcOp::kBindMw);
      REQUIRE(r.pointers.size() == 3);
      CHECK(r.pointers[2].index == 2);
      CHECK(r.pointers[2].epoch == 3);
      CHECK(r.live(layout::qp_live::sq_idle));
      CHECK(r.live(layout::qp_live::sq_psn) == 0xFFFFFF);
    }
  }
}
