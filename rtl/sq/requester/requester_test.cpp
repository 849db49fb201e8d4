// SPDX-License-Identifier: Apache-2.0
// Window, retries, NAKs and RNR waits.
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
  CHECK(r.packets.size() == 2);  // the other two are gone, with their segments
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

TEST_CASE("requester: RQ-43: an error completes after what was sent before it") {
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
