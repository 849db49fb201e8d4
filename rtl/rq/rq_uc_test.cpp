// SPDX-License-Identifier: Apache-2.0
// Unreliable connections: no responses; what cannot be delivered is dropped, and its receive
// serves the next message.
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

struct Unreliable : Rig {
  explicit Unreliable(Attr a = {}) : Rig(a) { uc = true; }
  /// Completions so far are good, of these receives; nothing was sent and nothing failed.
  void delivered(const std::vector<unsigned>& receives) {
    run();
    REQUIRE(completions.size() == receives.size());
    for (std::size_t i = 0; i < receives.size(); ++i) {
      CHECK(completions[i].index == receives[i]);
      CHECK(completions[i].status == Status::kSuccess);
    }
    CHECK(responses.empty());
    CHECK(fails.empty());
  }
};

TEST_CASE("rq: UC-01, UC-02: messages are delivered at any PSN, without a response") {
  Unreliable b;
  const Bytes one = Rig::pattern(600, 1), two = Rig::pattern(70, 2), three = Rig::pattern(700, 3);
  b.receive(0x100000, 1024);
  b.receive(0x101000, 1024);
  b.message(false, one);
  b.psn = 0x7000;
  b.message(true, three, 0x104000);
  b.psn = 0x10;
  b.message(false, two, 0, true);
  b.delivered({0, 1});
  CHECK(b.holds(0x100000, one));
  CHECK(b.holds(0x101000, two));
  CHECK(b.holds(0x104000, three));
  CHECK(b.completions[1].with_imm);
  CHECK(b.completions[1].byte_len == 70);
  CHECK(b.live(3) == Bench::Live{0x11u, 3});
  CHECK(b.discards == 0);
  CHECK(b.counters[3][QpCounter::kTxPackets] == 0);
  CHECK(b.counters[3][QpCounter::kRxPackets] == 7);
}

TEST_CASE("rq: UC-03, UC-07: a gap drops the message, and its receive serves the next") {
  for (const bool shared : {false, true}) {
    for (unsigned lost = 0; lost < 3; ++lost) {
      CAPTURE(lost);
      Attr attr;
      attr.srq = shared;
      Unreliable b(attr);
      unsigned tag = 0;
      if (shared) {
        Srq srq;
        srq.pd = kPd;
        b.srq_row(0, srq);
      }
      const auto receive = [&](std::uint64_t addr) {
        if (shared)
          b.post_srq(0, {{Rig::kIova + addr, 1024, kRegion}}, tag++);
        else
          b.receive(addr, 1024);
      };
      receive(0x100000);
      receive(0x101000);
      const unsigned opcodes[] = {kRcSendFirst, kRcSendMiddle, kRcSendLast};
      for (unsigned i = 0; i < 3; ++i) {
        if (i == lost)
          ++b.psn;
        else
          b.packet(opcodes[i], Rig::pattern(256, i));
      }
      b.run();
      CHECK(b.completions.empty());
      const Bytes good = Rig::pattern(500, 7);
      b.message(false, good);
      b.delivered({0});
      CHECK(b.holds(0x100000, good));
      // A WRITE with immediate takes a receive only when all of it came.
      b.packet(kRcWriteFirst, Rig::pattern(256, 1), 0x105000, 300);
      ++b.psn;
      b.packet(kRcWriteLastImm, Rig::pattern(44, 1));
      b.message(true, good, 0x105000, true);
      b.delivered({0, 1});
      CHECK(b.completions[1].opcode == WcOp::kRecvWriteImm);
      CHECK(b.discards == (lost == 0 ? 2u : lost == 1 ? 1u : 0u) + 1);
    }
  }
}

TEST_CASE("rq: UC-03: a message that was reordered does not go on") {
  Unreliable b;
  b.receive(0x100000, 1024);
  const std::uint32_t first = b.psn;
  const std::pair<unsigned, unsigned> packets[] = {
      {kRcSendFirst, 0}, {kRcSendLast, 2}, {kRcSendMiddle, 1}, {kRcSendLast, 2}};
  for (const auto& [opcode, at] : packets) {
    b.psn = first + at;
    b.packet(opcode, Rig::pattern(256, at));
  }
  b.run();
  CHECK(b.completions.empty());
  CHECK(b.discards == 3);
  b.psn = first + 3;
  b.message(false, Rig::pattern(90, 5));
  b.delivered({0});
}

TEST_CASE("rq: UC-04, UC-05: no receive, a short one, wrong keys and lengths drop the message") {
  Unreliable b;
  const Bytes data = Rig::pattern(64, 1);
  b.message(false, data);                      // no receive
  b.packet(kRcWriteOnly, data, 0x180000, 64);  // outside the region
  b.packet(kRcWriteOnly, data, 0x100000, 65);
  b.run();
  b.receive(0x101000, 40);
  b.message(false, data);                       // longer than the receive
  b.message(false, Rig::pattern(300, 2));       // its second packet is
  b.packet(kRcSendOnly, Rig::pattern(257, 3));  // longer than the path MTU
  b.run();
  CHECK(b.completions.empty());
  b.message(false, Rig::pattern(40, 4));
  b.write_only(data, 0x102000);
  b.delivered({0});
  CHECK(b.holds(0x101000, Rig::pattern(40, 4)));
  CHECK(b.holds(0x102000, data));
  CHECK(b.discards == 7);
}

TEST_CASE("rq: UC: in SQE receives go on (10.3.1)") {
  Unreliable b;
  b.receive(0x100000, 256);
  b.set_state(3, QpState::kSqe);
  b.message(false, Rig::pattern(64, 1));
  b.delivered({0});
  CHECK(b.holds(0x100000, Rig::pattern(64, 1)));
}

TEST_CASE("rq: UC-05: a receive that is wrong by itself fails, and nothing is sent") {
  Unreliable b;
  b.receive(0x101000, 256, kRegion ^ 1);
  b.message(false, Rig::pattern(64, 1));
  b.receive_fails();
}

TEST_CASE("rq: UC: payload that does not reach memory ends the queue pair without a NAK") {
  Unreliable b;
  b.bad_pages = {0x104};
  b.write_only(Rig::pattern(64, 1), 0x103000);
  b.write_only(Rig::pattern(64, 2), 0x104000);  // fails
  b.run();
  CHECK(b.responses.empty());
  REQUIRE(b.fails.size() == 1);
  CHECK(b.fails[0] == Bench::Event(EventKind::kQpFatal, 3));
}

TEST_CASE("rq: UC: 64-byte WRITEs and SENDs take the clocks of RC") {
  Unreliable b;
  constexpr unsigned kPackets = 400;
  for (unsigned i = 0; i < kPackets; ++i) b.write_only(Rig::pattern(64, i), 0x100000 + 64 * i);
  const std::uint64_t start = b.dut.cycle();
  while (!b.requests.empty()) b.clock();
  const double clocks = static_cast<double>(b.dut.cycle() - start) / kPackets;
  MESSAGE("clocks per 64-byte WRITE of UC: ", clocks);
  CHECK(clocks < (RTL_Compact ? 8.2 : 3.1));
  b.delivered({});
}

}  // namespace
