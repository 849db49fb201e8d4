// SPDX-License-Identifier: Apache-2.0
// Acknowledges, responses and failures of a connection.
#include "rtl/rq/responder/responder_rig.hpp"

using namespace responder_rig;

TEST_CASE(
    "responder: an ACK waits for the payload in memory, and a later one acknowledges all (RSP-09, "
    "RSP-11)") {
  Rig r;
  for (unsigned i = 0; i < 6; ++i) r.write(1, kFirst + i, 0x1000 + 64 * i);
  r.clocks(60);
  REQUIRE(r.segments.size() == 6);
  for (unsigned i = 0; i < 6; ++i) {
    CHECK(r.segments[i].addr == 0x1000 + 64 * i);
    CHECK(!r.segments[i].drop);
  }
  CHECK(r.acks.empty());
  std::uint32_t acked = 0;  // packets
  for (unsigned i = 1; i <= 6; ++i) {
    r.landed = i;
    r.clocks(20);
    for (const Packet& ack : r.acks) acked = ((ack.psn - kFirst) & kPsnMask) + 1;
    CHECK(acked <= i);
  }
  CHECK(acked == 6);
  CHECK(r.acks.size() <= 3);
  CHECK(r.acks.back().msn == 6);
  CHECK(r.acks.back().syndrome == kAckNoCredits);
  REQUIRE(r.events.size() == 1);  // RSP-53
  CHECK(r.dut->idle_o);
}

TEST_CASE("responder: nothing is lost when every output stalls") {
  for (unsigned take : {100u, 50u, 10u}) {
    MESSAGE("seed 7");
    Rig r;
    r.take = take;
    std::vector<std::uint32_t> psn(4, kFirst);
    unsigned sends = 0;
    for (unsigned i = 0; i < 300; ++i) {
      const unsigned q = r.random() % 4;
      if (r.random() % 3 == 0) {
        r.requests.push_back({q, kRcSendOnly, psn[q]++, 40});
        ++sends;
        ++r.posted[q];
      } else {
        r.write(q, psn[q]++, 64 * i);
      }
    }
    const std::uint64_t start = r.dut.cycle();
    while (!r.requests.empty()) {
      r.clock();
      if (r.landed < r.segments.size()) ++r.landed;
    }
    const double clocks = static_cast<double>(r.dut.cycle() - start) / 300;
    MESSAGE("outputs taken in ", take, "% of clocks: ", clocks, " clocks per request");
    for (int i = 0; i < 3000; ++i) {
      r.clock();
      if (r.landed < r.segments.size()) ++r.landed;
    }
    CHECK(r.segments.size() == 300);
    REQUIRE(r.completions.size() == sends);
    for (const Completion& c : r.completions) CHECK(c.status == Status::kSuccess);
    std::vector<unsigned> last(4);
    for (const Packet& ack : r.acks) {
      CHECK(ack.syndrome == kAckNoCredits);
      last[ack.qpn] = ack.psn;
    }
    for (unsigned q = 0; q < 4; ++q) CHECK(last[q] == ((psn[q] - 1) & kPsnMask));
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE("responder: each request is acknowledged, in order, while requests never pause") {
  // Every queue pair has an acknowledgement to give while requests come: steps follow requests at
  // once, also of the queue pair that the request before was of.
  for (unsigned qps : {1u, 2u, 4u}) {
    for (unsigned delay : {0u, 3u, 40u}) {
      Rig r;
      constexpr unsigned kRequests = 400;
      std::vector<std::uint32_t> psn(4, kFirst);
      for (unsigned i = 0; i < kRequests; ++i) r.write(i % qps, psn[i % qps]++, 64 * i);
      std::deque<std::uint64_t> due;
      const std::uint64_t start = r.dut.cycle();
      std::uint64_t end = 0;
      for (unsigned idle = 0; idle < 400; ++idle) {
        if (!r.requests.empty()) idle = 0, end = r.dut.cycle();
        r.clock();
        while (due.size() + r.landed < r.segments.size()) due.push_back(r.dut.cycle() + delay);
        for (; !due.empty() && due.front() <= r.dut.cycle(); due.pop_front()) ++r.landed;
      }
      const double clocks = static_cast<double>(end - start) / kRequests;
      MESSAGE(qps, " queue pairs, memory ", delay, ": ", clocks, " clocks, ACKs: ", r.acks.size());
      CHECK(clocks < 4.3);
      REQUIRE(r.segments.size() == kRequests);
      std::vector<std::uint32_t> next(4, kFirst), messages(4);
      for (const Packet& ack : r.acks) {
        CHECK(ack.syndrome == kAckNoCredits);
        // Each acknowledges more than the one before, and no more than is in memory.
        const unsigned more = (ack.psn + 1 - next[ack.qpn]) & kPsnMask;
        CHECK(more >= 1);
        CHECK(more <= kRequests);
        next[ack.qpn] += more;
        messages[ack.qpn] += more;
        CHECK(ack.msn == messages[ack.qpn]);
      }
      for (unsigned q = 0; q < qps; ++q) CHECK(((psn[q] - next[q]) & kPsnMask) == 0);
      CHECK(r.dut->idle_o);
    }
  }
}

TEST_CASE("responder: acknowledgements that waited for room leave whatever was taken meanwhile") {
  for (unsigned requests : {1000u, 1400u, 2200u, 3300u}) {
    Rig r;
    r.hold_acks = true;
    for (unsigned q = 0; q < 4; ++q) r.write(q, kFirst, 0x1000);
    for (unsigned i = 1; i < requests; ++i) r.write(0, kFirst + i, 0x2000);
    while (!r.requests.empty()) {
      r.clock();
      r.landed = static_cast<unsigned>(r.segments.size());
    }
    r.clocks(100);
    r.landed = static_cast<unsigned>(r.segments.size());
    r.hold_acks = false;
    r.clocks(2000);
    std::vector<std::uint32_t> last(4);
    for (const Packet& ack : r.acks) last[ack.qpn] = ack.psn;
    CHECK(last[0] == ((kFirst + requests - 1) & kPsnMask));
    for (unsigned q = 1; q < 4; ++q) CHECK(last[q] == kFirst);
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE("responder: a NAK of a gap does not wait for payload of another queue pair (RSP-04)") {
  // The payload of the first request never reaches memory.
  Rig r;
  r.write(1, kFirst, 0x1000);
  r.clocks(20);
  r.write(2, kFirst + 1, 0x2000);
  r.clocks(30);
  REQUIRE(r.acks.size() == 1);
  CHECK(r.acks[0].qpn == 2);
  CHECK(r.acks[0].syndrome == kNakSequence);
}

TEST_CASE("responder: a SEND of three packets fills one receive in order (RSP-17, RSP-19)") {
  Rig r;
  r.requests.push_back({2, kRcSendFirst, kFirst, 256});
  r.clocks(20);
  CHECK(r.acks.empty());  // a dropped packet counts in its turn, too
  r.landed = 1;
  r.clocks(20);
  REQUIRE(!r.acks.empty());
  CHECK(r.acks.back().syndrome == (kRnrNak | kRnrTimer));  // no receive
  CHECK(r.segments.size() == 1);
  CHECK(r.segments[0].drop);
  r.posted[2] = 1;
  r.segments.clear();
  r.requests = {
      {2, kRcSendFirst, kFirst, 256}, {2, kRcSendMiddle, 0xFFFFFF, 256}, {2, kRcSendLast, 0, 10}};
  r.clocks(100);
  REQUIRE(r.segments.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(r.segments[i].addr == Rig::kList + 256 * i);
    CHECK(r.segments[i].len == (i == 2 ? 10 : 256));
  }
  REQUIRE(r.completions.size() == 1);
  CHECK(r.completions[0].len == 522);
  CHECK(r.completions[0].ticket == 4);
}

TEST_CASE(
    "responder: a READ is segmented into responses, as is a duplicate of a part (RSP-32, RSP-34)") {
  Rig r;
  r.requests.push_back({3, kRcReadRequest, kFirst, 0, 700, 0x5000});
  r.clocks(60);
  REQUIRE(r.packets.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(r.packets[i].opcode == kRcReadRespFirst + i);
    CHECK(r.packets[i].psn == ((kFirst + i) & kPsnMask));
    CHECK(r.packets[i].len == (i == 2 ? 188 : 256));
    CHECK(r.sources[i].addr == 0x5000 + 256 * i);
  }
  CHECK(r.packets[0].msn == 1);
  r.requests.push_back({3, kRcReadRequest, 0xFFFFFF, 0, 444, 0x5100});
  r.requests.push_back({3, kRcReadRequest, 0xFFFFFF, 0, 445, 0x5100});  // a different READ: dropped
  r.clocks(60);
  REQUIRE(r.packets.size() == 5);
  CHECK(r.packets[3].opcode == kRcReadRespFirst);
  CHECK(r.packets[3].psn == kPsnMask);
  CHECK(r.sources[3].addr == 0x5100);
  CHECK(r.packets[4].len == 188);
}

TEST_CASE(
    "responder: memory that fails ends the connection with a NAK remote operational error (F-81, "
    "F-82)") {
  Rig r;
  for (unsigned i = 0; i < 3; ++i) r.write(1, kFirst + i, 0x1000);
  r.clocks(30);
  r.landed = 1;
  CHECK(r.fault(1, 0xFFFFFF, false));
  r.landed = 3;
  r.clocks(40);
  REQUIRE(!r.acks.empty());
  CHECK(r.acks.back().syndrome == kNakOperational);
  CHECK(r.acks.back().psn == kPsnMask);
  for (std::size_t i = 0; i + 1 < r.acks.size(); ++i) CHECK(r.acks[i].psn == kFirst);
  REQUIRE(r.fails.size() == 1);
  CHECK(r.fails[0] == Rig::Event(EventKind::kQpFatal, 1));
  const std::size_t n = r.acks.size();
  CHECK(r.fault(1, 0, false));  // reported once
  r.write(1, 1, 0x1000);
  r.clocks(40);
  CHECK(r.acks.size() == n);
  CHECK(r.fails.size() == 1);
  CHECK(r.fault(2, 0x123, true));  // fault in a READ of this side: no response
  r.clocks(20);
  CHECK(r.acks.size() == n);
  REQUIRE(r.fails.size() == 2);
  CHECK(r.fails[1] == Rig::Event(EventKind::kQpFatal, 2));
}
