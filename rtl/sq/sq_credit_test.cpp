// SPDX-License-Identifier: Apache-2.0
// Credits of the peer.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: RQ-50, F-70: credits limit SENDs; one probe goes beyond") {
  Work send = write_of(64);
  send.op = WrOp::kSend;
  Bench b;
  b.connect(8);
  b.auto_peer = false;
  for (unsigned i = 0; i < 3; ++i) b.post(8, send);
  b.ring(8, 1);
  b.run(400);
  REQUIRE(b.sent.size() == 1);
  b.peers[8].msn = 1;
  b.acknowledge(8, 0, credits(0));  // acknowledged, no credits
  b.run(100);
  b.ring(8, 3);
  b.run(1500);
  CHECK(b.sent.size() == 2);  // one probe
  CHECK(b.sent[1].ack);
  // The newest ACK repeated with credits allows more: MSN 1 and 2 credits is SSN 3.
  b.acknowledge(8, 0, credits(2));
  b.run(600);
  CHECK(b.sent.size() == 3);
  b.peers[8].msn = 3;
  b.acknowledge(8, 2, credits(0));
  REQUIRE(b.until(3));
  for (const Completion& c : b.done) CHECK(c.status == Status::kSuccess);

  // WRITE and READ need no credits, WRITE with immediate does; code 31 lifts the limit.
  b.post(8, write_of(64));
  b.post(8, read_of(64));
  Work imm = write_of(64);
  imm.op = WrOp::kWriteImm;
  for (unsigned i = 0; i < 4; ++i) b.post(8, imm);
  b.ring(8);
  b.run(1500);
  CHECK(b.sent.size() == 5);  // the WRITE and the READ; as they are outstanding, no probe
  b.peers[8].msn = 4;
  b.acknowledge(8, 3, credits(0));
  b.run(1500);
  CHECK(b.sent.size() == 5);
  b.peers[8].msn = 5;
  b.respond(8, kRcReadRespOnly, 4, credits(0), Bytes(64));
  b.run(1500);
  CHECK(b.sent.size() == 6);
  b.peers[8].msn = 6;
  b.acknowledge(8, 5);
  b.run(1500);
  CHECK(b.sent.size() == 9);
  b.acknowledge(8, 8);
  REQUIRE(b.until(9));
}

TEST_CASE("sq: RQ-50: what each credit code allows") {
  const unsigned messages[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
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
    send.op = WrOp::kSend;
    send.signaled = false;
    for (unsigned i = 0; i < 300; ++i) b.post(8, send);
    b.ring(8, 1);
    b.run(100);
    b.peers[8].msn = 1;
    b.acknowledge(8, 0, credits(code));
    b.run(50);
    b.ring(8);
    // Each packet except for the last one is acknowledged with the same MSN, so the limit stays.
    std::size_t seen = 1;
    for (unsigned i = 0; i < 6000; ++i) {
      b.tick();
      if (b.sent.size() > seen && seen < messages[code])
        b.acknowledge(8, unsigned(seen), credits(code));
      if (b.sent.size() > seen) ++seen;
    }
    // A probe leaves when nothing is outstanding, that is with no credits only.
    CHECK(b.sent.size() == 1 + (code == 0 ? 1 : messages[code]));
  }
}

TEST_CASE("sq: RQ-50: what was sent before is retransmitted whatever the credits are now") {
  // The peer has all of it and acknowledges it with one ACK; that counts only if all of it has
  // been retransmitted.
  Bench b;
  b.connect(8);
  b.auto_peer = false;
  Work send = write_of(64);
  send.op = WrOp::kSend;
  b.post(8, write_of(64));
  b.post(8, write_of(64));
  b.post(8, send);
  b.ring(8);
  b.run(800);
  REQUIRE(b.sent.size() == 3);
  b.peers[8].msn = 1;
  b.acknowledge(8, 0, credits(0));  // no credits: the SEND would be the third message of one
  b.run(b.transport_time + 800);
  REQUIRE(b.sent.size() == 5);
  CHECK(b.sent[3].psn == 1);
  CHECK(b.sent[4].psn == 2);
  b.peers[8].msn = 3;
  b.acknowledge(8, 2, credits(0));
  REQUIRE(b.until(3));
  for (const Completion& c : b.done) CHECK(c.status == Status::kSuccess);
}
