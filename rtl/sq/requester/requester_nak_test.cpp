// SPDX-License-Identifier: Apache-2.0
// A responder sends a fatal NAK once and is silent from then on, so the NAK must count whenever it
// comes, also before the requester has retransmitted the packet that it names.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

TEST_CASE("requester: RQ-23, F-81: a NAK right after a gap of READ responses ends the READ") {
  const std::vector<std::pair<unsigned, Status>> codes = {
      {kNakInvalid, Status::kRemInvReqErr},
      {kNakAccess, Status::kRemAccessErr},
      {kNakOperational, Status::kRemOpErr},
      {kNakOperational + 1, Status::kBadRespErr}};  // a code that RC does not have
  for (const auto& [syndrome, status] : codes) {
    for (unsigned lost = 0; lost < 2; ++lost) {       // the first response is lost as well
      for (unsigned again = 0; again < 2; ++again) {  // the READ was retransmitted
        for (unsigned psn = lost; psn < 2; ++psn) {
          CAPTURE(syndrome);
          CAPTURE(lost);
          CAPTURE(again);
          Rig r;
          r.plan({0, WrOp::kRead, 700});
          r.plan({1});
          if (!lost) r.respond(kRcReadRespFirst, kFirst, 256);
          r.respond(kRcReadRespLast, kFirst + 2, 188);
          REQUIRE(r.pointers.size() == 1);
          const unsigned offset = lost ? 0 : 256;
          if (again) r.plan({0, WrOp::kRead, 700 - offset, 2, offset, 700, offset == 0, true});
          r.run(10);
          CHECK(r.done.empty());
          r.acknowledge(kFirst + 1 + psn, syndrome);
          REQUIRE(r.done.size() == 1);
          CHECK(r.done[0].index == 0);
          CHECK(r.done[0].status == status);
          CHECK(r.fails == 1);
          CHECK(r.ghosts == 0);
          CHECK(r.places.size() == 1 - lost);
          CHECK(r.dut->idle_o);
        }
      }
    }
  }
}

TEST_CASE("requester: RQ-21, RQ-25: after a return to an earlier PSN other NAKs have no effect") {
  for (const unsigned syndrome : {unsigned{kNakSequence}, kRnr13}) {
    Rig r;
    r.plan({0, WrOp::kRead, 700});
    r.respond(kRcReadRespFirst, kFirst, 256);
    r.respond(kRcReadRespLast, kFirst + 2, 188);
    r.acknowledge(kFirst + 1, syndrome);
    CHECK(r.ghosts == 1);
    CHECK(r.pointers.size() == 1);
    r.plan({0, WrOp::kRead, 444, 2, 256, 700, false, true});
    r.respond(kRcReadRespFirst, kFirst + 1, 256);
    r.respond(kRcReadRespLast, kFirst + 2, 188);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].status == Status::kSuccess);
  }
}

TEST_CASE("requester: RQ-22, RQ-23: a late NAK ends its own message, whatever was retransmitted") {
  for (unsigned again = 0; again < 4; ++again) {
    for (unsigned naked = 0; naked < 4; ++naked) {
      CAPTURE(again);
      CAPTURE(naked);
      Rig r;
      for (unsigned i = 0; i < 4; ++i) r.plan({i});
      r.run(20);
      r.expire(false);
      for (unsigned i = 0; i < again; ++i) r.plan({i, WrOp::kWrite, 64, 2});
      r.run(10);
      CHECK(r.live(layout::qp_live::sq_psn) == ((kFirst + again) & kPsnMask));
      r.acknowledge(kFirst + 4, kNakAccess);  // never sent
      CHECK(r.ghosts == 1);
      r.acknowledge(kFirst + naked, kNakAccess);
      REQUIRE(r.done.size() == naked + 1);
      for (unsigned i = 0; i <= naked; ++i) {
        CHECK(r.done[i].index == i);
        CHECK(r.done[i].status == (i < naked ? Status::kSuccess : Status::kRemAccessErr));
      }
      CHECK(r.fails == 1);
      CHECK(r.ghosts == 1);
      r.acknowledge(kFirst + 3, kNakAccess);
      CHECK(r.fails == 1);
      CHECK(r.dut->idle_o);
    }
  }
}

TEST_CASE(
    "requester: RQ-13, RQ-23: a late NAK after a READ without response costs no second retry") {
  Rig r(1);
  r.plan({0});
  r.plan({1, WrOp::kRead, 200});
  r.plan({2});
  r.run(20);
  r.expire(false);
  r.acknowledge(kFirst + 2, kNakAccess);  // acknowledges the first, which renews the retries
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status == Status::kSuccess);
  REQUIRE(r.pointers.size() == 2);
  CHECK(r.pointers[1].index == 1);
  r.acknowledge(kFirst + 2, kNakAccess);
  REQUIRE(r.pointers.size() == 3);
  CHECK(r.done.size() == 1);
  CHECK(r.fails == 0);
  r.plan({1, WrOp::kRead, 200, 4});
  r.run(10);
  r.respond(kRcReadRespOnly, kFirst + 1, 200);
  r.acknowledge(kFirst + 2, kNakAccess);
  REQUIRE(r.done.size() == 3);
  CHECK(r.done[1].status == Status::kSuccess);
  CHECK(r.done[2].status == Status::kRemAccessErr);
  CHECK(r.fails == 1);
}

TEST_CASE("requester: RQ-25: a late NAK after a READ does not end an RNR wait early") {
  Rig r;
  r.plan({0, WrOp::kRead, 200});
  r.plan({1, WrOp::kSend});
  r.acknowledge(kFirst, kRnr13);
  REQUIRE(r.timers.back().first == TimerOp::kRnr);
  r.acknowledge(kFirst + 1, kNakAccess);
  CHECK(r.ghosts == 1);
  CHECK(r.pointers.size() == 1);
  r.acknowledge(kFirst, kNakAccess);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status == Status::kRemAccessErr);
}

TEST_CASE(
    "requester: RQ-43: a message that failed before it was retransmitted keeps its own error") {
  Rig r;
  for (unsigned i = 0; i < 3; ++i) r.plan({i});
  r.run(20);
  r.expire(false);
  r.plan({0, WrOp::kWrite, 64, 2});
  r.plan(bad_plan(1, Status::kLocProtErr, 2));
  r.run(10);
  r.acknowledge(kFirst + 2, kNakAccess);  // its place in the ring belongs to the error
  CHECK(r.ghosts == 1);
  r.acknowledge(kFirst);
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[0].status == Status::kSuccess);
  CHECK(r.done[1].status == Status::kLocProtErr);
}
