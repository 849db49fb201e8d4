// SPDX-License-Identifier: Apache-2.0
// Errors of queue pairs that use a shared receive queue, and of the queue itself.
#include "rtl/rq/rq_shared.hpp"

namespace {

using namespace rq;

TEST_CASE(
    "rq: an error ends the receive that is held, not the others of the SRQ; then QpLastWqe "
    "(F-89)") {
  SUBCASE("request error in the middle of a SEND") {
    Shared b(2);
    const unsigned tag = b.give(0x100000, 1000);
    b.give(0x110000, 1000);
    b.run();
    b.packet(1, kRcSendFirst, Rig::pattern(256, 1));
    b.packet(1, kRcWriteOnly, Rig::pattern(8, 1));
    b.run();
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].index == tag);
    CHECK(b.completions[0].status == Status::kRemInvReqErr);
    CHECK(b.count(EventKind::kQpLastWqe, 1) == 1);
    const Bytes data = Rig::pattern(20, 7);
    b.packet(2, kRcSendOnly, data);
    b.run();
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[1].index == tag + 1);
    CHECK(b.completions[1].status == Status::kSuccess);
    CHECK(b.holds(0x110000, data));
  }
  SUBCASE("moved to ERR with a receive held, and with none; reported once") {
    Shared b(2);
    const unsigned tag = b.give(0x100000, 1000);
    b.give(0x110000, 1000);
    b.run();
    b.packet(1, kRcSendFirst, Rig::pattern(256, 1));
    b.run();
    for (int times = 0; times < 2; ++times) {
      for (unsigned q : {1u, 2u}) {
        b.set_state(q, QpState::kErr);
        b.event(q, QpEvent::kFlush);
        b.run();
        CHECK(b.count(EventKind::kQpLastWqe, q) == 1);
      }
    }
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].index == tag);
    CHECK(b.completions[0].status == Status::kWrFlushErr);
    CHECK(b.srq_live(kSrqNumber).consumer == 1);
    // Another generation of queue pair 1 takes the second one.
    b.connect_shared(1);
    b.packet(1, kRcSendOnly, Rig::pattern(5, 5));
    b.run();
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[1].index == tag + 1);
    CHECK(b.completions[1].status == Status::kSuccess);
    b.set_state(1, QpState::kErr);
    b.event(1, QpEvent::kFlush);
    b.run();
    CHECK(b.count(EventKind::kQpLastWqe, 1) == 2);
  }
  SUBCASE("while others send without a pause") {
    Shared b(2);
    b.write_delay = 300;
    b.give(0x100000, 1000);
    b.run();
    Attr attr;
    b.connect(7, attr);
    b.packet(1, kRcSendFirst, Rig::pattern(256, 1));
    std::uint32_t next = attr.rq_psn;
    auto send = [&] {
      Request r;
      r.qpn = 7;
      r.opcode = kRcWriteOnly;
      r.psn = next++;
      r.va = kIova + 0x108000;
      r.rkey = kRegion;
      r.length = 64;
      r.payload = Rig::pattern(64, next);
      b.send(r);
    };
    b.regions.push_back({kOtherRegion, kPd, kEveryRight, kIova + 0x100000, 0x40000, 0x100000});
    for (int i = 0; i < 40; ++i) {
      send();
      b.requests.back().rkey = kOtherRegion;
    }
    for (int i = 0; i < 60; ++i) b.clock();
    b.set_state(1, QpState::kErr);
    b.event(1, QpEvent::kFlush);
    for (int i = 0; i < 1500 && b.count(EventKind::kQpLastWqe, 1) == 0; ++i) {
      if (b.requests.size() < 4) {
        send();
        b.requests.back().rkey = kOtherRegion;
      }
      b.clock();
    }
    CHECK(b.count(EventKind::kQpLastWqe, 1) == 1);
    CHECK(b.completions.size() == 1);  // the receive held was completed before
    b.run();
  }
  SUBCASE("too long, and a key of the queue pair's own domain") {
    Shared b(2);
    b.regions.push_back({kOtherRegion, kPd, kEveryRight, kIova + 0x100000, 0x40000, 0x100000});
    const unsigned tag = b.give(0x100000, 100);
    b.post_srq(kSrqNumber, {{kIova + 0x100000, 100, kOtherRegion}}, 1);
    b.run();
    const Bytes before = b.memory;
    b.packet(1, kRcSendOnly, Rig::pattern(101, 1));
    b.packet(2, kRcSendOnly, Rig::pattern(100, 1));
    b.run();
    CHECK(b.memory == before);
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[0].index == tag);
    CHECK(b.completions[0].status == Status::kLocLenErr);
    CHECK(b.completions[1].index == 1);
    CHECK(b.completions[1].status == Status::kLocProtErr);
    REQUIRE(b.responses.size() == 2);
    CHECK(b.responses[0].syndrome == kNakInvalid);
    CHECK(b.responses[1].syndrome == kNakOperational);
  }
}

TEST_CASE("rq: an SRQ that cannot be read, or has an invalid doorbell, breaks; its users fail") {
  for (bool invalid : {false, true}) {
    CAPTURE(invalid);
    Shared b(3);
    const unsigned tag = b.give(0x100000, 1000);
    b.run();
    b.packet(3, kRcSendFirst, Rig::pattern(256, 1));
    b.run();
    b.read_errors = !invalid;
    if (invalid)
      b.srq_doorbell(kSrqNumber, 18);
    else
      b.give(0x110000, 10);
    b.run();
    CHECK(b.count(EventKind::kSrqError, kSrqNumber) == 1);
    CHECK(b.fails.empty());
    b.packet(1, kRcSendOnly, Rig::pattern(5, 1));
    b.run();
    REQUIRE(!b.fails.empty());
    for (auto& fail : b.fails) CHECK(fail == Bench::Event(EventKind::kQpFatal, 1));
    CHECK_FALSE(b.responses.empty());
    CHECK(b.count(EventKind::kQpLastWqe, 1) == 1);
    CHECK(b.completions.empty());
    // The receive that was taken before is valid.
    b.packet(3, kRcSendLast, Rig::pattern(5, 1));
    b.run();
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].index == tag);
    CHECK(b.completions[0].status == Status::kSuccess);
    // A new ring repairs it.
    b.read_errors = false;
    Srq s;
    s.valid = false;
    b.srq_row(kSrqNumber, s);
    s.valid = true;
    b.srq_row(kSrqNumber, s);
    b.srq_posted[kSrqNumber] = 0;
    b.give(0x100000, 10);
    b.packet(2, kRcSendOnly, Rig::pattern(5, 1));
    b.run();
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[1].status == Status::kSuccess);
  }
}

}  // namespace
