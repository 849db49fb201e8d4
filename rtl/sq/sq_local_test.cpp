// SPDX-License-Identifier: Apache-2.0
// SEND with invalidate and local operations.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: RQ-05, WIRE-43: SEND with invalidate carries the key in its last packet") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(8, a);
  Work w = write_of(600);
  w.op = WrOp::kSendInv;
  w.imm = 0xABCDEF12;
  w.solicited = true;
  b.post(8, w);
  w.list = {{kDataBase, 3}};
  b.post(8, w);
  b.ring(8);
  REQUIRE(b.until(2));
  CHECK(opcodes(b) == List{kRcSendFirst, kRcSendMiddle, kRcSendLastInv, kRcSendOnlyInv});
  for (unsigned i : {2u, 3u}) {
    CHECK(b.sent[i].ext_len == layout::ieth::kBytes);
    CHECK(b.sent[i].header(layout::ieth::rkey) == 0xABCDEF12);
    CHECK(b.sent[i].se);
    CHECK(b.sent[i].ack);
  }
  CHECK(b.sent[1].ext_len == 0);
  CHECK_FALSE(b.sent[1].se);
  CHECK(b.done[1].opcode == WcOp::kSend);
  CHECK(b.done[1].status == Status::kSuccess);
  CHECK(b.peers[8].sends.size() == 2);
}

TEST_CASE("sq: RQ-54, MR-13: local operations keep the order of the queue") {
  Bench b;
  b.connect(8);
  b.operation_time = 300;
  b.post(8, read_of(64, kDataBase, 0x40));
  Work bind = local_of(WrOp::kBindMw, 0x345);
  bind.remote = 0x123456789A;
  bind.swap_add = 0x20000;
  bind.compare = 0x2E;
  bind.region = kGoodKey;
  b.post(8, bind);
  b.post(8, write_of(64));
  Work reg = local_of(WrOp::kRegMr, kFastKey);
  reg.remote = kDataBase;
  reg.swap_add = 4096;
  reg.compare = 1;
  b.post(8, reg);
  Work w = write_of(64);
  w.list[0].key = kFastKey;  // good only after the registration
  b.post(8, w);
  Work inv = local_of(WrOp::kLocalInv, kFastKey);
  inv.signaled = false;
  b.post(8, inv);
  b.post(8, write_of(5));
  b.ring(8);
  REQUIRE(b.until(6));
  b.run(300);
  REQUIRE(b.done.size() == 6);
  const unsigned index[] = {0, 1, 2, 3, 4, 6};
  const WcOp opcode[] = {WcOp::kRead,  WcOp::kBindMw, WcOp::kWrite,
                         WcOp::kRegMr, WcOp::kWrite,  WcOp::kWrite};
  for (unsigned i = 0; i < 6; ++i) {
    CHECK(b.done[i].index == index[i]);
    CHECK(b.done[i].opcode == opcode[i]);
    CHECK(b.done[i].status == Status::kSuccess);
  }
  REQUIRE(b.operations.size() == 3);
  const KeyOperation& o = b.operations[0];
  CHECK(o.op == KeyOp::kBind);
  CHECK(o.key == 0x345);
  CHECK(o.qpn == 8);
  CHECK(o.pd == kPd);
  CHECK(o.region == kGoodKey);
  CHECK(o.va == 0x123456789A);
  CHECK(o.length == 0x20000);
  CHECK(o.access == 0x2E);
  CHECK(b.operations[1].op == KeyOp::kRegister);
  CHECK(b.operations[1].length == 4096);
  CHECK(b.operations[2].op == KeyOp::kInvalidate);
  CHECK(b.operations[2].key == kFastKey);
  // Only packets of the work requests before an operation leave before it ends.
  CHECK(b.operations[0].sent == 1);
  CHECK(b.operations[1].sent == 2);
  CHECK(b.operations[2].sent == 3);
  CHECK(psns(b) == List{0, 1, 2, 3});  // local operations have no PSNs
  CHECK(b.live(8).idle);
  CHECK(b.live(8).completed == 7);
  CHECK(b.wrong_places == 0);
}

TEST_CASE(
    "sq: MR-11, MR-12, MR-14, MR-15: a local operation that is rejected ends the queue pair") {
  for (WrOp op : {WrOp::kLocalInv, WrOp::kBindMw, WrOp::kRegMr}) {
    Bench b;
    b.connect(8);
    b.reject = true;
    b.post(8, write_of(64));
    Work w = local_of(op, 0x345);
    w.signaled = false;  // RQ-47: it completes as it failed
    b.post(8, w);
    b.post(8, write_of(64));
    b.ring(8);
    REQUIRE(b.until(3));
    b.run(100);
    CHECK(b.done.size() == 3);
    CHECK(b.done[0].status == Status::kSuccess);
    CHECK(b.done[1].status == (op == WrOp::kBindMw ? Status::kMwBindErr : Status::kLocQpOpErr));
    CHECK(b.done[1].vendor == VendorErr::kKeyOperation);
    CHECK(b.done[2].status == Status::kWrFlushErr);
    CHECK(b.fails == 1);
    CHECK(b.sent.size() == 1);
  }
}

TEST_CASE("sq: RQ-54: local operations execute once, whatever is lost") {
  for (unsigned seed : {51u, 52u}) {
    std::printf("seed %u\n", seed);
    Bench b;
    b.random.seed(seed);
    b.loss = 0.1;
    std::mt19937 random(seed);
    std::vector<unsigned> expected;
    std::size_t count = 0;
    Attr a;
    a.sq_log = 8;
    a.pmtu = 1;
    for (unsigned q = 0; q < 4; ++q) b.connect(q, a);
    std::vector<std::vector<unsigned>> keys(4);
    for (unsigned i = 0; i < 60; ++i) {
      for (unsigned q = 0; q < 4; ++q) {
        if (random() % 3 == 0) {
          keys[q].push_back(0x1000 + i);
          b.post(q, local_of(random() % 2 ? WrOp::kBindMw : WrOp::kLocalInv, 0x1000 + i));
        } else {
          b.post(q, random() % 2 ? write_of(random() % 1000)
                                 : read_of(random() % 1000, kDataBase + q * 0x10000));
        }
        ++count;
      }
    }
    for (unsigned q = 0; q < 4; ++q) b.ring(q);
    REQUIRE(b.until(count, 3000000));
    std::vector<unsigned> next(4);
    for (const Completion& c : b.done) {
      CHECK(c.status == Status::kSuccess);
      CHECK(c.index == next[c.qpn]++);
    }
    for (unsigned q = 0; q < 4; ++q) {
      std::vector<unsigned> got;
      for (const KeyOperation& o : b.operations) {
        if (o.qpn == q) got.push_back(o.key);
      }
      CHECK(got == keys[q]);
    }
  }
}

TEST_CASE(
    "sq: F-90: an invalidation completes when the accesses before it have ended; others continue") {
  Bench b;
  b.drain_time = 5000;
  for (unsigned q : {8u, 9u}) b.connect(q);
  b.post(8, local_of(WrOp::kLocalInv, 0x345));
  b.post(8, write_of(64));
  for (unsigned i = 0; i < 8; ++i) b.post(9, write_of(64));
  b.ring(8);
  b.ring(9);
  b.run(4000);
  CHECK(b.operations.size() == 1);
  CHECK(b.done.size() == 8);  // all of queue pair 9
  REQUIRE(b.until(10));
  CHECK(b.done[8].qpn == 8);
  CHECK(b.done[8].index == 0);
  CHECK(b.done[9].index == 1);
  CHECK(b.operations.size() == 1);
}

TEST_CASE("sq: F-90: more queue pairs invalidate than may wait at a time") {
  Bench b;
  b.drain_time = 700;
  for (unsigned q = 0; q < 8; ++q) {
    b.connect(q);
    for (unsigned i = 0; i < 4; ++i) {
      b.post(q, local_of(i % 2 ? WrOp::kBindMw : WrOp::kLocalInv, 0x1000 + i));
      b.post(q, read_of(300, kDataBase + q * 0x10000));
    }
  }
  for (unsigned q = 0; q < 8; ++q) b.ring(q);
  REQUIRE(b.until(64, 100000));
  std::vector<unsigned> next(8);
  for (const Completion& c : b.done) {
    CHECK(c.status == Status::kSuccess);
    CHECK(c.index == next[c.qpn]++);
  }
  CHECK(b.operations.size() == 32);
}

TEST_CASE("sq: QP-12: SQD finishes a local operation that waits, and then is idle") {
  // The state changes at each of many clocks; what has begun must be finished, the rest not begin.
  for (unsigned at = 60; at < 400; at += 7) {
    CAPTURE(at);
    Bench b;
    b.connect(8);
    b.post(8, write_of(64));
    b.post(8, local_of(WrOp::kLocalInv, 0x345));
    b.post(8, write_of(64));
    b.ring(8);
    b.run(at);
    b.set_state(8, QpState::kSqd);
    b.dut->pause_i = 1;
    b.run(600);
    b.dut->pause_i = 0;
    bool idle = false;
    std::size_t done = 0;
    for (unsigned i = 0; i < 200; ++i) {
      b.run(10);
      if (idle) CHECK(b.done.size() == done);  // it stays idle
      idle = b.live(8).idle;
      done = b.done.size();
    }
    CHECK(idle);
    b.set_state(8, QpState::kRts);
    REQUIRE(b.until(3));
    CHECK(b.operations.size() == 1);
  }
}
