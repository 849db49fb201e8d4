// SPDX-License-Identifier: Apache-2.0
// Packets on their way out: what an acknowledgement overtakes, and payload that cannot be read.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

namespace {

constexpr unsigned kFirst = 0xFFFFFE;  // the rig's first PSN
constexpr unsigned kPayload = 7;       // VendorErr

}  // namespace

TEST_CASE("requester: RQ-20: an ACK cuts repeats that wait, at its PSN") {
  Rig r;
  for (unsigned i = 0; i < 4; ++i) r.plan({i});
  r.run(20);
  r.expire(false);
  r.tx_ready = false;
  for (unsigned i = 0; i < 4; ++i) r.plan({i, kWrite, 64, 2});
  r.run(10);
  r.packets.clear();
  r.respond(kAck, kFirst + 1, 0x1F);  // of the first copies of 0 and 1
  r.tx_ready = true;
  r.run(20);
  CHECK(r.psns() == List{0, 1});
  CHECK(r.pieces == 4 + 2);  // and the segments of those that were segmented are gone
  CHECK(r.done.size() == 2);
  r.respond(kAck, 1, 0x1F);
  CHECK(r.done.size() == 4);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: RQ-20: no completion while a repeat of its message is on the way") {
  Rig r;
  for (unsigned i = 0; i < 3; ++i) r.plan({i});
  r.run(20);
  r.expire(false);
  r.leaving = false;
  for (unsigned i = 0; i < 3; ++i) r.plan({i, kWrite, 64, 2});
  r.run(20);
  CHECK(r.packets.size() == 6);
  r.respond(kAck, 0, 0x1F);  // of the first copies
  r.run(200);
  CHECK(r.done.empty());
  CHECK_FALSE(r.dut->idle_o);
  for (unsigned left = 1; left <= 3; ++left) {
    r.leaving = true;
    r.run(1);
    r.leaving = false;
    r.run(50);
    CHECK(r.done.size() == left);
  }
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: RQ-20: nor while an old copy is, whatever part of it was retransmitted") {
  Rig r;
  r.leaving = false;
  r.plan({0, kWrite, 256, 1, 0, 0, 512, true, false});
  r.plan({0, kWrite, 256, 1, 0, 256, 512, false, true});
  r.run(10);
  r.respond(kAck, kFirst, 0x1F);      // the peer may have it before `sent_i` reports
  r.respond(kAck, kFirst + 1, 0x60);  // goes back to the second packet
  r.plan({0, kWrite, 256, 2, 0, 256, 512, false, true});
  r.run(10);
  CHECK(r.packets.size() == 3);
  r.respond(kAck, kFirst + 1, 0x1F);
  r.leaving = true;
  r.run(2);
  r.leaving = false;
  r.run(50);
  CHECK(r.done.empty());
  r.leaving = true;
  r.run(50);
  CHECK(r.done.size() == 1);
}

TEST_CASE("requester: RQ-20: a completion of another queue pair's packets does not wait for them") {
  Rig r;
  r.plan({0});
  r.run(20);
  r.leaving = false;
  r.plan({1});
  r.run(20);
  r.respond(kAck, kFirst, 0x1F);
  CHECK(r.done.size() == 1);  // its packet has left, the next one has not
}

TEST_CASE("requester: RQ-20: errors and flushes wait for all that is on the way") {
  Rig r(0);
  r.leaving = false;
  r.plan({0});
  r.plan({1});
  r.run(20);
  r.expire(false);
  r.state(kErr);
  r.control(true, 3);
  r.run(100);
  CHECK(r.done.empty());
  r.leaving = true;
  r.run(100);
  REQUIRE(r.done.size() == 3);
  CHECK(r.done[0].status == kRetryExcErr);
  CHECK(r.done[1].status == kWrFlushErr);
  CHECK(r.done[2].status == kWrFlushErr);
}

TEST_CASE("requester: F-80: unreadable payload of the oldest message ends it at once") {
  for (const unsigned bad : {0u, 1u, 2u}) {
    CAPTURE(bad);
    Rig r;
    r.broken = {(kFirst + bad) & 0xFFFFFF};
    r.plan({0, kSend, 256, 1, 0, 0, 700, true, false});
    r.plan({0, kSend, 256, 1, 0, 256, 700, false, false});
    r.plan({0, kSend, 188, 1, 0, 512, 700, false, true});
    r.run(60);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].index == 0);
    CHECK(r.done[0].status == kLocProtErr);
    CHECK(r.done[0].vendor == kPayload);
    CHECK(r.fails == 1);
    r.state(kErr);
    r.control(true, 2);
    r.run(40);
    REQUIRE(r.done.size() == 2);
    CHECK(r.done[1].status == kWrFlushErr);
    r.respond(kAck, kFirst + 2, 0x1F);
    CHECK(r.done.size() == 2);
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE("requester: F-80: messages before unreadable payload complete, messages after it wait") {
  for (const unsigned answer : {0u, 1u}) {
    CAPTURE(answer);
    Rig r(0);  // no retries: it is no loss
    r.broken = {kFirst + 1};
    r.plan({0});
    r.plan({1});
    r.plan({2});
    r.run(60);
    CHECK(r.done.empty());
    r.plan({3});
    r.run(20);
    CHECK(r.packets.size() == 3);  // stopped
    // The peer dropped the poisoned packet.
    r.respond(kAck, answer ? kFirst + 1 : kFirst, answer ? 0x60 : 0x1F);
    REQUIRE(r.done.size() == 2);
    CHECK(r.done[0].status == kSuccess);
    CHECK(r.done[1].index == 1);
    CHECK(r.done[1].status == kLocProtErr);
    CHECK(r.fails == 1);
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE("requester: F-80: a repeat that cannot be read of what the peer has is no error") {
  Rig r;
  r.plan({0});
  r.plan({1});
  r.plan({2});
  r.run(20);
  r.expire(false);
  r.broken = {kFirst + 1};
  r.leaving = false;
  for (unsigned i = 0; i < 3; ++i) r.plan({i, kWrite, 64, 2});
  r.run(10);
  r.leaving = true;
  r.run(20);
  CHECK(r.done.empty());
  r.respond(kAck, kFirst + 1, 0x1F);  // of the first copies
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[1].status == kSuccess);
  CHECK(r.pointers.back().index == 2);  // goes on after it
  r.plan({2, kWrite, 64, 3});
  r.run(20);
  r.respond(kAck, 0, 0x1F);
  REQUIRE(r.done.size() == 3);
  CHECK(r.done[2].status == kSuccess);
  CHECK(r.fails == 0);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: F-80: a fault of a packet that is not in flight any more does nothing") {
  Rig r;
  r.leaving = false;
  r.plan({0});
  r.plan({1});
  r.run(20);
  r.broken = {kFirst + 1};
  r.expire(false);
  r.leaving = true;
  r.run(20);
  CHECK(r.fails == 0);
  r.broken = {};
  r.plan({0, kWrite, 64, 2});
  r.plan({1, kWrite, 64, 2});
  r.run(20);
  r.respond(kAck, kFirst + 1, 0x1F);
  CHECK(r.done.size() == 2);
  CHECK(r.fails == 0);
}
