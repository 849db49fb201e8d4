// SPDX-License-Identifier: Apache-2.0
// A responder NAKs a packet as fatal once and is silent from then on, so its NAK must count
// whenever it comes: also while the requester has gone back and not sent that packet again.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

namespace {

constexpr unsigned kReadFirst = 0x0D, kReadLast = 0x0F, kFirst = 0xFFFFFE;
constexpr unsigned kBadRespErr = 7, kRemInvReqErr = 9, kRemOpErr = 11;

}  // namespace

TEST_CASE("requester: RQ-23, F-81: a NAK right after a gap of READ responses ends the READ") {
  const std::vector<std::pair<unsigned, unsigned>> codes = {
      {0x61, kRemInvReqErr}, {0x62, kRemAccessErr}, {0x63, kRemOpErr}, {0x64, kBadRespErr}};
  for (const auto& [syndrome, status] : codes) {
    for (unsigned lost = 0; lost < 2; ++lost) {       // the first response is lost as well
      for (unsigned asked = 0; asked < 2; ++asked) {  // it was requested again
        for (unsigned psn = lost; psn < 2; ++psn) {
          CAPTURE(syndrome);
          CAPTURE(lost);
          CAPTURE(asked);
          Rig r;
          r.plan({0, kRead, 700});
          r.plan({1});
          if (!lost) r.respond(kReadFirst, kFirst, 0x1F, 256);
          r.respond(kReadLast, kFirst + 2, 0x1F, 188);
          REQUIRE(r.pointers.size() == 1);
          const unsigned offset = lost ? 0 : 256;
          if (asked) r.plan({0, kRead, 700 - offset, 2, 0, offset, 700, offset == 0, true});
          r.run(10);
          CHECK(r.done.empty());
          r.respond(kAck, kFirst + 1 + psn, syndrome);
          REQUIRE(r.done.size() == 1);
          CHECK(r.done[0].index == 0);
          CHECK(r.done[0].status == status);
          CHECK(r.fails == 1);
          CHECK(r.ghosts == 0);
          CHECK(r.placed == 1 - lost);
          CHECK(r.dut->idle_o);
        }
      }
    }
  }
}

TEST_CASE("requester: RQ-21, RQ-25: after going back other NAKs say nothing new") {
  for (const unsigned syndrome : {0x60u, 0x20u | 13}) {
    Rig r;
    r.plan({0, kRead, 700});
    r.respond(kReadFirst, kFirst, 0x1F, 256);
    r.respond(kReadLast, kFirst + 2, 0x1F, 188);
    r.respond(kAck, kFirst + 1, syndrome);
    CHECK(r.ghosts == 1);
    CHECK(r.pointers.size() == 1);
    r.plan({0, kRead, 444, 2, 0, 256, 700, false, true});
    r.respond(kReadFirst, kFirst + 1, 0x1F, 256);
    r.respond(kReadLast, kFirst + 2, 0x1F, 188);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].status == kSuccess);
  }
}

TEST_CASE("requester: RQ-22, RQ-23: a late NAK ends its own message, whatever was retransmitted") {
  for (unsigned again = 0; again < 4; ++again) {
    for (unsigned refused = 0; refused < 4; ++refused) {
      CAPTURE(again);
      CAPTURE(refused);
      Rig r;
      for (unsigned i = 0; i < 4; ++i) r.plan({i});
      r.run(20);
      r.expire(false);
      for (unsigned i = 0; i < again; ++i) r.plan({i, kWrite, 64, 2});
      r.run(10);
      CHECK(r.live("sq_psn") == ((kFirst + again) & 0xFFFFFF));
      r.respond(kAck, kFirst + 4, 0x62);  // never sent
      CHECK(r.ghosts == 1);
      r.respond(kAck, kFirst + refused, 0x62);
      REQUIRE(r.done.size() == refused + 1);
      for (unsigned i = 0; i <= refused; ++i) {
        CHECK(r.done[i].index == i);
        CHECK(r.done[i].status == (i < refused ? kSuccess : kRemAccessErr));
      }
      CHECK(r.fails == 1);
      CHECK(r.ghosts == 1);
      r.respond(kAck, kFirst + 3, 0x62);
      CHECK(r.fails == 1);
      CHECK(r.dut->idle_o);
    }
  }
}

TEST_CASE(
    "requester: RQ-13, RQ-23: a late NAK after a READ without response costs no second retry") {
  Rig r(1);
  r.plan({0});
  r.plan({1, kRead, 200});
  r.plan({2});
  r.run(20);
  r.expire(false);
  r.respond(kAck, kFirst + 2, 0x62);  // acknowledges the first, which gives the retry back
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status == kSuccess);
  REQUIRE(r.pointers.size() == 2);
  CHECK(r.pointers[1].index == 1);
  r.respond(kAck, kFirst + 2, 0x62);
  REQUIRE(r.pointers.size() == 3);
  CHECK(r.done.size() == 1);
  CHECK(r.fails == 0);
  r.plan({1, kRead, 200, 4});
  r.run(10);
  r.respond(0x10, kFirst + 1, 0x1F, 200);
  r.respond(kAck, kFirst + 2, 0x62);
  REQUIRE(r.done.size() == 3);
  CHECK(r.done[1].status == kSuccess);
  CHECK(r.done[2].status == kRemAccessErr);
  CHECK(r.fails == 1);
}

TEST_CASE("requester: RQ-25: a late NAK after a READ does not end an RNR wait early") {
  Rig r;
  r.plan({0, kRead, 200});
  r.plan({1, kSend});
  r.respond(kAck, kFirst, 0x20 | 13);
  REQUIRE(r.timers.back().first == kRnr);
  r.respond(kAck, kFirst + 1, 0x62);
  CHECK(r.ghosts == 1);
  CHECK(r.pointers.size() == 1);
  r.respond(kAck, kFirst, 0x62);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status == kRemAccessErr);
}

TEST_CASE(
    "requester: RQ-43: a message that went wrong before it was retransmitted keeps its own error") {
  Rig r;
  for (unsigned i = 0; i < 3; ++i) r.plan({i});
  r.run(20);
  r.expire(false);
  r.plan({0, kWrite, 64, 2});
  r.plan({1, kWrite, 64, 2, kLocProtErr});
  r.run(10);
  r.respond(kAck, kFirst + 2, 0x62);  // its place in the ring is the error's
  CHECK(r.ghosts == 1);
  r.respond(kAck, kFirst, 0x1F);
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[0].status == kSuccess);
  CHECK(r.done[1].status == kLocProtErr);
}
