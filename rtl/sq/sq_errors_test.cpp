// SPDX-License-Identifier: Apache-2.0
// NAKs, responses that do not match, bad work requests, states.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: max_rd_atomic 0 rejects a READ") {
  Bench b;
  Attr a;
  a.max_rd = 0;
  b.connect(6, a);
  b.post(6, write_of(5));
  b.post(6, read_of(64));
  b.ring(6);
  REQUIRE(b.until(2));
  CHECK(b.done[0].status == Status::kSuccess);
  CHECK(b.done[1].status == Status::kLocQpOpErr);
}

TEST_CASE("sq: RQ-23, RQ-24: NAKs that end the work request") {
  struct Case {
    unsigned syndrome;
    Status status;
  };
  for (const Case c :
       {Case{kNakInvalid, Status::kRemInvReqErr}, Case{kNakAccess, Status::kRemAccessErr},
        Case{kNakOperational, Status::kRemOpErr}, Case{nak(4), Status::kBadRespErr},
        Case{nak(31), Status::kBadRespErr}, Case{syndrome_of(2, 0), Status::kBadRespErr},
        Case{syndrome_of(4, 0), Status::kBadRespErr}}) {
    Bench b;
    b.connect(8);
    b.auto_peer = false;
    for (unsigned i = 0; i < 3; ++i) b.post(8, write_of(64));
    b.ring(8);
    b.run(400);
    b.acknowledge(8, 1, c.syndrome);
    REQUIRE(b.until(3));
    CHECK(b.done[0].status == Status::kSuccess);
    CHECK(b.done[1].status == c.status);
    CHECK(b.done[2].status == Status::kWrFlushErr);
  }
}

TEST_CASE("sq: RQ-38, RQ-39, RQ-40: responses that do not match never complete with success") {
  struct Case {
    unsigned opcode, psn, syndrome, len;
    Status status;
  };
  // READ of 600 bytes at PMTU 256: FIRST 256, MIDDLE 256, LAST 88
  for (const Case c : {Case{kRcReadRespFirst, 0, kAckNoCredits, 252, Status::kLocLenErr},
                       Case{kRcReadRespFirst, 0, kAckNoCredits, 512, Status::kLocLenErr},
                       Case{kRcReadRespMiddle, 0, kAckNoCredits, 256, Status::kBadRespErr},
                       Case{kRcReadRespOnly, 0, kAckNoCredits, 256, Status::kBadRespErr},
                       Case{kRcReadRespLast, 0, kAckNoCredits, 88, Status::kBadRespErr},
                       Case{kRcAtomicAck, 0, kAckNoCredits, 0, Status::kBadRespErr},
                       Case{kRcAck, 0, kNakOperational, 0, Status::kRemOpErr},
                       Case{kRcReadRespFirst, 0, kNakOperational, 256, Status::kBadRespErr}}) {
    Bench b;
    Attr a;
    a.pmtu = 1;
    b.connect(8, a);
    b.auto_peer = false;
    b.post(8, read_of(600));
    b.ring(8);
    b.run(300);
    b.respond(8, c.opcode, c.psn, c.syndrome, Bytes(c.len));
    REQUIRE(b.until(1));
    CHECK(b.done[0].status == c.status);
    b.run(50);
    CHECK(b.dropped_segs == (c.len ? 1 : 0));
    CHECK(b.wrong_places == 0);
  }
  Bench b;  // READ response to a WRITE
  b.connect(8);
  b.auto_peer = false;
  b.post(8, write_of(64));
  b.ring(8);
  b.run(300);
  b.respond(8, kRcReadRespOnly, 0, kAckNoCredits, Bytes(64));
  REQUIRE(b.until(1));
  CHECK(b.done[0].status == Status::kBadRespErr);
}

TEST_CASE("sq: RQ-43, F-85: a bad work request sends no packet, and the rest is flushed") {
  struct Case {
    Work work;
    Status status;
  };
  std::vector<Case> cases;
  Work w = write_of(64);
  w.list[0].key = kBadKey;
  cases.push_back({w, Status::kLocProtErr});
  w = read_of(64);
  w.list[0].key = kReadOnlyKey;
  cases.push_back({w, Status::kLocProtErr});
  w = write_of(64, kQueueBase - 10);
  cases.push_back({w, Status::kLocProtErr});
  for (WrOp op : {WrOp(11), WrOp(255)}) {  // no such operation
    w = write_of(64);
    w.op = op;
    cases.push_back({w, Status::kLocQpOpErr});
  }
  for (WrOp op : {WrOp::kLocalInv, WrOp::kBindMw, WrOp::kRegMr}) {
    // Each with a list, then with a length.
    w = write_of(64);
    w.op = op;
    cases.push_back({w, Status::kLocQpOpErr});
    w = write_of(0);
    w.op = op;
    w.length = 1;
    cases.push_back({w, Status::kLocQpOpErr});
  }
  w = write_of(64);
  w.length = 100;
  cases.push_back({w, Status::kLocLenErr});
  w = write_of(0);
  w.length = 100;
  cases.push_back({w, Status::kLocLenErr});
  w = write_of(64);
  w.length = 0x80000001;
  cases.push_back({w, Status::kLocLenErr});
  w = add_of(1);
  w.length = 16;
  cases.push_back({w, Status::kLocLenErr});
  w = read_of(0);
  w.inlined = true;
  cases.push_back({w, Status::kLocQpOpErr});
  w = write_of(64);
  w.list.push_back({kDataBase, 64});  // two entries in a stride of one block
  cases.push_back({w, Status::kLocQpOpErr});
  for (const Case& c : cases) {
    Bench b;
    b.connect(8);
    b.post(8, write_of(64));
    b.post(8, c.work);
    b.post(8, write_of(64));
    b.ring(8);
    REQUIRE(b.until(3));
    b.run(200);
    CHECK(b.done[0].status == Status::kSuccess);
    CHECK(b.done[1].status == c.status);
    CHECK(b.done[1].vendor != VendorErr::kNone);
    CHECK(b.done[2].status == Status::kWrFlushErr);
    CHECK(b.sent.size() == 1);
    CHECK(b.done.size() == 3);
  }
}

TEST_CASE("sq: a work request that cannot be read ends the queue pair") {
  Bench b;
  b.connect(8);
  b.read_error = true;
  b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(1));
  CHECK(b.done[0].status == Status::kFatalErr);
  b.run(10);
  CHECK(b.fails == 1);
}

TEST_CASE("sq: F-84: hostile doorbells") {
  Bench b;
  b.connect(8);
  b.post(8, write_of(64));
  b.ring(8);
  b.ring(8);
  b.ring(8, 0);  // an older index
  REQUIRE(b.until(1));
  b.run(200);
  CHECK(b.done.size() == 1);
  CHECK(b.fails == 0);
  b.ring(8, 1 + 33);  // the ring has 32 entries
  b.run(300);
  CHECK(b.fails == 1);
  CHECK(b.sent.size() == 1);
}

TEST_CASE("sq: QP-09, RQ-52: a new generation starts at its own PSN and index") {
  Bench b;
  b.connect(8);
  for (unsigned i = 0; i < 5; ++i) b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(5));
  Attr a;
  a.psn = 0x123456;
  b.connect(8, a);
  b.responses.clear();
  b.acknowledge(8, 4);
  b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(6));
  CHECK(b.done[5].index == 0);
  CHECK(b.done[5].status == Status::kSuccess);
  CHECK(b.sent.back().psn == 0x123456);
}

TEST_CASE("sq: QP-12: SQD finishes what has begun and holds the rest") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(8, a);
  b.post(8, write_of(100000));
  b.ring(8);
  b.run(150);
  b.set_state(8, QpState::kSqd);
  b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(1));
  b.run(500);
  CHECK(b.done.size() == 1);
  CHECK(b.live(8).idle);
  b.set_state(8, QpState::kRts);
  REQUIRE(b.until(2));
}

TEST_CASE("sq: QP-10: ERR with work outstanding flushes everything once, in order") {
  Bench b;
  b.connect(8);
  b.auto_peer = false;
  for (unsigned i = 0; i < 20; ++i) b.post(8, write_of(64));
  b.ring(8);
  b.run(200);
  b.set_state(8, QpState::kErr);
  b.event(8, QpEvent::kFlush);
  REQUIRE(b.until(20));
  b.run(300);
  REQUIRE(b.done.size() == 20);
  for (unsigned i = 0; i < 20; ++i) {
    CHECK(b.done[i].index == i);
    CHECK(b.done[i].status == Status::kWrFlushErr);
  }
}

TEST_CASE("sq: RQ-43: a bad entry in a list stops the packet that needs it") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  a.stride = 1;
  b.connect(1, a);
  Work w = write_of(300);
  w.list.push_back({kDataBase + 4000, 300});
  w.list.push_back({kDataBase + 8000, 300, kBadKey});
  b.post(1, write_of(10));
  b.post(1, w);
  b.post(1, write_of(10));
  b.ring(1);
  REQUIRE(b.until(3));
  b.run(100);
  CHECK(b.done[0].status == Status::kSuccess);
  CHECK(b.done[1].status == Status::kLocProtErr);
  CHECK(b.done[2].status == Status::kWrFlushErr);
  CHECK(opcodes(b) == List{kRcWriteOnly, kRcWriteFirst, kRcWriteMiddle});
}

TEST_CASE("sq: a list shorter than the message") {
  Bench b;
  Attr a;
  a.pmtu = 5;
  a.stride = 1;
  b.connect(1, a);
  Work w = write_of(300);
  w.list.push_back({kDataBase + 4000, 300});
  w.length = 700;
  b.post(1, w);
  b.ring(1);
  REQUIRE(b.until(1));
  CHECK(b.done[0].status == Status::kLocLenErr);
  CHECK(b.sent.empty());
}
