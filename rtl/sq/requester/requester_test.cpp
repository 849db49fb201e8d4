// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

TEST_CASE("requester: RQ-01, RQ-12, RQ-16: PSNs, window and completions over the wrap") {
  Rig r;
  for (unsigned i = 0; i < 4; ++i) r.plan({i});
  r.run(20);
  CHECK(r.psns() == List{0xFFFFFE, 0xFFFFFF, 0, 1});
  CHECK(r.pieces == 4);
  r.respond(kAck, 2, 0x1F);         // never sent
  r.respond(kAck, 0xFFFFFD, 0x1F);  // before the first
  CHECK(r.ghosts == 2);
  CHECK(r.done.empty());
  r.respond(kAck, 0, 0x1F);
  REQUIRE(r.done.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(r.done[i].index == i);
    CHECK(r.done[i].opcode == 1);
  }
  CHECK(r.live("sq_una_psn") == 1);
  CHECK_FALSE(r.live("sq_idle"));
  r.respond(kAck, 1, 0x1F);
  CHECK(r.done.size() == 4);
  CHECK(r.live("sq_idle"));
  CHECK(r.timers.back().first == kStop);
  CHECK(r.counts[0] == 4);
  CHECK(r.counts[2] == 2);
}

TEST_CASE("requester: RQ-19, RQ-21: a NAK goes back into the message and drops what waits") {
  Rig r;
  r.tx_ready = false;
  r.plan({0, kWrite, 256, 1, 0, 0, 700, true, false});
  r.plan({0, kWrite, 256, 1, 0, 256, 700, false, false});
  r.run(10);
  r.tx_ready = true;
  r.run(5);
  r.tx_ready = false;
  r.plan({0, kWrite, 188, 1, 0, 512, 700, false, true});
  r.plan({1});
  r.run(10);
  CHECK(r.packets.size() == 2);
  r.respond(kAck, 0xFFFFFF, 0x60);
  r.tx_ready = true;
  r.run(20);
  CHECK(r.packets.size() == 2);  // the other two are gone, with their pieces
  CHECK(r.pieces == 2);
  CHECK(r.counts[0] == 2);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 0);
  CHECK(r.pointers[0].offset == 256);
  CHECK(r.pointers[0].epoch == 2);
  CHECK(r.pointers[0].ready);
  r.plan({1, kWrite, 64, 1});  // cut before
  r.run(10);
  CHECK(r.packets.size() == 2);
  r.plan({0, kWrite, 256, 2, 0, 256, 700, false, false});
  r.run(10);
  CHECK(r.packets.back().psn == 0xFFFFFF);
  CHECK(r.counts[4] == 1);
  CHECK(r.counts[7] == 1);
  r.respond(kAck, 0xFFFFFF, 0x60);  // F-10: a copy
  CHECK(r.pointers.size() == 1);
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: RQ-23, RQ-49: a fatal NAK fails its message, once, and the rest flushes") {
  Rig r;
  for (unsigned i = 0; i < 3; ++i) r.plan({i});
  r.respond(kAck, 0xFFFFFF, 0x62);
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[0].status == kSuccess);
  CHECK(r.done[1].status == kRemAccessErr);
  CHECK(r.fails == 1);
  r.respond(kAck, 0, 0x1F);
  CHECK(r.ghosts == 1);
  r.state(kErr);
  r.control(true, 7);
  r.run(40);
  REQUIRE(r.done.size() == 7);
  for (unsigned i = 2; i < 7; ++i) {
    CHECK(r.done[i].index == i);
    CHECK(r.done[i].status == kWrFlushErr);
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
  r.plan({0, kWrite, 64, 2});
  r.run(10);
  r.expire(false);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status == kRetryExcErr);
  CHECK(r.counts[5] == 2);
}

TEST_CASE("requester: RQ-25, RQ-26, RQ-28: in an RNR wait only the RNR timer counts") {
  Rig r(7, 4, 1);
  r.plan({0, kSend});
  r.run(10);
  r.respond(kAck, 0xFFFFFE, 0x20 | 13);
  REQUIRE(r.timers.back() == std::make_pair(kRnr, 13u));
  REQUIRE(r.pointers.size() == 1);
  CHECK_FALSE(r.pointers[0].ready);
  const std::size_t orders = r.timers.size();
  r.expire(false);  // of before
  CHECK(r.timers.size() == orders);
  CHECK(r.pointers.size() == 1);
  r.expire(true);
  REQUIRE(r.pointers.size() == 2);
  CHECK(r.pointers[1].ready);
  r.plan({0, kSend, 64, 2});
  r.run(10);
  r.respond(kAck, 0xFFFFFE, 0x20 | 13);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status == 13);
}

TEST_CASE("requester: RQ-09, RQ-48: READ depth and fences block, and go on where they stopped") {
  Rig r(7, 2);
  for (unsigned i = 0; i < 3; ++i) r.plan({i, kRead, 300});
  r.run(10);
  CHECK(r.psns() == List{0xFFFFFE, 0});  // two PSNs each
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 2);
  CHECK_FALSE(r.pointers[0].ready);
  r.respond(0x0D, 0xFFFFFE, 0x1F, 256);
  r.respond(0x0F, 0xFFFFFF, 0x1F, 44);
  CHECK(r.placed == 2);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].len == 300);
  CHECK(r.done[0].wait_data);
  REQUIRE(r.pointers.size() == 2);  // half of the depth is free
  CHECK(r.pointers[1].ready);
  Plan fenced{2, kWrite, 64, 2};
  fenced.fence = true;
  r.plan(fenced);
  r.run(10);
  CHECK(r.packets.size() == 2);
  REQUIRE(r.pointers.size() == 3);
  r.respond(0x0D, 0, 0x1F, 256);
  CHECK(r.pointers.size() == 3);
  r.respond(0x0F, 1, 0x1F, 44);
  CHECK(r.pointers.size() == 4);
}

TEST_CASE("requester: RQ-13, RQ-37: an ACK behind a READ asks for the READ again") {
  Rig r;
  r.plan({0, kRead, 700});
  r.plan({1});
  r.respond(0x0D, 0xFFFFFE, 0x1F, 256);
  r.respond(kAck, 1, 0x1F);
  CHECK(r.done.empty());
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 0);
  CHECK(r.pointers[0].offset == 256);
  r.plan({0, kRead, 444, 2, 0, 256, 700, false, true});
  r.run(10);
  CHECK(r.packets.back().opcode == 0x0C);
  CHECK(r.packets.back().psn == 0xFFFFFF);
  r.respond(0x0D, 0xFFFFFF, 0x1F, 256);
  r.respond(0x0F, 0, 0x1F, 188);
  CHECK(r.done.size() == 1);
}

TEST_CASE("requester: RQ-38: data that do not fit are dropped, and end the READ") {
  Rig r;
  r.plan({0, kRead, 700});
  r.respond(0x0D, 0xFFFFFE, 0x1F, 252);
  REQUIRE(r.done.size() == 1);
  CHECK(r.done[0].status != kSuccess);
  CHECK(r.dropped == 1);
  CHECK(r.placed == 0);
}

TEST_CASE("requester: RQ-41: the result of an atomic is stored before its completion") {
  Rig r;
  r.plan({0, kFetchAdd, 8});
  r.run(10);
  CHECK(r.packets[0].opcode == 0x14);
  r.respond(0x12, 0xFFFFFE, 0x1F);
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
    Plan read{0, kRead, 200};
    read.signaled = false;
    r.dut->wr_done_i = ticket - 1;
    r.plan(read);
    r.ticket = ticket;
    r.respond(0x10, 0xFFFFFE, 0x1F, 200);
    CHECK(r.done.empty());
    for (unsigned i = 0; i <= later; i += 0x1000) {
      r.dut->wr_done_i = std::uint16_t(ticket + i);
      r.run(2);
    }
    r.dut->wr_done_i = std::uint16_t(ticket + later);
    r.run(2);
    Plan bind{1, kBindMw, 0, 1};
    r.plan(bind);
    r.run(30);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].wait_data);  // a fault of that data would still spoil it
    CHECK(std::int16_t(r.dut->wr_done_i - r.done[0].ticket) >= 0);
  }
}

TEST_CASE("requester: RQ-36, RQ-41: an error waits for the data of READs and atomics before it") {
  struct Way {
    const char* name;
    unsigned status;
  };
  for (const Way& way : {Way{"refused", kRemAccessErr}, Way{"bad", kLocProtErr},
                         Way{"no answer", kRetryExcErr}, Way{"flushed", kWrFlushErr}}) {
    CAPTURE(std::string(way.name));
    Rig r(0);
    Plan read{0, kRead, 200}, add{1, kFetchAdd, 8};
    read.signaled = add.signaled = false;
    r.plan(read);
    r.plan(add);
    r.plan({2, kWrite, 64, 1, way.status == kLocProtErr ? way.status : 0});
    r.run(10);
    r.ticket = 0x1234;
    r.dut->wr_done_i = 0x1233;
    r.respond(0x10, 0xFFFFFE, 0x1F, 200);
    r.respond(0x12, 0xFFFFFF, 0x1F);
    if (way.status == kRemAccessErr) r.respond(kAck, 0, 0x62);
    if (way.status == kRetryExcErr) r.expire(false);
    if (way.status == kWrFlushErr) {
      r.state(kErr);
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

TEST_CASE("requester: RQ-43: an error completes behind what was sent before it") {
  Rig r;
  r.plan({0});
  r.plan({1, kWrite, 64, 1, kLocProtErr});
  r.plan({2});
  r.run(10);
  CHECK(r.packets.size() == 1);
  CHECK(r.done.empty());
  r.respond(kAck, 0xFFFFFE, 0x1F);
  REQUIRE(r.done.size() == 2);
  CHECK(r.done[0].status == kSuccess);
  CHECK(r.done[1].status == kLocProtErr);
  CHECK(r.fails == 1);
}

TEST_CASE("requester: F-90: an executed invalidation waits for accesses of before, or is flushed") {
  for (bool flushed : {false, true}) {
    CAPTURE(flushed);
    Rig r;
    r.drains = false;
    r.plan({.index = 0, .opcode = kBindMw, .len = 0});
    r.run(100);
    CHECK(r.operations == 1);
    CHECK(r.done.empty());
    CHECK(r.pointers.empty());  // nothing behind it is fetched
    CHECK_FALSE(r.dut->idle_o);
    CHECK_FALSE(r.live("sq_idle"));
    if (flushed) {
      r.state(kErr);
      r.control(true, 1);
      r.run(100);
      REQUIRE(r.done.size() == 1);
      CHECK(r.done[0].status == kWrFlushErr);
    }
    r.drains = true;
    r.run(100);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].index == 0);
    CHECK(r.done[0].status == (flushed ? kWrFlushErr : kSuccess));
    CHECK(r.pointers.size() == (flushed ? 0 : 1));
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE("requester: RQ-54: a local operation waits until nothing is in flight, and runs once") {
  for (bool ok : {true, false}) {
    Rig r;
    r.op_ok = ok;
    r.plan({0});
    r.plan({1, kBindMw, 0});
    r.run(20);
    CHECK(r.operations == 0);
    REQUIRE(r.pointers.size() == 1);
    CHECK_FALSE(r.pointers[0].ready);
    r.respond(kAck, 0xFFFFFE, 0x1F);
    REQUIRE(r.pointers.size() == 2);
    CHECK(r.pointers[1].index == 1);
    CHECK_FALSE(r.live("sq_idle"));  // it was seen, so a drain waits for it
    r.plan({1, kBindMw, 0, 2});
    r.run(20);
    CHECK(r.operations == 1);
    REQUIRE(r.done.size() == 2);
    CHECK(r.done[1].index == 1);
    CHECK(r.done[1].status == (ok ? kSuccess : kMwBindErr));
    CHECK(r.fails == (ok ? 0 : 1));
    CHECK(r.packets.size() == 1);
    if (ok) {
      CHECK(r.done[1].opcode == 5);
      REQUIRE(r.pointers.size() == 3);
      CHECK(r.pointers[2].index == 2);
      CHECK(r.pointers[2].epoch == 3);
      CHECK(r.live("sq_idle"));
      CHECK(r.live("sq_psn") == 0xFFFFFF);
    }
  }
}

TEST_CASE("requester: the ring bounds what is in flight") {
  Rig r;  // 32 messages
  unsigned index = 0;
  while (r.pointers.empty()) r.plan({index++});
  r.run(20);
  CHECK(r.packets.size() == 32);
}

TEST_CASE("requester: RQ-11: the window bounds what is in flight") {
  Rig w;  // 256 packets
  unsigned sent = 0;
  while (w.pointers.empty()) {
    w.plan({0, kWrite, 256, 1, 0, sent * 256, 1 << 20, sent == 0, false});
    ++sent;
  }
  w.run(20);
  CHECK(w.packets.size() == 256);
  CHECK(w.pointers[0].offset == 256 * 256);
  CHECK_FALSE(w.pointers[0].ready);
}
