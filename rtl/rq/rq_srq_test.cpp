// SPDX-License-Identifier: Apache-2.0
// Receives of a shared receive queue, its limit and its ring.
#include "rtl/rq/rq_shared.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: SENDs of two queue pairs interleave, each in its own receive of the SRQ (RSP-54)") {
  for (unsigned stride : {0u, 1u, 2u}) {
    Srq s;
    s.stride = stride;
    Shared b(2, s);
    const unsigned tag1 = b.give(0x100000, 1000), tag2 = b.give(0x110000, 1000);
    b.run();
    const Bytes a = Rig::pattern(700, 1), c = Rig::pattern(600, 2);
    const auto part = [](const Bytes& d, std::size_t i) {
      return Bytes(d.begin() + 256 * i, d.begin() + std::min<std::size_t>(256 * (i + 1), d.size()));
    };
    b.packet(2, kRcSendFirst, part(c, 0));
    b.packet(1, kRcSendFirst, part(a, 0));
    b.packet(1, kRcSendMiddle, part(a, 1));
    b.packet(2, kRcSendMiddle, part(c, 1));
    b.packet(1, kRcSendLast, part(a, 2));
    b.packet(2, kRcSendLastImm, part(c, 2), 0x1234);
    b.run();
    CHECK(b.holds(0x100000, c));
    CHECK(b.holds(0x110000, a));
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[0].qpn == 1);
    CHECK(b.completions[0].index == tag2);
    CHECK(b.completions[0].byte_len == 700);
    CHECK(b.completions[0].cqn == kFirstCq + 1);
    CHECK(b.completions[1].qpn == 2);
    CHECK(b.completions[1].index == tag1);
    CHECK(b.completions[1].imm == 0x1234);
    for (auto& completion : b.completions) CHECK(completion.status == Status::kSuccess);
    const auto live = b.srq_live(kSrqNumber);
    CHECK(live.producer == 2);
    CHECK(live.consumer == 2);
    CHECK(b.fails.empty());
  }
}

TEST_CASE("rq: lists of an SRQ of every stride, over the end of its ring, keys of its domain") {
  for (unsigned stride : {0u, 1u, 2u}) {
    CAPTURE(stride);
    Srq s;
    s.stride = stride;
    s.log = 2;
    Shared b(3, s);
    for (unsigned round = 0; round < 40; ++round) {
      std::vector<Bench::Sge> list = {{kIova + 0x100000, 50, kRegion}};
      for (unsigned i = 1; i < (stride == 0 ? 1u : stride == 1 ? 5u : 13u); ++i)
        list.push_back({kIova + 0x100000 + 0x1000 * i, 20 + i, kRegion});
      b.post_srq(kSrqNumber, list, round);
      const Bytes data = Rig::pattern(stride == 0 ? 50 : 130, round), before = b.memory;
      b.packet(1 + round % 3, kRcSendOnly, data);
      b.run();
      Bytes expected = before;
      std::size_t at = 0;
      for (auto& sge : list) {
        const std::size_t n = std::min<std::size_t>(sge.length, data.size() - at);
        std::copy_n(data.begin() + at, n, expected.begin() + (sge.addr - kIova));
        at += n;
      }
      CHECK(b.memory == expected);
      REQUIRE(b.completions.size() == round + 1);
      CHECK(b.completions.back().index == round);
      CHECK(b.completions.back().status == Status::kSuccess);
    }
  }
}

TEST_CASE("rq: an empty SRQ leads to an RNR NAK; the retry takes a receive posted since (RSP-54)") {
  Shared b(2);
  b.packet(1, kRcSendOnly, Rig::pattern(10, 1));
  b.packet(2, kRcWriteOnlyImm, {});
  b.run();
  REQUIRE(b.responses.size() == 2);
  CHECK(b.responses[0].syndrome == kRnr12);
  CHECK(b.responses[1].syndrome == kRnr12);
  CHECK(b.completions.empty());
  const unsigned tag = b.give(0x100000, 10);
  b.run();
  b.psn[2] = 0x1000;
  b.packet(2, kRcWriteOnlyImm, {}, 77);
  b.run();
  REQUIRE(b.completions.size() == 1);
  CHECK(b.completions[0].index == tag);
  CHECK(b.completions[0].opcode == WcOp::kRecvWriteImm);
  CHECK(b.completions[0].qpn == 2);
  b.psn[1] = 0x1000;
  b.packet(1, kRcSendOnly, Rig::pattern(10, 1));
  b.run();
  CHECK(b.responses.back().syndrome == kRnr12);
}

TEST_CASE("rq: a request waits for a receive that is not fetched yet") {
  Shared b(1);
  b.read_delay = 400;
  b.give(0x100000, 10);
  b.packet(1, kRcSendOnly, Rig::pattern(10, 1));
  b.run();
  REQUIRE(b.completions.size() == 1);
  CHECK(b.completions[0].status == Status::kSuccess);
  CHECK(b.responses.size() == 1);
  CHECK(b.responses[0].syndrome == kAckNoCredits);
}

TEST_CASE("rq: the limit event comes once, when fewer receives than the limit are left (RSP-55)") {
  Srq s;
  s.limit = 3;
  Shared b(2, s);
  for (int i = 0; i < 6; ++i) b.give(0x100000, 10);
  b.run();
  for (unsigned i = 0; i < 6; ++i) {
    CHECK(b.count(EventKind::kSrqLimit, kSrqNumber) ==
          (i > 3 ? 1 : 0));  // after the fourth 2 are left
    CHECK(b.srq_live(kSrqNumber).limit == (i > 3 ? 0 : 3));
    b.packet(1 + i % 2, kRcSendOnly, Rig::pattern(10, i));
    b.run();
  }
  CHECK(b.count(EventKind::kSrqLimit, kSrqNumber) == 1);
  CHECK(b.completions.size() == 6);

  // Another arm keeps the ring and its receives; each arm gives an event.
  for (int i = 0; i < 5; ++i) b.give(0x100000, 10);
  s.limit = 5;
  b.srq_row(kSrqNumber, s);
  b.run();
  CHECK(b.srq_live(kSrqNumber).producer == 11);
  CHECK(b.srq_live(kSrqNumber).consumer == 6);
  CHECK(b.srq_live(kSrqNumber).limit == 5);
  for (int i = 0; i < 3; ++i) b.packet(1, kRcSendOnly, Rig::pattern(10, i));
  b.run();
  CHECK(b.count(EventKind::kSrqLimit, kSrqNumber) == 2);
  CHECK(b.completions.size() == 9);
  CHECK(b.srq_live(kSrqNumber).limit == 0);
}

TEST_CASE(
    "rq: another ring starts at index 0, and outstanding fetches of the old one are ignored") {
  Shared b(1);
  b.read_delay = 300;
  b.give(0x100000, 10);
  for (int i = 0; i < 20; ++i) b.clock();  // the read is outstanding
  Srq s;
  s.valid = false;
  b.srq_row(kSrqNumber, s);
  s.valid = true;
  s.stride = 1;
  b.srq_row(kSrqNumber, s);
  b.srq_posted[kSrqNumber] = 0;
  b.give(0x110000, 10);
  const Bytes data = Rig::pattern(10, 4);
  b.packet(1, kRcSendOnly, data);
  b.run();
  REQUIRE(b.completions.size() == 1);
  CHECK(b.completions[0].index == 0x4001);
  CHECK(b.holds(0x110000, data));
  CHECK(b.srq_live(kSrqNumber).consumer == 1);
}

TEST_CASE("rq: eight queue pairs empty and fill an SRQ at random; each receive once (F-89)") {
  for (unsigned seed : {11u, 12u}) {
    MESSAGE("seed ", seed);
    Srq s;
    s.log = 3;
    Shared b(8, s);
    b.random.seed(seed);
    b.random_stalls = true;
    constexpr unsigned kMessages = 400;
    std::map<unsigned, Bytes> sent;      // by queue pair, the one without response
    std::set<unsigned> out;              // tags posted
    std::map<unsigned, unsigned> slots;  // tag to buffer
    unsigned started = 0, rnrs = 0, buffer = 0;
    std::size_t responses = 0, completions = 0;
    std::set<unsigned> acked, completed;
    auto transmit = [&](unsigned q) {
      b.packet(q, kRcSendOnly, sent[q]);
      --b.psn[q];
    };
    auto next_of = [&](unsigned q) {  // when it is acknowledged and completed
      if (!acked.count(q) || !completed.count(q)) return;
      acked.erase(q);
      completed.erase(q);
      sent.erase(q);
      ++b.psn[q];
    };
    while (completions < kMessages || responses < b.responses.size()) {
      REQUIRE(b.dut.cycle() < 400000);
      if (out.size() < 8 && b.random() % 40 == 0) {
        const unsigned tag = b.give(0x100000 + 0x100 * (buffer % 512), 200);
        slots[tag] = buffer++ % 512;
        CHECK(out.insert(tag).second);
      }
      const unsigned q = 1 + b.random() % 8;
      if (!sent.count(q) && started < kMessages && b.requests.size() < 3 && b.random() % 4 == 0) {
        sent[q] = Rig::pattern(1 + b.random() % 200, b.random());
        ++started;
        transmit(q);
      }
      b.clock();
      for (; responses < b.responses.size(); ++responses) {
        const Response& a = b.responses[responses];
        CHECK(a.psn == b.psn[a.qpn]);
        if (a.syndrome == kAckNoCredits) {
          CHECK(acked.insert(a.qpn).second);
          next_of(a.qpn);
        } else {
          REQUIRE(a.syndrome == kRnr12);
          ++rnrs;
          transmit(a.qpn);
        }
      }
      for (; completions < b.completions.size(); ++completions) {
        const Completion& c = b.completions[completions];
        CHECK(c.status == Status::kSuccess);
        REQUIRE(out.erase(c.index) == 1);
        CHECK(c.byte_len == sent[c.qpn].size());
        CHECK(b.holds(0x100000 + 0x100 * slots[c.index], sent[c.qpn]));
        CHECK(completed.insert(c.qpn).second);
        next_of(c.qpn);
      }
    }
    b.run();
    MESSAGE("RNR NAKs ", rnrs);
    CHECK(rnrs > 20);
    CHECK(b.completions.size() == kMessages);
    CHECK(b.fails.empty());
  }
}

}  // namespace
