// SPDX-License-Identifier: Apache-2.0
// Window, retries, NAKs and RNR waits.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

TEST_CASE("requester: RQ-01, RQ-12, RQ-16: PSNs, window and completions over the wrap") {
  Rig r;
  for (unsigned i = 0; i < 4; ++i) r.plan({i});
  r.run(20);
  CHECK(r.psns() == List{kFirst, 0xFFFFFF, 0, 1});
  CHECK(r.segments == 4);
  r.acknowledge(2);         // never sent
  r.acknowledge(0xFFFFFD);  // before the first
  CHECK(r.ghosts == 2);
  CHECK(r.done.empty());
  r.acknowledge(0);
  REQUIRE(r.done.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(r.done[i].index == i);
    CHECK(r.done[i].opcode == WcOp::kWrite);
  }
  CHECK(r.live(layout::qp_live::sq_una_psn) == 1);
  CHECK_FALSE(r.live(layout::qp_live::sq_idle));
  r.acknowledge(1);
  CHECK(r.done.size() == 4);
  CHECK(r.live(layout::qp_live::sq_idle));
  CHECK(r.timers.back().first == TimerOp::kStop);
  CHECK(r.counts[QpCounter::kTxPackets] == 4);
  CHECK(r.counts[QpCounter::kRxPackets] == 2);
}

TEST_CASE("requester: packets are sent while completions wait for memory") {
  Rig r;
  for (unsigned i = 0; i < 30; ++i) r.plan({i});
  r.run(200);
  REQUIRE(r.packets.size() == 30);
  r.cqe_ready = false;
  // Responses are offered for as long as they are taken.
  unsigned acked = 0, waits = 0;
  while (waits < 50) {
    port::put(r.dut->rsp_meta_i, layout::rx_meta::qpn, kRow);
    port::put(r.dut->rsp_meta_i, layout::rx_meta::opcode, kRcAck);
    port::put(r.dut->rsp_meta_i, layout::rx_meta::psn, (kFirst + acked) & kPsnMask);
    port::put(r.dut->rsp_meta_i, layout::rx_meta::ext, layout::aeth::syndrome, kAckNoCredits);
    r.dut->rsp_meta_valid_i = acked < 29;
    r.dut.settle();
    const bool taken = r.dut->rsp_meta_valid_i && r.dut->rsp_meta_ready_o;
    r.tick();
    acked += taken;
    waits = taken ? 0 : waits + 1;
  }
  CHECK(acked >= 16);
  CHECK(acked < 29);
  CHECK(r.done.empty());
  for (unsigned i = 30; i < 36; ++i) r.plan({i});
  r.run(60);
  CHECK(r.packets.size() == 36);
  r.cqe_ready = true;
  r.dut->rsp_meta_valid_i = 0;
  r.acknowledge(kFirst + 35);
  r.run(100);
  REQUIRE(r.done.size() == 36);
  for (unsigned i = 0; i < 36; ++i) CHECK(r.done[i].index == i);
  CHECK(r.live(layout::qp_live::sq_idle));
}

TEST_CASE("requester: a response waits for room for all that it completes") {
  Rig r;
  for (unsigned i = 0; i < 16; ++i) r.plan({i});
  r.run(100);
  r.cqe_ready = false;
  r.acknowledge(kFirst + 15);
  r.run(100);
  for (unsigned i = 16; i < 46; ++i) r.plan({i});
  r.run(200);
  REQUIRE(r.packets.size() == 46);
  // More than the queue holds with those that wait in it.
  r.acknowledge(kFirst + 45);
  r.run(100);
  CHECK(r.done.empty());
  r.cqe_ready = true;
  r.run(100);
  REQUIRE(r.done.size() == 46);
  for (unsigned i = 0; i < 46; ++i) CHECK(r.done[i].index == i);
  CHECK(r.live(layout::qp_live::sq_idle));
}

TEST_CASE(
    "requester: RQ-19, RQ-21: a NAK leads back into the message and drops packets that wait") {
  Rig r;
  r.tx_ready = false;
  r.plan({0, WrOp::kWrite, 256, 1, 0, 700, true, false});
  r.plan({0, WrOp::kWrite, 256, 1, 256, 700, false, false});
  r.run(10);
  r.tx_ready = true;
  r.run(5);
  r.tx_ready = false;
  r.plan({0, WrOp::kWrite, 188, 1, 512, 700, false, true});
  r.plan({1});
  r.run(10);
  CHECK(r.packets.size() == 2);
  r.acknowledge(0xFFFFFF, kNakSequence);
  r.tx_ready = true;
  r.run(20);
  CHECK(r.packets.size() == 2);  // the other two were dropped, with their segments
  CHECK(r.segments == 2);
  CHECK(r.counts[QpCounter::kTxPackets] == 2);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 0);
  CHECK(r.pointers[0].offset == 256);
  CHECK(r.pointers[0].epoch == 2);
  CHECK(r.pointers[0].ready);
  r.plan({1, WrOp::kWrite, 64, 1});  // segmented before
  r.run(10);
  CHECK(r.packets.size() == 2);
  r.plan({0, WrOp::kWrite, 256, 2, 256, 700, false, false});
  r.run(10);
  CHECK(r.packets.back().psn == 0xFFFFFF);
  CHECK(r.counts[QpCounter::kRetries] == 1);
  CHECK(r.counts[QpCounter::kNaksReceived] == 1);
  r.acknowledge(0xFFFFFF, kNakSequence);  // F-10: a copy
  CHECK(r.pointers.size() == 1);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: RQ-23, RQ-49: a fatal NAK fails its message, once, and the rest is flushed") {
  Rig r;
  for (unsigned i = 0; i < 3; ++i) r.plan({i});
  r.acknowledge(0xFFFFFF, kNakAccess);
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[0].status == Status::kSuccess);
  CHECK(r.done[1].status == Status::kRemAccessErr);
  CHECK(r.fails == 1);
  r.acknowledge(0);
  CHECK(r.ghosts == 1);
  r.state(QpState::kErr);
  r.control(true, 7);
  r.run(40);
  REQUIRE(r.done.size() == 7);
  for (unsigned i = 2; i < 7; ++i) {
    CHECK(r.done[i].index == i);
    CHECK(r.done[i].status == Status::kWrFlushErr);
  }
  r.plan({7});
  r.run(10);
  CHECK(r.packets.size() == 3);
}

TEST_CASE("requester: RQ-33: retries run out") {
  Rig r(1);
  r.plan({0});
  r.run(10);
  r.expire(false);
  CHECK(r.pointers.size() == 1);
  r.plan({0, WrOp::kWrite, 64, 2});
  r.run(10);
  r.expire(false);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status == Status::kRetryExcErr);
  CHECK(r.counts[QpCounter::kTimeouts] == 2);
}

TEST_CASE("requester: RQ-25, RQ-26, RQ-28: in an RNR wait only the RNR timer counts") {
  Rig r(7, 4, 1);
  r.plan({0, WrOp::kSend});
  r.run(10);
  r.acknowledge(kFirst, kRnr13);
  REQUIRE(r.timers.back() == std::make_pair(TimerOp::kRnr, kRnrTimer));
  REQUIRE(r.pointers.size() == 1);
  CHECK_FALSE(r.pointers[0].ready);
  const std::size_t commands = r.timers.size();
  r.expire(false);  // the transport timer of before
  CHECK(r.timers.size() == commands);
  CHECK(r.pointers.size() == 1);
  r.expire(true);
  REQUIRE(r.pointers.size() == 2);
  CHECK(r.pointers[1].ready);
  r.plan({0, WrOp::kSend, 64, 2});
  r.run(10);
  r.acknowledge(kFirst, kRnr13);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status == Status::kRnrRetryExcErr);
}

TEST_CASE("requester: RQ-43: an error completes after what was sent before it") {
  Rig r;
  r.plan({0});
  r.plan(bad_plan(1, Status::kLocProtErr));
  r.plan({2});
  r.run(10);
  CHECK(r.packets.size() == 1);
  CHECK(r.done.empty());
  r.acknowledge(kFirst);
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[0].status == Status::kSuccess);
  CHECK(r.done[1].status == Status::kLocProtErr);
  CHECK(r.fails == 1);
}

TEST_CASE("requester: the ring limits the messages in flight") {
  Rig r;  // 128 messages
  unsigned index = 0;
  while (r.pointers.empty()) r.plan({index++});
  r.run(20);
  CHECK(r.packets.size() == 128);
}

TEST_CASE("requester: RQ-11: the window limits the packets in flight") {
  Rig w;  // 256 packets
  unsigned sent = 0;
  while (w.pointers.empty()) {
    w.plan({0, WrOp::kWrite, 256, 1, sent * 256, 1 << 20, sent == 0, false});
    ++sent;
  }
  w.run(20);
  CHECK(w.packets.size() == 256);
  CHECK(w.pointers[0].offset == 256 * 256);
  CHECK_FALSE(w.pointers[0].ready);
}

TEST_CASE("requester: plans of one queue pair take a clock each, and two when they must look") {
  constexpr unsigned kPlans = 16;
  struct Way {
    const char* name;
    WrOp opcode;
    unsigned clocks;
  };
  for (const Way& way :
       {Way{"WRITE", WrOp::kWrite, 1}, Way{"SEND", WrOp::kSend, 1}, Way{"READ", WrOp::kRead, 2}}) {
    CAPTURE(std::string(way.name));
    Rig r(7, kPlans);
    const unsigned begin = r.clocks;
    for (unsigned i = 0; i < kPlans; ++i) r.plan({i, way.opcode});
    const unsigned clocks = r.clocks - begin;
    CHECK(clocks >= way.clocks * kPlans - 2);
    CHECK(clocks <= way.clocks * kPlans + 4);
    r.run(60);
    REQUIRE(r.packets.size() == kPlans);
    for (unsigned i = 0; i < kPlans; ++i) CHECK(r.packets[i].psn == ((kFirst + i) & kPsnMask));
  }
}

TEST_CASE("requester: a fenced, a bad or an old plan looks at the word of the one before it") {
  for (unsigned before = 1; before < 20; ++before) {
    CAPTURE(before);
    SUBCASE("fenced") {
      Rig r;
      r.plan({0, WrOp::kRead, 64});
      for (unsigned i = 1; i <= before; ++i) r.plan({i});
      Plan last{before + 1};
      last.fence = true;
      r.plan(last);
      r.run(80);
      CHECK(r.packets.size() == 1 + before);
      CHECK(r.pointers.size() == 1);
    }
    SUBCASE("bad") {
      Rig r;
      for (unsigned i = 0; i < before; ++i) r.plan({i});
      r.plan(bad_plan(before, Status::kLocProtErr));
      r.plan({before + 1});
      r.run(80);
      CHECK(r.packets.size() == before);
      r.acknowledge(kFirst + before - 1);
      REQUIRE(r.done.size() == before + 1);
      CHECK(r.done.back().status == Status::kLocProtErr);
    }
    SUBCASE("old") {
      Rig r;
      for (unsigned i = 0; i < before; ++i) r.plan({i});
      Plan stale{before};
      stale.epoch = 9;
      r.plan(stale);
      r.run(80);
      CHECK(r.packets.size() == before);
    }
  }
}

TEST_CASE("requester: RQ-50: a SEND right after a WRITE waits for the credit that it needs") {
  Rig r;
  r.plan({0});
  r.acknowledge(kFirst, 0);  // no credits
  r.plan({1});
  r.plan({2, WrOp::kSend});
  r.run(20);
  CHECK(r.packets.size() == 2);
  CHECK(r.pointers.size() == 1);
}
