// SPDX-License-Identifier: Apache-2.0
// NAKs, ACKs and timer events that come late or more than once.
#include <doctest/doctest.h>

#include <functional>

#include "model/transport/rules.hpp"
#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

TEST_CASE("sq: RQ-26: the transport timer that expires with an RNR NAK does not end the wait") {
  for (unsigned at = 0; at < 60; ++at) {
    CAPTURE(at);
    Bench b;
    b.wire = 0;
    b.connect(8);
    b.auto_peer = false;
    Work send = write_of(64);
    send.op = WrOp::kSend;
    b.post(8, send);
    b.ring(8);
    while (b.sent.empty()) b.tick();
    b.run(b.transport_time - 35 + at);
    b.acknowledge(8, 0, rnr_nak(1));
    const std::size_t before = b.sent.size();
    b.run(b.rnr_time + 600);
    CHECK(b.sent.size() >= before + 1);
    b.acknowledge(8, 0);
    CHECK(b.until(1, 8000));
  }
}

TEST_CASE("sq: F-71: RNR NAKs for a READ, an atomic and a WRITE without immediate hold the queue") {
  for (unsigned kind = 0; kind < 3; ++kind) {
    Bench b;
    b.connect(8);
    b.auto_peer = false;
    b.post(8, kind == 0 ? read_of(64) : kind == 1 ? add_of(1) : write_of(64));
    b.ring(8);
    b.run(300);
    REQUIRE(b.sent.size() == 1);
    b.acknowledge(8, 0, rnr_nak(1));
    b.run(b.rnr_time - 100);
    CHECK(b.sent.size() == 1);
    b.auto_peer = true;
    REQUIRE(b.until(1));
    CHECK(b.done[0].status == Status::kSuccess);
    CHECK(b.sent.size() == 2);
  }
}

TEST_CASE("sq: F-68: NAKs and old ACKs in turn lead to an error") {
  Bench b;
  Attr a;
  a.retry = 3;
  b.connect(8, a);
  b.auto_peer = false;
  b.post(8, write_of(64));
  b.post(8, write_of(64));
  b.ring(8);
  b.run(300);
  b.acknowledge(8, 0);
  b.run(100);
  for (unsigned i = 0; i < 400 && b.done.size() < 2; ++i) {
    b.acknowledge(8, 1, kNakSequence);
    b.acknowledge(8, 0);
    b.run(200);
  }
  REQUIRE(b.done.size() == 2);
  CHECK(b.done[1].status == Status::kRetryExcErr);
}

TEST_CASE("sq: F-69: one packet of progress in each timeout is progress") {
  Bench b;
  Attr a;
  a.retry = 1;
  a.pmtu = 1;
  b.connect(8, a);
  b.transport_time = 400;
  unsigned last = 0;
  b.lose_request = [&](const Packet& p) { return p.psn != last; };
  b.lose_response = [&](const Packet& p) {
    const unsigned syndrome = p.header(layout::aeth::syndrome);
    if (syndrome == kAckNoCredits && p.psn == last) ++last;
    return syndrome == kNakSequence;
  };
  for (unsigned i = 0; i < 30; ++i) b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(30, 200000));
  for (const Completion& c : b.done) CHECK(c.status == Status::kSuccess);
  CHECK(b.counters[QpCounter::kTimeouts] >= 25);
}

TEST_CASE("sq: F-67: sequence NAKs without end lead to RETRY_EXC_ERR") {
  Bench b;
  Attr a;
  a.retry = 3;
  a.timeout = 1;
  b.connect(8, a);
  b.auto_peer = false;
  b.post(8, write_of(64));
  b.ring(8);
  std::size_t seen = 0;
  // NAK and timer cause retransmissions in turn, since the second NAK of a gap is stale.
  for (unsigned i = 0; i < 20000 && b.done.empty(); ++i) {
    if (b.sent.size() > seen) {
      seen = b.sent.size();
      b.acknowledge(8, 0, kNakSequence);
    }
    b.tick();
  }
  REQUIRE(b.done.size() == 1);
  CHECK(b.done[0].status == Status::kRetryExcErr);
  CHECK(b.done[0].vendor == VendorErr::kRetryTimeout);
  CHECK(b.sent.size() == 4);
}

/// Four WRITEs of which the first is lost once succeed with one retry and are retransmitted once,
/// whatever `takes` does with the NAKs (true: it takes them off the wire).
void retransmits_once(const std::function<bool(Bench&, const Packet&)>& takes) {
  Bench b;
  Attr a;
  a.retry = 1;
  b.connect(8, a);
  unsigned lost = 0;
  b.lose_request = [&](const Packet& p) { return p.psn == 0 && lost++ == 0; };
  b.lose_response = [&](const Packet& p) {
    return roci::transport::aeth_kind(p.header(layout::aeth::syndrome)) == layout::AethKind::kNak &&
           takes(b, p);
  };
  for (unsigned i = 0; i < 4; ++i) b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(4));
  for (const auto& c : b.done) CHECK(c.status == Status::kSuccess);
  CHECK(b.counters[QpCounter::kRetries] == 1);
}

TEST_CASE("sq: F-10: a copy of a NAK that comes between retransmission and ACK costs nothing") {
  for (unsigned late = 0; late <= 1000; late += 50) {
    CAPTURE(late);
    retransmits_once([&](Bench& b, const Packet& nak) {
      b.responses.push_back(nak);
      b.responses.push_back(nak);
      b.responses.back().at += late;
      return true;
    });
  }
}

TEST_CASE("sq: F-10: copies of a NAK cause one retransmission") {
  retransmits_once([](Bench& b, const Packet& nak) {
    for (int i = 0; i < 10; ++i) b.responses.push_back(nak);
    return false;
  });
}
