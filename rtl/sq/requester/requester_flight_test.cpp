// SPDX-License-Identifier: Apache-2.0
// Packets that have not left yet: ACKs that overtake them, and payload that cannot be read.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

TEST_CASE("requester: RQ-20: an ACK drops retransmissions that wait, up to its PSN") {
  Rig r;
  for (unsigned i = 0; i < 4; ++i) r.plan({i});
  r.run(20);
  r.expire(false);
  r.tx_ready = false;
  for (unsigned i = 0; i < 4; ++i) r.plan({i, WrOp::kWrite, 64, 2});
  r.run(10);
  r.packets.clear();
  r.acknowledge(kFirst + 1);  // acknowledges the first copies of 0 and 1
  r.tx_ready = true;
  r.run(20);
  CHECK(r.psns() == List{0, 1});
  CHECK(r.segments == 4 + 2);  // the segments of dropped packets are dropped, too
  CHECK(r.done.size() == 2);
  r.acknowledge(1);
  CHECK(r.done.size() == 4);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: RQ-20: no completion while a retransmission of its message is on the way") {
  Rig r;
  for (unsigned i = 0; i < 3; ++i) r.plan({i});
  r.run(20);
  r.expire(false);
  r.leaving = false;
  for (unsigned i = 0; i < 3; ++i) r.plan({i, WrOp::kWrite, 64, 2});
  r.run(20);
  CHECK(r.packets.size() == 6);
  r.acknowledge(0);  // acknowledges the first copies
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

TEST_CASE(
    "requester: RQ-20: no completion while an old copy is on the way, whatever part was "
    "retransmitted") {
  Rig r;
  r.leaving = false;
  r.plan({0, WrOp::kWrite, 256, 1, 0, 512, true, false});
  r.plan({0, WrOp::kWrite, 256, 1, 256, 512, false, true});
  r.run(10);
  r.acknowledge(kFirst);                    // the peer may have it before `sent_i` reports it
  r.acknowledge(kFirst + 1, kNakSequence);  // leads back to the second packet
  r.plan({0, WrOp::kWrite, 256, 2, 256, 512, false, true});
  r.run(10);
  CHECK(r.packets.size() == 3);
  r.acknowledge(kFirst + 1);
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
  r.acknowledge(kFirst);
  CHECK(r.done.size() == 1);  // its packet has left, the next one has not
}

TEST_CASE("requester: RQ-20: errors and flushes wait for all packets on the way") {
  Rig r(0);
  r.leaving = false;
  r.plan({0});
  r.plan({1});
  r.run(20);
  r.expire(false);
  r.state(QpState::kErr);
  r.control(true, 3);
  r.run(100);
  CHECK(r.done.empty());
  r.leaving = true;
  r.run(100);
  REQUIRE(r.done.size() == 3);
  CHECK(r.done[0].status == Status::kRetryExcErr);
  CHECK(r.done[1].status == Status::kWrFlushErr);
  CHECK(r.done[2].status == Status::kWrFlushErr);
}

TEST_CASE("requester: F-80: unreadable payload of the oldest message ends it at once") {
  for (const unsigned bad : {0u, 1u, 2u}) {
    CAPTURE(bad);
    Rig r;
    r.broken = {(kFirst + bad) & kPsnMask};
    r.plan({0, WrOp::kSend, 256, 1, 0, 700, true, false});
    r.plan({0, WrOp::kSend, 256, 1, 256, 700, false, false});
    r.plan({0, WrOp::kSend, 188, 1, 512, 700, false, true});
    r.run(60);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].index == 0);
    CHECK(r.done[0].status == Status::kLocProtErr);
    CHECK(r.done[0].vendor == VendorErr::kPayload);
    CHECK(r.fails == 1);
    r.state(QpState::kErr);
    r.control(true, 2);
    r.run(40);
    REQUIRE(r.done.size() == 2);
    CHECK(r.done[1].status == Status::kWrFlushErr);
    r.acknowledge(kFirst + 2);
    CHECK(r.done.size() == 2);
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE("requester: F-80: messages before unreadable payload complete, messages after it wait") {
  for (const bool nak : {false, true}) {
    CAPTURE(nak);
    Rig r(0);  // no retries, as no packet is lost
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
    r.acknowledge(nak ? kFirst + 1 : kFirst, nak ? kNakSequence : kAckNoCredits);
    REQUIRE(r.done.size() == 2);
    CHECK(r.done[0].status == Status::kSuccess);
    CHECK(r.done[1].index == 1);
    CHECK(r.done[1].status == Status::kLocProtErr);
    CHECK(r.fails == 1);
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE(
    "requester: F-80: a retransmission that cannot be read is no error if the peer has the "
    "packet") {
  Rig r;
  r.plan({0});
  r.plan({1});
  r.plan({2});
  r.run(20);
  r.expire(false);
  r.broken = {kFirst + 1};
  r.leaving = false;
  for (unsigned i = 0; i < 3; ++i) r.plan({i, WrOp::kWrite, 64, 2});
  r.run(10);
  r.leaving = true;
  r.run(20);
  CHECK(r.done.empty());
  r.acknowledge(kFirst + 1);  // acknowledges the first copies
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[1].status == Status::kSuccess);
  CHECK(r.pointers.back().index == 2);  // continues after it
  r.plan({2, WrOp::kWrite, 64, 3});
  r.run(20);
  r.acknowledge(0);
  REQUIRE(r.done.size() == 3);
  CHECK(r.done[2].status == Status::kSuccess);
  CHECK(r.fails == 0);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: F-80: a fault of a packet that is no longer in flight has no effect") {
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
  r.plan({0, WrOp::kWrite, 64, 2});
  r.plan({1, WrOp::kWrite, 64, 2});
  r.run(20);
  r.acknowledge(kFirst + 1);
  CHECK(r.done.size() == 2);
  CHECK(r.fails == 0);
}
