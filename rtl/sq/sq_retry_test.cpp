// SPDX-License-Identifier: Apache-2.0
// Retransmission after NAKs, timeouts and RNR NAKs.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE(
    "sq: RQ-19, RQ-21: after a NAK in the middle of a message transmission resumes there, at "
    "once") {
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
  CHECK(opcodes(b) == List{kRcWriteFirst, kRcWriteMiddle, kRcWriteMiddle, kRcWriteMiddle,
                           kRcWriteLast, kRcWriteMiddle, kRcWriteMiddle, kRcWriteLast});
  CHECK(psns(b) == List{0, 1, 2, 3, 4, 2, 3, 4});
  CHECK(std::equal(b.memory.begin() + kDataBase + 3, b.memory.begin() + kDataBase + 1103,
                   b.peers[3].memory.begin()));
  CHECK(b.counters[QpCounter::kRetries] == 1);
  CHECK(b.counters[QpCounter::kTimeouts] == 0);
  CHECK(b.counters[QpCounter::kNaksReceived] == 1);
}

TEST_CASE("sq: a message of several grants and its retransmission read the work request once") {
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
  CHECK((RTL_Compact || b.fetched == 1));  // Compact reads it for each grant
  const unsigned before = b.fetched;
  CHECK(std::equal(b.memory.begin() + kDataBase + 3, b.memory.begin() + kDataBase + 100003,
                   b.peers[3].memory.begin()));
  // A new generation has the same indices and other work requests.
  b.connect(3, a);
  b.post(3, write_of(10, kDataBase + 77, 0x3000));
  b.ring(3);
  REQUIRE(b.until(2));
  CHECK(b.fetched == before + 1);
  CHECK(b.sent.back().payload_len == 10);
}

TEST_CASE("sq: a retransmission drops the packets that still wait, with their segments") {
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
  CHECK(b.counters[QpCounter::kTxPackets] == b.sent.size());  // dropped ones are not counted
  CHECK(b.counters[QpCounter::kRetries] == 1);
  CHECK(b.wrong_places == 0);
  unsigned again = 0;
  for (const Packet& p : b.sent) again += p.qpn == 3 && p.psn == 6;
  CHECK(again == 2);
  // 20 clocks of wire each way are less than a packet: only what tx had taken left twice.
  unsigned packets = 0;
  for (const Packet& p : b.sent) packets += p.qpn == 3;
  CHECK(packets <= 30 + 4);
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
    CHECK(b.done[0].status == Status::kRetryExcErr);
    CHECK(b.done[0].vendor == VendorErr::kRetryTimeout);
    CHECK(b.done[1].status == Status::kWrFlushErr);
    CHECK(b.done[2].status == Status::kWrFlushErr);
    CHECK(b.fails == 1);
    // RQ-49: a work request that is posted in ERR is flushed, too.
    b.post(9, write_of(64));
    b.ring(9);
    REQUIRE(b.until(4));
    CHECK(b.done[3].status == Status::kWrFlushErr);
    CHECK(b.done[3].index == 3);
  }
}

TEST_CASE("sq: RQ-25, RQ-28, RQ-30: RNR waits, retransmits from there, and runs out of retries") {
  Bench b;
  Attr a;
  a.rnr_retry = 2;
  a.retry = 0;
  b.connect(4, a);
  Work w = write_of(64);
  w.op = WrOp::kSend;
  for (unsigned i = 0; i < 4; ++i) {
    b.post(4, w);
  }
  b.peers[4].rnr = 2;
  b.ring(4);
  REQUIRE(b.until(4));
  CHECK(b.peers[4].sends.size() == 4);
  CHECK(b.dut.cycle() > 2 * b.rnr_time);
  for (const auto& c : b.done) CHECK(c.status == Status::kSuccess);
  b.peers[4].rnr = 3;
  b.post(4, w);
  b.post(4, w);
  b.ring(4);
  REQUIRE(b.until(6));
  CHECK(b.done[4].status == Status::kRnrRetryExcErr);
  CHECK(b.done[5].status == Status::kWrFlushErr);
}

TEST_CASE("sq: RQ-35, RQ-37: a READ with a lost response is requested again from there") {
  Bench b;
  Attr a;
  a.pmtu = 2;
  b.connect(6, a);
  for (unsigned i = 0; i < 8192; ++i) b.peers[6].memory[i] = std::uint8_t(i * 5 + 3);
  unsigned lost = 0;
  b.lose_response = [&](const Packet& p) {
    return p.psn == 2 && p.opcode == kRcReadRespMiddle && lost++ == 0;
  };
  b.post(6, read_of(3000, kDataBase + 64, 10));
  b.ring(6);
  REQUIRE(b.until(1));
  REQUIRE(b.sent.size() == 2);
  CHECK(b.sent[1].psn == 2);
  CHECK(b.sent[1].header(layout::reth::va) == 10 + 1024);
  CHECK(b.sent[1].header(layout::reth::dma_length) == 1976);
  CHECK(std::equal(b.memory.begin() + kDataBase + 64, b.memory.begin() + kDataBase + 3064,
                   b.peers[6].memory.begin() + 10));
  CHECK(b.done[0].status == Status::kSuccess);
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
  b.acknowledge(6, 1);
  b.run(600);
  CHECK(b.done.empty());
  REQUIRE(b.sent.size() == 4);
  CHECK(b.sent[2].opcode == kRcReadRequest);
  CHECK(b.sent[2].psn == 0);
}
