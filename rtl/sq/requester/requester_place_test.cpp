// SPDX-License-Identifier: Apache-2.0
// Places of READ data: key lookups that begin before it is known that the response fits.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

TEST_CASE("requester: RQ-37: each response of a READ has its place, however long lookups wait") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    std::minstd_rand delays(seed + 1);
    Rig r;
    if (seed != 0) r.key_delays = &delays;
    r.plan({0, WrOp::kRead, 700});
    r.respond(kRcReadRespFirst, kFirst, 256);
    r.respond(kRcReadRespMiddle, kFirst + 1, 256);
    r.respond(kRcReadRespLast, kFirst + 2, 188);
    CHECK(r.places == Places{kBuffer, kBuffer + 256, kBuffer + 512});
    if (seed == 0) CHECK(r.lookups == 3);
    CHECK(r.dropped == 0);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].status == Status::kSuccess);
    CHECK(r.done[0].len == 700);
    CHECK(r.done[0].opcode == WcOp::kRead);
  }
}

TEST_CASE("requester: MR-04, RQ-38: a READ without rights, or whose response does not fit, fails") {
  struct Way {
    const char* name;
    bool allowed;
    unsigned len, opcode;
    Status status;
  };
  for (const Way& way : {Way{"rights", false, 200, kRcReadRespOnly, Status::kLocProtErr},
                         Way{"length", true, 196, kRcReadRespOnly, Status::kLocLenErr},
                         Way{"kind", true, 200, kRcReadRespLast, Status::kBadRespErr}}) {
    for (unsigned later = 0; later < 8; ++later) {
      CAPTURE(std::string(way.name));
      CAPTURE(later);
      Rig r;
      r.plan({0, WrOp::kRead, 200});
      r.qp = kRow + 1;
      r.begin(7, 4, 7, Service::kRc);
      r.plan({0, WrOp::kRead, 200});
      r.run(20);
      // What the failed one had looked up is not the place of the next one.
      r.qp = kRow;
      r.key_ok = way.allowed;
      r.begin_response(way.opcode, kFirst, way.len);
      if (!way.allowed) r.run(10);
      r.run(later);
      r.key_ok = true;
      r.qp = kRow + 1;
      r.respond(kRcReadRespOnly, kFirst, 200);
      REQUIRE(r.done.size() == 2);
      CHECK(r.done[0].status == way.status);
      CHECK(r.done[1].status == Status::kSuccess);
      CHECK(r.dropped == 1);
      CHECK(r.places == Places{kBuffer});
      CHECK(r.fails == 1);
    }
  }
}

TEST_CASE("requester: an error after a READ is found while another queue pair's response waits") {
  for (unsigned later = 0; later < 6; ++later) {
    CAPTURE(later);
    Rig r;
    r.plan({0, WrOp::kRead, 200});
    r.plan(bad_plan(1, Status::kLocProtErr));
    r.qp = kRow + 1;
    r.begin(7, 4, 7, Service::kRc);
    r.plan({0, WrOp::kRead, 100});
    r.plan({1, WrOp::kRead, 60});
    r.run(20);
    r.qp = kRow;
    r.begin_response(kRcReadRespOnly, kFirst, 200);
    r.run(later);
    r.qp = kRow + 1;
    r.begin_response(kRcReadRespOnly, kFirst, 100);
    r.respond(kRcReadRespOnly, kFirst + 1, 60);
    REQUIRE(r.done.size() == 4);
    CHECK(r.done[0].len == 200);
    CHECK(r.done[1].status == Status::kLocProtErr);
    CHECK(r.done[1].index == 1);
    CHECK(r.done[2].len == 100);
    CHECK(r.done[3].len == 60);
    CHECK(r.places.size() == 3);
  }
}

TEST_CASE("requester: responses of blocked queue pairs take four clocks until there is room") {
  constexpr unsigned kFirstQp = kRow + 1, kQps = 8, kMost = 8;
  Rig r;
  for (r.qp = kFirstQp; r.qp < kFirstQp + kQps; ++r.qp) {
    r.begin(7, kMost, 7, Service::kRc);
    for (unsigned i = 0; i <= kMost; ++i) r.plan({i, WrOp::kRead, 64});  // one too many
  }
  r.run(100);
  r.pointers.clear();
  const auto round = [&](unsigned i) {
    for (r.qp = kFirstQp; r.qp < kFirstQp + kQps; ++r.qp) {
      r.begin_response(kRcReadRespOnly, kFirst + i, 64);
    }
  };
  const unsigned begin = r.clocks;
  for (unsigned i = 0; i < kMost / 2 - 1; ++i) round(i);
  CHECK(r.clocks - begin <= 4 * kQps * (kMost / 2 - 1));
  r.run(30);
  CHECK(r.pointers.empty());
  round(kMost / 2 - 1);  // now half of the READs are done
  r.run(30);
  REQUIRE(r.pointers.size() == kQps);
  for (const Pointer& pointer : r.pointers) CHECK(pointer.index == kMost);
  CHECK(r.done.size() == kQps * kMost / 2);
}

TEST_CASE("requester: responses of different queue pairs take four clocks each") {
  constexpr unsigned kFirstQp = kRow + 1, kQps = 8, kRounds = 4;
  Rig r;
  for (r.qp = kFirstQp; r.qp < kFirstQp + kQps; ++r.qp) {
    r.begin(7, kRounds, 7, Service::kRc);
    for (unsigned i = 0; i < kRounds; ++i) r.plan({i, WrOp::kRead, 64});
  }
  r.run(100);
  const unsigned begin = r.clocks;
  for (unsigned i = 0; i < kRounds; ++i) {
    for (r.qp = kFirstQp; r.qp < kFirstQp + kQps; ++r.qp) {
      r.begin_response(kRcReadRespOnly, kFirst + i, 64);
    }
  }
  CHECK(r.clocks - begin <= 4 * kQps * kRounds);
  r.run(30);
  REQUIRE(r.done.size() == kQps * kRounds);
  for (const Completion& d : r.done) CHECK(d.len == 64);
  CHECK(r.places.size() == kQps * kRounds);
}
