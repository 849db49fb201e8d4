// SPDX-License-Identifier: Apache-2.0
// Receives of shared receive queues: takes, limit, reset and failure.
#include "rtl/rq/rq_fetch/rq_fetch_rig.hpp"

using namespace rq_fetch_rig;

TEST_CASE(
    "rq_fetch: entries of an SRQ go to the queue pair that requests one, whole, with tag and "
    "domain") {
  for (unsigned stride = 0; stride < 3; ++stride) {
    for (unsigned log : {1u, 3u, 7u}) {
      CAPTURE(stride);
      CAPTURE(log);
      Rig r;
      r.srq_row(6, log, stride, 0);
      for (unsigned q : {2u, 9u, 15u}) r.create_shared(q, 6);
      unsigned prod = 0, index = 0;
      for (unsigned turn = 0; turn < 60; ++turn) {
        const unsigned q = turn % 3 == 0 ? 2 : turn % 3 == 1 ? 9 : 15;
        if (prod == index) {
          CHECK(!r.cmd(q, ReceiveOp::kPeek).posted);
          r.srq_doorbell(6, prod += std::min(1u << log, 5u));
        }
        auto rsp = r.cmd(q, ReceiveOp::kPeek);
        for (int wait = 0; !rsp.fetched; ++wait) {
          CHECK(rsp.posted);
          REQUIRE(wait < 30);
          for (int i = 0; i < 5; ++i) r.clock();
          rsp = r.cmd(q, ReceiveOp::kPeek);
        }
        const std::uint64_t at =
            kSrqBase + 6 * kRingBytes + 64ull * ((index & ((1u << log) - 1)) << stride);
        CHECK(rsp.index == (at / 64 & 0xFFFF));
        CHECK(r.cmd(q, ReceiveOp::kPeek).index == rsp.index);  // it is held, no other is taken
        CHECK(r.entry(q, 0, 0, 0) == at + 3);
        CHECK(r.dut->list_num_sge_o == at / 64 % 256);
        CHECK(r.dut->list_pd_o == kPd);
        CHECK(r.dut->list_stride_o == stride);
        if (stride > 0) CHECK(r.entry(q, 0, 0, 4) == at + 64 + 3);
        if (stride > 1) CHECK(r.entry(q, 0, 0, 12) == at + 192 + 3);
        r.cmd(q, ReceiveOp::kFree);
        ++index;
      }
      CHECK(r.fails == 0);
      CHECK(r.events.empty());
      CHECK(r.crossing == 0);
    }
  }
}

TEST_CASE("rq_fetch: doorbells of a queue pair that takes from an SRQ are ignored") {
  Rig r;
  r.srq_row(6, 3, 0, 0);
  r.create_shared(2, 6);
  for (unsigned index : {1u, 40000u}) {
    r.doorbell(2, index);
    r.run();
    CHECK(!r.cmd(2, ReceiveOp::kPeek).posted);
    CHECK(r.fails == 0);
  }
}

TEST_CASE("rq_fetch: the limit changes while receives are taken: one event for each arm (RSP-55)") {
  for (unsigned wait = 0; wait < 24; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.srq_row(1, 4, 0, 3);
    for (unsigned q = 0; q < 4; ++q) r.create_shared(q, 1);
    r.srq_doorbell(1, 4);
    r.run();
    for (unsigned q = 0; q < 4; ++q) r.cmd(q, ReceiveOp::kPeek);  // leaves 3, 2, 1, 0
    r.run();
    CHECK(r.events == std::vector<EventKind>{EventKind::kSrqLimit});
    r.events.clear();
    for (unsigned q = 0; q < 4; ++q) r.cmd(q, ReceiveOp::kFree);
    r.srq_doorbell(1, 8);
    r.run();
    // The row comes while the second of four takes is in progress.
    port::put(r.dut->cmd_i, layout::receive_cmd::op, ReceiveOp::kPeek);
    unsigned responses = 0;
    for (unsigned clock = 0; responses < 4; ++clock) {
      port::put(r.dut->cmd_i, layout::receive_cmd::qpn, responses);
      r.dut->cmd_valid_i = 1;
      r.dut.settle();
      responses += r.dut->cmd_ready_o;
      if (clock == wait)
        r.srq_row(1, 4, 0, 2);
      else
        r.clock();
    }
    r.dut->cmd_valid_i = 0;
    r.run();
    CHECK(r.events.size() <= 1);
    if (wait < 16) CHECK(r.events == std::vector<EventKind>{EventKind::kSrqLimit});
  }
}

TEST_CASE("rq_fetch: the row of an SRQ changes while a fetch begins: the ring is empty") {
  for (unsigned wait = 0; wait < 14; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.srq_row(1, 4, 0, 0);
    r.create_shared(3, 1);
    r.srq_doorbell(1, 16);
    for (unsigned i = 0; i < wait; ++i) r.clock();
    r.srq_row(1, 3, 0, 0);  // eight entries instead of 16
    r.run();
    CHECK(!r.cmd(3, ReceiveOp::kPeek).posted);
    r.srq_doorbell(1, 2);
    r.run();
    for (unsigned index = 0; index < 2; ++index) {
      const auto rsp = r.cmd(3, ReceiveOp::kPeek);
      CHECK(rsp.fetched);
      CHECK(rsp.index == ((kSrqBase + kRingBytes) / 64 + index & 0xFFFF));
      r.cmd(3, ReceiveOp::kFree);
    }
    CHECK(!r.cmd(3, ReceiveOp::kPeek).posted);
    CHECK(r.fails == 0);
    CHECK(r.events.empty());
  }
}

TEST_CASE("rq_fetch: a queue pair reset while it takes; an SRQ that breaks") {
  for (unsigned wait = 0; wait < 14; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.srq_row(1, 4, 2, 0);
    r.create_shared(3, 1);
    r.create_shared(4, 1);
    r.srq_doorbell(1, 3);
    r.run();
    port::put(r.dut->cmd_i, layout::receive_cmd::op, ReceiveOp::kPeek);
    port::put(r.dut->cmd_i, layout::receive_cmd::qpn, 3);
    r.dut->cmd_valid_i = 1;
    bool done = false;
    for (unsigned clock = 0; !done || clock <= wait; ++clock) {
      REQUIRE(clock < 40);
      r.dut.settle();
      done = done || r.dut->cmd_ready_o;
      const bool over = r.dut->cmd_ready_o;
      if (clock == wait)
        r.state(3, QpState::kReset);
      else
        r.clock();
      if (over) r.dut->cmd_valid_i = 0;
    }
    CHECK(!r.cmd(3, ReceiveOp::kPeek).posted);  // in RESET it holds nothing
    CHECK(r.cmd(4, ReceiveOp::kPeek).fetched);  // others continue
    r.bad = true;
    r.cmd(4, ReceiveOp::kFree);
    r.srq_doorbell(1, 5);
    r.run();
    CHECK(r.events == std::vector<EventKind>{EventKind::kSrqError});
    CHECK(r.fails == 0);
    const auto rsp = r.cmd(4, ReceiveOp::kPeek);
    CHECK(rsp.posted);
    CHECK(!rsp.fetched);
    r.run();
    CHECK(r.fails == 1);
  }
}
