// SPDX-License-Identifier: Apache-2.0
// READs and atomics: depth, responses, and completions that wait for their data.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

TEST_CASE(
    "requester: RQ-09, RQ-48: READ depth and fences block, and transmission resumes where it "
    "stopped") {
  Rig r(7, 2);
  for (unsigned i = 0; i < 3; ++i) r.plan({i, WrOp::kRead, 300});
  r.run(10);
  CHECK(r.psns() == List{kFirst, 0});  // two PSNs each
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 2);
  CHECK_FALSE(r.pointers[0].ready);
  r.respond(kRcReadRespFirst, kFirst, 256);
  r.respond(kRcReadRespLast, 0xFFFFFF, 44);
  CHECK(r.places.size() == 2);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].len == 300);
  CHECK(r.done[0].wait_data);
  REQUIRE(r.pointers.size() == 2);  // half of the depth is free
  CHECK(r.pointers[1].ready);
  Plan fenced{2, WrOp::kWrite, 64, 2};
  fenced.fence = true;
  r.plan(fenced);
  r.run(10);
  CHECK(r.packets.size() == 2);
  REQUIRE(r.pointers.size() == 3);
  r.respond(kRcReadRespFirst, 0, 256);
  CHECK(r.pointers.size() == 3);
  r.respond(kRcReadRespLast, 1, 44);
  CHECK(r.pointers.size() == 4);
}

TEST_CASE("requester: RQ-13, RQ-37: an ACK after a READ retransmits the READ request") {
  Rig r;
  r.plan({0, WrOp::kRead, 700});
  r.plan({1});
  r.respond(kRcReadRespFirst, kFirst, 256);
  r.acknowledge(1);
  CHECK(r.done.empty());
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 0);
  CHECK(r.pointers[0].offset == 256);
  r.plan({0, WrOp::kRead, 444, 2, 256, 700, false, true});
  r.run(10);
  CHECK(r.packets.back().opcode == kRcReadRequest);
  CHECK(r.packets.back().psn == 0xFFFFFF);
  r.respond(kRcReadRespFirst, 0xFFFFFF, 256);
  r.respond(kRcReadRespLast, 0, 188);
  CHECK(r.done.size() == 1);
  CHECK(r.places == Places{kBuffer, kBuffer + 256, kBuffer + 512});
  CHECK(r.lookups == 4);  // two for the first response of the repetition, which has an offset
}

TEST_CASE("requester: RQ-38: data of a wrong length are dropped, and end the READ") {
  Rig r;
  r.plan({0, WrOp::kRead, 700});
  r.respond(kRcReadRespFirst, kFirst, 252);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status != Status::kSuccess);
  CHECK(r.dropped == 1);
  CHECK(r.places.size() == 0);
}

TEST_CASE("requester: data that came before are dropped, whatever response follows at once") {
  for (unsigned next : {0u, 100u, 256u}) {
    CAPTURE(next);
    Rig r;
    r.plan({0, WrOp::kRead, 200});
    r.respond(kRcReadRespOnly, kFirst, 200);
    REQUIRE(r.done.size() == 1);
    for (unsigned len : {200u, next, 64u, next})
      r.begin_response(len ? kRcReadRespOnly : kRcAck, kFirst, len);
    r.run(30);
    CHECK(r.places == Places{kBuffer});
    CHECK(r.dropped == (next ? 4 : 2));
    CHECK(r.dropped_bytes == 200 + 64 + 2 * next);
  }
}

TEST_CASE("requester: RQ-41: the result of an atomic is stored before its completion") {
  Rig r;
  r.plan({0, WrOp::kFetchAdd, 8});
  r.run(10);
  CHECK(r.packets[0].opcode == kRcFetchAdd);
  r.respond(kRcAtomicAck, kFirst);
  CHECK(r.jobs == 1);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].wait_store);
  CHECK(r.done[0].len == 8);
}

TEST_CASE(
    "requester: RQ-36: a completion long after the newest response does not wait for its ticket "
    "again") {
  const unsigned ticket = 0x1234;
  for (unsigned later : {0u, 1u, 0x7FFFu, 0x8000u, 0xFFFFu}) {
    CAPTURE(later);
    Rig r;
    Plan read{0, WrOp::kRead, 200};
    read.signaled = false;
    r.dut->wr_done_i = ticket - 1;
    r.plan(read);
    r.ticket = ticket;
    r.respond(kRcReadRespOnly, kFirst, 200);
    CHECK(r.done.empty());
    for (unsigned i = 0; i <= later; i += 0x1000) {
      r.dut->wr_done_i = std::uint16_t(ticket + i);
      r.run(2);
    }
    r.dut->wr_done_i = std::uint16_t(ticket + later);
    r.run(2);
    Plan bind{1, WrOp::kBindMw, 0, 1};
    r.plan(bind);
    r.run(30);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].wait_data);  // a fault of that data would still make it fail
    CHECK(std::int16_t(r.dut->wr_done_i - r.done[0].ticket) >= 0);
  }
}

TEST_CASE("requester: RQ-36, RQ-41: an error waits for the data of READs and atomics before it") {
  struct Way {
    const char* name;
    Status status;
  };
  for (const Way& way :
       {Way{"NAKed", Status::kRemAccessErr}, Way{"invalid", Status::kLocProtErr},
        Way{"no response", Status::kRetryExcErr}, Way{"flushed", Status::kWrFlushErr}}) {
    CAPTURE(std::string(way.name));
    Rig r(0);
    Plan read{0, WrOp::kRead, 200}, add{1, WrOp::kFetchAdd, 8};
    read.signaled = add.signaled = false;
    r.plan(read);
    r.plan(add);
    r.plan(way.status == Status::kLocProtErr ? bad_plan(2, way.status) : Plan{2});
    r.run(10);
    r.ticket = 0x1234;
    r.dut->wr_done_i = 0x1233;
    r.respond(kRcReadRespOnly, kFirst, 200);
    r.respond(kRcAtomicAck, 0xFFFFFF);
    if (way.status == Status::kRemAccessErr) r.acknowledge(0, kNakAccess);
    if (way.status == Status::kRetryExcErr) r.expire(false);
    if (way.status == Status::kWrFlushErr) {
      r.state(QpState::kErr);
      r.control(true, 3);
    }
    r.run(20);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].index == 2);
    CHECK(r.done[0].status == way.status);
    CHECK(r.done[0].wait_data);
    CHECK(std::int16_t(r.dut->wr_done_i - r.done[0].ticket) < 0);
    CHECK(r.done[0].wait_store);
  }
}
