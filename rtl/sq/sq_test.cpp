// SPDX-License-Identifier: Apache-2.0
// Messages of every kind: packets, PSNs, completions.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: RQ-01, RQ-05, RQ-06: a WRITE of one packet and one of three, over the PSN wrap") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  a.psn = 0xFFFFFD;
  b.connect(5, a);
  b.post(5, write_of(256, kDataBase, 0x100));
  b.post(5, write_of(700, kDataBase + 999, 0x1000));
  b.ring(5);
  REQUIRE(b.until(2));
  CHECK(opcodes(b) == List{kRcWriteOnly, kRcWriteFirst, kRcWriteMiddle, kRcWriteLast});
  CHECK(psns(b) == List{0xFFFFFD, 0xFFFFFE, 0xFFFFFF, 0});
  CHECK(b.sent[1].header(layout::reth::va) == 0x1000);
  CHECK(b.sent[1].header(layout::reth::rkey) == Work().rkey);
  CHECK(b.sent[1].header(layout::reth::dma_length) == 700);
  CHECK(b.sent[2].ext_len == 0);
  CHECK(std::equal(b.memory.begin() + kDataBase + 999, b.memory.begin() + kDataBase + 1699,
                   b.peers[5].memory.begin() + 0x1000));
  CHECK(b.done[0].index == 0);
  CHECK(b.done[1].index == 1);
  CHECK(b.done[1].status == Status::kSuccess);
  CHECK(b.done[1].opcode == WcOp::kWrite);
  const auto live = b.live(5);
  CHECK(live.psn == 1);
  CHECK(live.una == 1);
  CHECK(live.completed == 2);
  CHECK(live.idle);
  CHECK(b.wrong_places == 0);
}

TEST_CASE("sq: RQ-02, RQ-03: sequence numbers of READ, atomics and empty messages") {
  Bench b;
  Attr a;
  a.pmtu = 2;
  b.connect(1, a);
  b.post(1, read_of(3000));
  b.post(1, write_of(0));
  b.post(1, read_of(0));
  b.post(1, add_of(3));
  Work send = write_of(10);
  send.op = WrOp::kSendImm;
  send.imm = 0x12345678;
  send.solicited = true;
  b.post(1, send);
  b.ring(1);
  REQUIRE(b.until(5));
  CHECK(opcodes(b) ==
        List{kRcReadRequest, kRcWriteOnly, kRcReadRequest, kRcFetchAdd, kRcSendOnlyImm});
  CHECK(psns(b) == List{0, 6, 7, 8, 9});
  for (unsigned i = 0; i < 5; ++i) {
    CHECK(b.done[i].index == i);
    CHECK(b.done[i].status == Status::kSuccess);
  }
  CHECK(b.done[0].byte_len == 3000);
  CHECK(b.done[3].byte_len == 8);
  CHECK(b.done[3].opcode == WcOp::kFetchAdd);
  CHECK(b.sent[4].se);
  CHECK(b.sent[4].header(layout::imm_dt::immediate) == 0x12345678);
  CHECK(b.wrong_places == 0);
}

TEST_CASE("sq: RQ-36, RQ-41: READ data and the original value of an atomic are stored in memory") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(2, a);
  for (unsigned i = 0; i < 4096; ++i) b.peers[2].memory[i] = std::uint8_t(i * 3 + 1);
  b.post(2, read_of(1001, kDataBase + 5, 100));
  b.post(2, add_of(1, kDataBase + 0x2000));
  b.ring(2);
  REQUIRE(b.until(2));
  CHECK(std::equal(b.memory.begin() + kDataBase + 5, b.memory.begin() + kDataBase + 1006,
                   b.peers[2].memory.begin() + 100));
  for (unsigned i = 0; i < 8; ++i)
    CHECK(b.memory[kDataBase + 0x2000 + i] == std::uint8_t((64 + i) * 3 + 1));
  CHECK(b.peers[2].memory[64] == std::uint8_t(64 * 3 + 2));
  b.run(20);
  CHECK(b.counters[QpCounter::kRxPackets] == 4 + 1);
}

TEST_CASE("sq: WIRE-43, RQ-05: opcodes of a long solicited SEND with immediate") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(0, a);
  Work w = write_of(600);
  w.op = WrOp::kSendImm;
  w.solicited = true;
  b.post(0, w);
  b.ring(0);
  REQUIRE(b.until(1));
  CHECK(opcodes(b) == List{kRcSendFirst, kRcSendMiddle, kRcSendLastImm});
  CHECK_FALSE(b.sent[0].se);
  CHECK_FALSE(b.sent[1].se);
  CHECK(b.sent[2].se);
  CHECK(b.sent[2].ack);
  REQUIRE(b.peers[0].sends.size() == 1);
  CHECK(std::equal(b.peers[0].sends[0].begin(), b.peers[0].sends[0].end(),
                   b.memory.begin() + kDataBase));
}

TEST_CASE(
    "sq: RQ-12, RQ-14, RQ-47: one ACK completes all before it; unsignaled ones give no "
    "completion") {
  Bench b;
  b.connect(3);
  b.auto_peer = false;
  for (unsigned i = 0; i < 5; ++i) {
    Work w = write_of(64);
    w.signaled = i != 1;
    b.post(3, w);
  }
  b.ring(3);
  b.run(400);
  REQUIRE(b.sent.size() == 5);
  b.acknowledge(3, 2);
  b.run(100);
  REQUIRE(b.done.size() == 2);
  CHECK(b.done[1].index == 2);
  b.acknowledge(3, 9);                // beyond the last sent: RQ-16
  b.acknowledge(3, 1);                // old
  b.acknowledge(3, 7, kNakSequence);  // RQ-22
  b.run(100);
  CHECK(b.done.size() == 2);
  CHECK(b.ghosts == 3);
  b.acknowledge(3, 4);
  b.run(100);
  CHECK(b.done.size() == 4);
  CHECK(b.live(3).idle);
}

TEST_CASE("sq: RQ-09, RQ-10: max_rd_atomic as given") {
  Bench b;
  Attr a;
  a.max_rd = 3;
  b.connect(6, a);
  b.auto_peer = false;
  for (unsigned i = 0; i < 8; ++i) b.post(6, read_of(64));
  b.ring(6);
  b.run(1500);
  CHECK(b.sent.size() == 3);
  b.auto_peer = true;
  REQUIRE(b.until(8));
  for (const auto& c : b.done) CHECK(c.status == Status::kSuccess);
}

TEST_CASE("sq: RQ-48: a fence waits for READs") {
  Bench b;
  b.connect(6);
  b.auto_peer = false;
  b.post(6, read_of(64));
  Work w = write_of(64);
  w.fence = true;
  b.post(6, w);
  b.ring(6);
  b.run(800);
  CHECK(b.sent.size() == 1);
  b.auto_peer = true;
  REQUIRE(b.until(2));
  CHECK(b.sent.back().opcode == kRcWriteOnly);
}

TEST_CASE("sq: inline data leave from the queue entry") {
  Bench b;
  Attr a;
  a.stride = 2;
  b.connect(8, a);
  Bytes data;
  for (unsigned i = 0; i < 150; ++i) data.push_back(std::uint8_t(i ^ 0x5A));
  b.post(8, inline_send_of(data));
  b.ring(8);
  REQUIRE(b.until(1));
  REQUIRE(b.peers[8].sends.size() == 1);
  CHECK(b.peers[8].sends[0] == data);
}

TEST_CASE(
    "sq: inline data that are dropped, retransmitted or late do not stop other work requests") {
  Bench b;
  Attr a;
  a.stride = 1;
  a.sq_log = 7;
  b.connect(8, a);
  b.connect(9, {});
  b.loss = 0.02;
  b.random.seed(5);
  MESSAGE("seed 5");
  constexpr unsigned kInline = 100, kOthers = 300;  // more than may be in flight
  std::vector<Bytes> wanted;
  for (unsigned round = 0; round < 4; ++round) {
    for (unsigned i = 0; i < kInline; ++i) {
      Bytes data;
      for (unsigned k = 0; k < 1 + i % 64; ++k) data.push_back(std::uint8_t(i * 5 + k));
      b.post(8, inline_send_of(data));
      wanted.push_back(std::move(data));
    }
    b.ring(8);
    b.desc_every = round % 2 == 0 ? 1 : 40;
    REQUIRE(b.until((round + 1) * kInline));
  }
  CHECK(b.peers[8].sends == wanted);
  CHECK(b.sent.size() > wanted.size() + 20);  // some were retransmitted
  b.loss = 0;
  for (unsigned i = 0; i < kOthers; i += 10) {
    for (unsigned k = 0; k < 10; ++k) b.post(9, write_of(8));
    b.ring(9);
    REQUIRE(b.until(4 * kInline + i + 10));
  }
  CHECK(b.wrong_places == 0);
}

TEST_CASE("sq: RQ-07: lists are gathered in order, empty entries included") {
  for (unsigned pmtu : {1u, 5u}) {
    Bench b;
    Attr a;
    a.pmtu = pmtu;
    a.stride = 2;
    b.connect(1, a);
    Work w;
    w.op = WrOp::kSend;
    const std::uint32_t sizes[] = {7, 0, 300, 301, 1, 1, 64, 0, 900, 2, 3, 4, 0};
    Bytes want;
    for (unsigned i = 0; i < 13; ++i) {
      w.list.push_back({kDataBase + i * 5000 + i, sizes[i]});
      want.insert(want.end(), b.memory.begin() + long(w.list[i].addr),
                  b.memory.begin() + long(w.list[i].addr + sizes[i]));
    }
    for (unsigned i = 0; i < 3; ++i) b.post(1, w);
    b.post(1, write_of(50));
    b.post(1, w);
    b.ring(1);
    REQUIRE(b.until(5));
    REQUIRE(b.peers[1].sends.size() == 4);
    for (const Bytes& got : b.peers[1].sends) CHECK(got == want);
    CHECK(b.wrong_places == 0);
  }
}
