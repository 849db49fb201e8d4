// SPDX-License-Identifier: Apache-2.0
// Unreliable connections: a message is complete when its last packet has left.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

namespace {

constexpr unsigned kSends = layout::number(layout::FailKind::kSends);

struct Unreliable : Rig {
  Unreliable() : Rig(0, 0, 0, Service::kUc) {}
};

}  // namespace

TEST_CASE("requester: UC-01: a message is complete when it has left, without a response") {
  Unreliable r;
  r.leaving = false;
  r.plan({0, WrOp::kSend, 256, 1, 0, 600, true, false});
  r.plan({0, WrOp::kSend, 256, 1, 256, 600, false, false});
  r.plan({0, WrOp::kSend, 88, 1, 512, 600, false, true});
  r.plan({1, WrOp::kWriteImm});
  r.run(60);
  REQUIRE(r.packets.size() == 4);
  const unsigned opcodes[] = {kUcSendFirst, kUcSendMiddle, kUcSendLast, kUcWriteOnlyImm};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(r.packets[i].opcode == opcodes[i]);
    CHECK_FALSE(r.packets[i].ack);
  }
  CHECK(r.psns() == List{kFirst, 0xFFFFFF, 0, 1});
  CHECK(r.done.empty());
  CHECK_FALSE(r.dut->idle_o);
  r.leaving = true;
  r.run(60);
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[0].status == Status::kSuccess);
  CHECK(r.done[0].opcode == WcOp::kSend);
  CHECK(r.done[1].index == 1);
  CHECK(r.done[1].opcode == WcOp::kWrite);
  CHECK(r.counts[QpCounter::kRxPackets] == 0);
  CHECK(r.counts[QpCounter::kTxPackets] == 4);
  CHECK(r.live(layout::qp_live::sq_idle));
  CHECK(r.live(layout::qp_live::sq_psn) == 2);
  r.run(5);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: UC-01: a message longer than the window, and many messages") {
  Unreliable r;
  constexpr unsigned kPackets = 600;
  for (unsigned i = 0; i < kPackets; ++i) {
    r.plan({0, WrOp::kWrite, 256, 1, i * 256, kPackets * 256, i == 0, i == kPackets - 1});
    r.run(3);
  }
  r.run(100);
  CHECK(r.packets.size() == kPackets);
  CHECK(r.done.size() == 1);
  for (unsigned i = 1; i < 200; ++i) {
    Plan p{i};
    p.signaled = i % 2 != 0;
    r.plan(p);
    r.run(4);
  }
  r.run(100);
  CHECK(r.done.size() == 101);
  CHECK(r.pointers.empty());  // nothing was blocked
  CHECK(r.live(layout::qp_live::sq_completed) == 200);
  r.run(5);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: UC-01: packets of several queue pairs take three clocks with their reports") {
  Unreliable r;
  constexpr unsigned kPairs = 8, kEach = 40;
  for (unsigned q = 1; q < kPairs; ++q) {
    r.qp = kRow + q;
    r.begin(0, 0, 0, Service::kUc);
  }
  const std::uint64_t from = r.dut.cycle();
  for (unsigned i = 0; i < kEach; ++i) {
    for (unsigned q = 0; q < kPairs; ++q) {
      r.qp = kRow + q;
      r.plan({i});
    }
  }
  while (r.done.size() < kPairs * kEach && r.dut.cycle() < from + 4000) r.tick();
  CHECK(r.done.size() == kPairs * kEach);
  const double clocks = static_cast<double>(r.dut.cycle() - from) / (kPairs * kEach);
  MESSAGE("clocks per packet: " << clocks);
  CHECK(clocks <= 3.2);
  r.run(5);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: UC-06: READ, atomics and SEND with invalidate are not there") {
  for (const WrOp opcode : {WrOp::kRead, WrOp::kCmpSwap, WrOp::kFetchAdd, WrOp::kSendInv}) {
    Unreliable r;
    Plan p{0, opcode};
    p.segments = false;
    r.plan(p);
    r.run(40);
    CHECK(r.packets.empty());
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].status == Status::kLocQpOpErr);
    CHECK(r.done[0].vendor == VendorErr::kLocalFormat);
    CHECK(r.failure == kSends);
  }
}

TEST_CASE("requester: UC-01: a failed message leads to SQE, and the next one goes on after it") {
  Unreliable r;
  r.plan({0});
  r.plan(bad_plan(1, Status::kLocProtErr));
  r.plan({2});
  r.run(60);
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[0].status == Status::kSuccess);
  CHECK(r.done[1].status == Status::kLocProtErr);
  CHECK(r.fails == 1);
  CHECK(r.failure == kSends);
  r.state(QpState::kSqe);
  r.control(true, 4);
  r.run(60);
  REQUIRE(r.done.size() == 4);
  CHECK(r.done[3].index == 3);
  CHECK(r.done[3].status == Status::kWrFlushErr);
  r.pointers.clear();
  r.state(QpState::kRts);
  r.control(false, 0, true);
  r.run(20);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 4);
  CHECK(r.pointers[0].ready);
  r.plan({4, WrOp::kWrite, 64, r.pointers[0].epoch});
  r.run(60);
  REQUIRE(r.packets.size() == 2);
  CHECK(r.packets[1].psn == 0xFFFFFF);
  REQUIRE(r.done.size() == 5);
  CHECK(r.done[4].status == Status::kSuccess);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: UC: no PSN is used twice when a message fails after its first packet") {
  Unreliable r;
  r.plan({0});
  r.plan({1});
  r.plan({2, WrOp::kWrite, 256, 1, 0, 512, true, false});
  r.run(40);
  Plan rest = bad_plan(2, Status::kLocProtErr);
  rest.first = false;
  r.plan(rest);
  r.run(60);
  REQUIRE(r.done.size() == 3);
  CHECK(r.done[2].status == Status::kLocProtErr);
  CHECK(r.failure == kSends);
  r.state(QpState::kSqe);
  r.control(true, 3);
  r.run(40);
  r.pointers.clear();
  r.state(QpState::kRts);
  r.control(false, 0, true);
  r.run(20);
  REQUIRE(r.pointers.size() == 1);
  r.plan({3, WrOp::kWrite, 64, r.pointers[0].epoch});
  r.run(60);
  CHECK(r.psns() == List{kFirst, 0xFFFFFF, 0, 1});
  CHECK(r.done.back().status == Status::kSuccess);
}

TEST_CASE("requester: UC-01: a message whose payload cannot be read fails") {
  for (const unsigned at : {0u, 1u, 2u}) {
    Unreliable r;
    r.broken = {(kFirst + 1 + at) & kPsnMask};
    r.leaving = false;
    r.plan({0});
    for (unsigned i = 0; i < 3; ++i) {
      r.plan({1, WrOp::kWrite, 256, 1, i * 256, 768, i == 0, i == 2});
    }
    r.run(30);
    r.leaving = true;
    r.run(100);
    REQUIRE(r.done.size() == 2);
    CHECK(r.done[0].status == Status::kSuccess);
    CHECK(r.done[1].index == 1);
    CHECK(r.done[1].status == Status::kLocProtErr);
    CHECK(r.done[1].vendor == VendorErr::kPayload);
    CHECK(r.failure == kSends);
    CHECK(r.dut->idle_o);
  }
}
