// SPDX-License-Identifier: Apache-2.0
// A queue pair is reset while an event of it is in progress.
#include "rtl/rq/responder/responder_rig.hpp"

using namespace responder_rig;

TEST_CASE(
    "responder: a request picked before a reset does not bring the old generation back (F-55)") {
  for (int wait = 0; wait < 8; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.write(1, kFirst, 0x1000);
    r.clocks(wait);
    r.state(1, QpState::kReset);
    r.clocks(20);
    r.landed = 1;
    r.state(1, QpState::kInit);
    r.state(1, QpState::kRtr);  // RTR, before the event
    r.segments.clear();
    r.write(1, 0xFFFFFF, 0x2000);
    r.clocks(30);
    for (const Segment& segment : r.segments) CHECK(segment.drop);
  }
}

TEST_CASE(
    "responder: a response picked before a reset does not bring the old generation back (F-55)") {
  for (int wait = 0; wait < 40; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.requests.push_back({1, kRcReadRequest, kFirst, 0, 2048, 0x1000});
    r.clocks(wait);
    r.state(1, QpState::kReset);
    r.clocks(40);
    r.state(1, QpState::kInit);
    r.state(1, QpState::kRtr);  // RTR, before the event
    r.write(1, kFirst + 8, 0x2000);
    r.clocks(30);
    for (const Segment& segment : r.segments) CHECK(segment.drop);
  }
}

TEST_CASE(
    "responder: what a reset ends early has places, PSNs and MSNs of the old generation (F-55, "
    "I15)") {
  constexpr std::uint64_t kTo = 0x40000, kFrom = 0x80000;
  for (int wait = 0; wait < 60; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.posted[1] = 2;
    r.requests.push_back({1, kRcWriteFirst, kFirst, 256, 1024, kTo});
    r.requests.push_back({1, kRcWriteMiddle, 0xFFFFFF, 256});
    r.requests.push_back({1, kRcWriteMiddle, 0x1000000, 256});
    r.requests.push_back({1, kRcWriteLast, 0x1000001, 256});
    r.requests.push_back({1, kRcReadRequest, 0x1000002, 0, 1024, kFrom});
    r.requests.push_back({1, kRcSendFirst, 0x1000006, 256});
    r.requests.push_back({1, kRcSendLast, 0x1000007, 100});
    for (int i = 0; i < wait; ++i) {
      r.landed = r.ticket;
      r.clock();
    }
    r.state(1, QpState::kReset);
    for (int i = 0; i < 60; ++i) {
      r.landed = r.ticket;
      r.clock();
    }
    CHECK(r.requests.empty());
    for (std::size_t i = 0; i < r.segments.size(); ++i) {
      if (!r.segments[i].drop)
        CHECK(r.segments[i].addr == (i < 4 ? kTo + 256 * i : Rig::kList + 256 * (i - 4)));
    }
    for (std::size_t i = 0; i < r.sources.size(); ++i) CHECK(r.sources[i].addr == kFrom + 256 * i);
    for (std::size_t i = 0; i < r.packets.size(); ++i) {
      if (r.packets[i].opcode == kRcAck) continue;
      CHECK(r.packets[i].psn == 2 + i);
      CHECK(r.packets[i].opcode == (i == 0   ? kRcReadRespFirst
                                    : i == 3 ? kRcReadRespLast
                                             : kRcReadRespMiddle));
    }
    for (const Packet& ack : r.acks) {
      CHECK(ack.syndrome == kAckNoCredits);
      const unsigned before = (ack.psn - kFirst) & kPsnMask;
      CHECK(before <= 9);
      CHECK(ack.msn == (before < 3 ? 0 : before < 8 ? 1 : before == 8 ? 2 : 3));
    }
    CHECK(r.fails.empty());
    CHECK(r.completions.size() <= 1);
    for (const Completion& c : r.completions) {
      CHECK(c.index == 0);
      CHECK(c.status == Status::kSuccess);
      CHECK(c.len == 356);
    }
    // The next generation begins anew.
    r.segments.clear();
    r.acks.clear();
    r.state(1, QpState::kInit);
    r.state(1, QpState::kRtr);
    r.event(1, QpEvent::kInitResponder);
    r.write(1, kFirst, 0x2000);
    r.clocks(20);
    r.landed = r.ticket;
    r.clocks(20);
    REQUIRE(r.segments.size() == 1);
    CHECK(r.segments[0].addr == 0x2000);
    REQUIRE(r.acks.size() == 1);
    CHECK(r.acks[0].msn == 1);
  }
}
