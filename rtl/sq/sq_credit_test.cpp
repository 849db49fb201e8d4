// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: RQ-50, F-70: credits limit SENDs; one probe goes beyond") {
  Work send = write_of(64);
  send.op = kSend;
  Bench b;
  b.connect(8);
  b.auto_peer = false;
  for (unsigned i = 0; i < 3; ++i) b.post(8, send);
  b.ring(8, 1);
  b.run(400);
  REQUIRE(b.sent.size() == 1);
  b.peers[8].msn = 1;
  b.respond(8, 0x11, 0, 0x00);  // acknowledged, no credits
  b.run(100);
  b.ring(8, 3);
  b.run(1500);
  CHECK(b.sent.size() == 2);  // one probe
  CHECK(b.sent[1].ack);
  // Credits come by repeating the newest acknowledgement: MSN 1 and 2 credits is SSN 3.
  b.respond(8, 0x11, 0, 0x02);
  b.run(600);
  CHECK(b.sent.size() == 3);
  b.peers[8].msn = 3;
  b.respond(8, 0x11, 2, 0x00);
  REQUIRE(b.until(3));
  for (const Completion& c : b.done) CHECK(c.status == kSuccess);

  // WRITE and READ need no credits, WRITE with immediate does; code 31 lifts the limit.
  b.post(8, write_of(64));
  b.post(8, read_of(64));
  Work imm = write_of(64);
  imm.op = kWriteImm;
  for (unsigned i = 0; i < 4; ++i) b.post(8, imm);
  b.ring(8);
  b.run(1500);
  CHECK(b.sent.size() == 5);  // the WRITE and the READ; something is in flight, so no probe
  b.peers[8].msn = 4;
  b.respond(8, 0x11, 3, 0x00);
  b.run(1500);
  CHECK(b.sent.size() == 5);
  b.peers[8].msn = 5;
  b.respond(8, 0x10, 4, 0x00, Bytes(64));
  b.run(1500);
  CHECK(b.sent.size() == 6);
  b.peers[8].msn = 6;
  b.respond(8, 0x11, 5, 0x1F);
  b.run(1500);
  CHECK(b.sent.size() == 9);
  b.respond(8, 0x11, 8, 0x1F);
  REQUIRE(b.until(9));
}

TEST_CASE("sq: RQ-50: what each credit code allows") {
  const unsigned credits[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  for (unsigned code = 0; code < 17; ++code) {
    CAPTURE(code);
    Bench b;
    b.latency = 5;
    b.transport_time = 100000;
    Attr a;
    a.sq_log = 9;
    b.connect(8, a);
    b.auto_peer = false;
    Work send = write_of(1);
    send.op = kSend;
    send.signaled = false;
    for (unsigned i = 0; i < 300; ++i) b.post(8, send);
    b.ring(8, 1);
    b.run(100);
    b.peers[8].msn = 1;
    b.respond(8, 0x11, 0, code);
    b.run(50);
    b.ring(8);
    // Each packet is acknowledged with an MSN that stays, so the limit stays; the last one is not.
    std::size_t seen = 1;
    for (unsigned i = 0; i < 6000; ++i) {
      b.tick();
      if (b.sent.size() > seen && seen < credits[code]) b.respond(8, 0x11, unsigned(seen), code);
      if (b.sent.size() > seen) ++seen;
    }
    // a probe when nothing is in flight, and so for no credits only
    CHECK(b.sent.size() == 1 + (code == 0 ? 1 : credits[code]));
  }
}

TEST_CASE("sq: RQ-50: what was sent before is retransmitted whatever the credits are now") {
  // The peer has all of it and acknowledges all in one: that counts only if all went out again.
  Bench b;
  b.connect(8);
  b.auto_peer = false;
  Work send = write_of(64);
  send.op = kSend;
  b.post(8, write_of(64));
  b.post(8, write_of(64));
  b.post(8, send);
  b.ring(8);
  b.run(800);
  REQUIRE(b.sent.size() == 3);
  b.peers[8].msn = 1;
  b.respond(8, 0x11, 0, 0x00);  // no credits: the SEND would be the third message of one
  b.run(b.transport_time + 800);
  REQUIRE(b.sent.size() == 5);
  CHECK(b.sent[3].psn == 1);
  CHECK(b.sent[4].psn == 2);
  b.peers[8].msn = 3;
  b.respond(8, 0x11, 2, 0x00);
  REQUIRE(b.until(3));
  for (const Completion& c : b.done) CHECK(c.status == kSuccess);
}
