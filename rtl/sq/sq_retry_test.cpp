// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: RQ-19, RQ-21: a NAK in the middle of a message sends from there, at once") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(3, a);
  unsigned lost = 0;
  b.lose_request = [&](const Packet& p) { return p.psn == 2 && lost++ == 0; };
  b.post(3, write_of(1100, kDataBase + 3));
  b.ring(3);
  const auto start = b.dut.cycle();
  REQUIRE(b.until(1));
  CHECK(b.dut.cycle() - start < 600);
  CHECK(opcodes(b) == List{6, 7, 7, 7, 8, 7, 7, 8});
  CHECK(psns(b) == List{0, 1, 2, 3, 4, 2, 3, 4});
  CHECK(std::equal(b.memory.begin() + kDataBase + 3, b.memory.begin() + kDataBase + 1103,
                   b.peers[3].memory.begin()));
  CHECK(b.counters[4] == 1);
  CHECK(b.counters[5] == 0);
  CHECK(b.counters[7] == 1);
}

TEST_CASE("sq: going on with a message and going back to it read the work request once") {
  Bench b;
  Attr a;
  a.pmtu = 3;
  b.connect(3, a);
  unsigned lost = 0;
  b.lose_request = [&](const Packet& p) { return p.psn == 70 && lost++ == 0; };
  b.post(3, write_of(100000, kDataBase + 3));  // several grants
  b.ring(3);
  REQUIRE(b.until(1));
  CHECK(lost == 2);
  CHECK(b.fetched == 1);
  CHECK(std::equal(b.memory.begin() + kDataBase + 3, b.memory.begin() + kDataBase + 100003,
                   b.peers[3].memory.begin()));
  // A new generation has the same indices and other work requests.
  b.connect(3, a);
  b.post(3, write_of(10, kDataBase + 77, 0x3000));
  b.ring(3);
  REQUIRE(b.until(2));
  CHECK(b.fetched == 2);
  CHECK(b.sent.back().payload_len == 10);
}

TEST_CASE("sq: going back drops the packets that still wait, with their segments") {
  Bench b;
  Attr a;
  a.pmtu = 3;
  a.stride = 1;
  b.connect(3, a);
  b.connect(4, a);
  b.desc_every = 60;  // the wire is slow, so packets wait
  unsigned lost = 0;
  b.lose_request = [&](const Packet& p) { return p.qpn == 3 && p.psn == 5 && lost++ == 0; };
  Work w = write_of(10001, kDataBase + 3);  // several segments in some packets
  w.list.push_back({kDataBase + 3 + 10001, 9999});
  w.list.push_back({kDataBase + 3 + 20000, 10000});
  b.post(3, w);
  b.post(4, write_of(30000, kDataBase + 40000));
  b.ring(3);
  b.ring(4);
  REQUIRE(b.until(2));
  b.run(100);
  for (unsigned q : {3u, 4u}) {
    const unsigned from = q == 3 ? kDataBase + 3 : kDataBase + 40000;
    CHECK(std::equal(b.memory.begin() + from, b.memory.begin() + from + 30000,
                     b.peers[q].memory.begin()));
  }
  CHECK(b.counters[0] == b.sent.size());  // those dropped are not counted
  CHECK(b.counters[4] == 1);
  CHECK(b.wrong_places == 0);
  unsigned again = 0;
  for (const Packet& p : b.sent) again += p.qpn == 3 && p.psn == 6;
  CHECK(again == 2);
  // 20 clocks of wire each way are less than a packet: only what tx had taken left in vain.
  unsigned vain = 0;
  for (const Packet& p : b.sent) vain += p.qpn == 3;
  CHECK(vain <= 30 + 4);
  CHECK(b.dut->idle_o);
}

TEST_CASE(
    "sq: RQ-31, RQ-33: silence ends in RETRY_EXC_ERR after N + 1 transmissions, the rest flushes") {
  for (unsigned retries : {0u, 2u, 7u}) {
    Bench b;
    Attr a;
    a.retry = retries;
    b.connect(9, a);
    b.peers[9].mute = true;
    for (unsigned i = 0; i < 3; ++i) b.post(9, write_of(64));
    b.ring(9);
    REQUIRE(b.until(3));
    unsigned first = 0;
    for (const Packet& p : b.sent) first += p.psn == 0;
    CHECK(first == retries + 1);
    CHECK(b.done[0].status == kRetryExcErr);
    CHECK(b.done[0].vendor == 32);
    CHECK(b.done[1].status == kWrFlushErr);
    CHECK(b.done[2].status == kWrFlushErr);
    CHECK(b.fails == 1);
    // RQ-49: one more in ERR flushes too
    b.post(9, write_of(64));
    b.ring(9);
    REQUIRE(b.until(4));
    CHECK(b.done[3].status == kWrFlushErr);
    CHECK(b.done[3].index == 3);
  }
}

TEST_CASE("sq: RQ-25, RQ-28, RQ-30: RNR waits, resends from there, and runs out") {
  Bench b;
  Attr a;
  a.rnr_retry = 2;
  a.retry = 0;
  b.connect(4, a);
  Work w = write_of(64);
  w.op = kSend;
  for (unsigned i = 0; i < 4; ++i) {
    b.post(4, w);
  }
  b.peers[4].rnr = 2;
  b.ring(4);
  REQUIRE(b.until(4));
  CHECK(b.peers[4].sends.size() == 4);
  CHECK(b.dut.cycle() > 2 * b.rnr_time);
  for (const auto& c : b.done) CHECK(c.status == kSuccess);
  b.peers[4].rnr = 3;
  b.post(4, w);
  b.post(4, w);
  b.ring(4);
  REQUIRE(b.until(6));
  CHECK(b.done[4].status == kRnrRetryExcErr);
  CHECK(b.done[5].status == kWrFlushErr);
}

TEST_CASE("sq: RQ-35, RQ-37: a READ with a lost response is requested again from there") {
  Bench b;
  Attr a;
  a.pmtu = 2;
  b.connect(6, a);
  for (unsigned i = 0; i < 8192; ++i) b.peers[6].memory[i] = std::uint8_t(i * 5 + 3);
  unsigned lost = 0;
  b.lose_response = [&](const Packet& p) { return p.psn == 2 && p.opcode == 0x0E && lost++ == 0; };
  b.post(6, read_of(3000, kDataBase + 64, 10));
  b.ring(6);
  REQUIRE(b.until(1));
  REQUIRE(b.sent.size() == 2);
  CHECK(b.sent[1].psn == 2);
  CHECK(b.sent[1].ext_number(0, 8) == 10 + 1024);
  CHECK(b.sent[1].ext_number(12, 4) == 1976);
  CHECK(std::equal(b.memory.begin() + kDataBase + 64, b.memory.begin() + kDataBase + 3064,
                   b.peers[6].memory.begin() + 10));
  CHECK(b.done[0].status == kSuccess);
  CHECK(b.live(6).psn == 6);
}

TEST_CASE("sq: RQ-13: an ACK after a READ retransmits the READ request, and completes nothing") {
  Bench b;
  b.connect(6);
  b.auto_peer = false;
  b.post(6, read_of(64));
  b.post(6, write_of(64));
  b.ring(6);
  b.run(400);
  REQUIRE(b.sent.size() == 2);
  b.respond(6, 0x11, 1, 0x1F);
  b.run(600);
  CHECK(b.done.empty());
  REQUIRE(b.sent.size() == 4);
  CHECK(b.sent[2].opcode == 0x0C);
  CHECK(b.sent[2].psn == 0);
}
