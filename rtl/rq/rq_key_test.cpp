// SPDX-License-Identifier: Apache-2.0
// Keys that a SEND invalidates, and keys that change during a message.
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: SEND with invalidate: the key is invalid for requests after it (RSP-46)") {
  for (bool only : {true, false}) {
    CAPTURE(only);
    Rig b;
    b.regions.push_back({kOtherRegion, kPd, kEveryRight, Rig::kIova + 0x100000, 0x1000, 0x100000});
    b.post(3, {{Rig::kIova + 0x110000, 1000, kRegion}});
    Request w = b.base(kRcWriteOnly);
    w.rkey = kOtherRegion;
    w.va = Rig::kIova + 0x100000;
    w.payload = Rig::pattern(8, 1);
    w.length = 8;
    b.send(w);
    ++b.psn;
    const Bytes data = Rig::pattern(only ? 40 : 296, 2);
    if (!only) b.packet(kRcSendFirst, Bytes(data.begin(), data.begin() + 256));
    b.packet(only ? kRcSendOnlyInv : kRcSendLastInv, Bytes(data.end() - 40, data.end()), 0, 0,
             kOtherRegion);
    w.psn = b.psn;
    w.payload = Rig::pattern(8, 3);
    b.send(w);
    b.run();
    CHECK(b.holds(0x100000, Rig::pattern(8, 1)));
    CHECK(b.holds(0x110000, data));
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].status == Status::kSuccess);
    CHECK(b.completions[0].byte_len == data.size());
    CHECK(b.completions[0].with_inv);
    CHECK(!b.completions[0].with_imm);
    CHECK(b.completions[0].imm == kOtherRegion);
    REQUIRE(!b.responses.empty());
    CHECK(b.responses.back().syndrome == kNakAccess);
    CHECK(b.responses.back().psn == w.psn);
    CHECK(b.invalidations == 1);
  }
}

TEST_CASE("rq: a duplicate SEND with invalidate does not invalidate again") {
  Rig b;
  b.regions.push_back({kOtherRegion, kPd, kEveryRight, 0, 0x1000, 0x100000});
  b.post(3, {});
  b.post(3, {});
  b.packet(kRcSendOnlyInv, {}, 0, 0, kOtherRegion);
  b.run();
  for (int i = 0; i < 3; ++i) {
    --b.psn;
    b.packet(kRcSendOnlyInv, {}, 0, 0, kOtherRegion);
  }
  b.run();
  CHECK(b.invalidations == 1);
  CHECK(b.completions.size() == 1);
  CHECK(b.responses.back().syndrome == kAckNoCredits);
  CHECK(b.fails.empty());
}

TEST_CASE(
    "rq: SEND with a key that cannot be invalidated: its receive fails, and so does the QP "
    "(RSP-47)") {
  for (std::size_t n : {0u, 40u, 120u}) {  // the last one takes two entries of its list
    CAPTURE(n);
    Attr attr;
    attr.stride = 1;
    Rig b(attr);
    b.post(3, {{Rig::kIova + 0x110000, 100, kRegion}, {Rig::kIova + 0x111000, 100, kRegion}});
    b.post(3, {});
    const Bytes before(b.memory.begin() + 0x100000, b.memory.begin() + 0x100008);
    b.packet(kRcSendOnlyInv, Rig::pattern(n, 1), 0, 0, 0x999);
    b.write_only(Rig::pattern(8, 1), 0x100000);
    b.run();
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[0].status == Status::kLocAccessErr);
    CHECK(b.completions[0].index == 0);
    CHECK(b.completions[1].status == Status::kWrFlushErr);
    REQUIRE(b.fails.size() == 1);
    CHECK(b.fails[0].first == EventKind::kQpAccess);
    CHECK(b.holds(0x100000, before));
    CHECK(b.responses.empty());  // no NAK, and no ACK of the SEND
    CHECK(b.counters[Rig::kQp][QpCounter::kNaksSent] == 0);
  }
}

/// A WRITE of three packets to `at`, a SEND whose key cannot be invalidated, and a WRITE after it.
/// `requests`: all packets of the first WRITE but the second one request an ACK, else none does.
void write_then_bad_send(Rig& b, std::uint64_t at, bool requests) {
  b.post(3, {});
  b.post(3, {});
  const Bytes data = Rig::pattern(3 * b.mtu(), 5);
  for (unsigned i = 0; i < 3; ++i) {
    Request r = b.base(data_opcode(true, i == 0, i == 2, false));
    r.payload.assign(data.begin() + i * b.mtu(), data.begin() + (i + 1) * b.mtu());
    r.va = Rig::kIova + at;
    r.length = static_cast<std::uint32_t>(data.size());
    r.ack_req = requests && i != 1;
    b.send(r);
    ++b.psn;
  }
  b.packet(kRcSendOnlyInv, {}, 0, 0, 0x999);
  b.write_only(Rig::pattern(8, 1), 0x110000);
}

TEST_CASE("rq: what precedes a SEND with a bad key is acknowledged, the SEND is not (RSP-47)") {
  for (const unsigned delay : {1u, 5u, 60u, 300u, 2000u}) {
    for (const bool requests : {true, false}) {
      CAPTURE(delay);
      CAPTURE(requests);
      Rig b;
      b.write_delay = delay;
      const std::uint32_t last = b.psn + 2;
      write_then_bad_send(b, 0x102F00, requests);
      b.run();
      CHECK(b.holds(0x102F00, Rig::pattern(3 * b.mtu(), 5)));
      CHECK(b.responses.empty() == !requests);
      for (const Response& response : b.responses) {
        CHECK(response.syndrome == kAckNoCredits);
        CHECK(response.psn <= last);
      }
      if (requests) b.ack_is(b.responses.size() - 1, kAckNoCredits, last, 1);
      REQUIRE(b.completions.size() == 2);
      CHECK(b.completions[0].status == Status::kLocAccessErr);
      CHECK(b.completions[1].status == Status::kWrFlushErr);
      CHECK(b.fails == std::vector<Bench::Event>{{EventKind::kQpAccess, 3}});
      CHECK(b.counters[Rig::kQp][QpCounter::kNaksSent] == 0);
    }
  }
}

TEST_CASE("rq: no ACK before a SEND with a bad key is for data that is not in memory (F-82)") {
  for (const unsigned bad_packet : {0u, 1u, 2u}) {
    for (const unsigned delay : {5u, 60u, 300u, 2000u}) {
      CAPTURE(bad_packet);
      CAPTURE(delay);
      Rig b;
      b.write_delay = delay;
      b.bad_pages = {0x103};
      const std::uint32_t bad = b.psn + bad_packet;
      write_then_bad_send(b, 0x103000 - bad_packet * b.mtu(), true);
      b.run();
      for (const Response& response : b.responses) {
        const bool ack = response.syndrome == kAckNoCredits;
        CHECK((ack ? response.psn < bad : response.psn == bad));
      }
      REQUIRE(!b.responses.empty());
      CHECK(b.responses.back().syndrome == kNakOperational);
    }
  }
}

TEST_CASE("rq: nothing is written through a key that becomes invalid in mid-message (F-90)") {
  for (bool imm : {false, true}) {
    CAPTURE(imm);
    Rig b;
    b.post(3, {});
    const Bytes data = Rig::pattern(700, 1);
    b.message(true, data, 0x100000, imm);
    const Bytes before = b.memory;
    std::vector<Request> rest(b.requests.begin() + 1, b.requests.end());
    b.requests.resize(1);
    b.run();
    b.regions.clear();
    b.key_row();
    for (auto& request : rest) b.send(request);
    b.run();
    Bytes expected = before;
    std::copy_n(data.begin(), 256, expected.begin() + 0x100000);
    CHECK(b.memory == expected);
    CHECK(b.responses.back().syndrome == kNakAccess);
    CHECK(b.responses.back().psn == 0x1001);
    CHECK(b.fails[0].first == EventKind::kQpAccess);
  }
}

TEST_CASE("rq: a key is looked up again only when the table has changed, at any clock") {
  for (unsigned wait = 0; wait < 60; ++wait) {
    CAPTURE(wait);
    Rig b;
    const Bytes data = Rig::pattern(2000, 1);
    b.message(true, data, 0x100000);
    for (unsigned i = 0; i < wait; ++i) b.clock();
    b.key_row();  // a row of another region
    b.run();
    CHECK(b.holds(0x100000, data));
    CHECK(b.responses.back().syndrome == kAckNoCredits);
    CHECK(b.lookups <= 2);
    b.message(true, data, 0x101000);
    b.lookups = 0;
    b.run();
    CHECK(b.lookups == 1);
    CHECK(b.holds(0x101000, data));
  }
}

}  // namespace
