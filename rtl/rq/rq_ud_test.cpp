// SPDX-License-Identifier: Apache-2.0
// Datagrams: each is a whole message whose first 40 bytes are its GRH.
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

constexpr unsigned kGrh = 40, kSource = 0x13579B;

struct Datagrams : Rig {
  explicit Datagrams(Attr a = {}) : Rig(a) {}
  /// A datagram of so many bytes after the GRH; returns what the buffer must hold.
  Bytes datagram(unsigned bytes, unsigned seed, bool imm = false) {
    Request r = base(imm ? kRcSendOnlyImm : kRcSendOnly);
    r.ud = true;
    r.src_qp = kSource + seed;
    r.imm = 0xFACE0000 + seed;
    r.payload = pattern(kGrh + bytes, seed);
    Bytes all = r.payload;
    send(r);
    return all;
  }
};

TEST_CASE("rq: UD-01, UD-05: datagrams of any PSN are delivered, with source and GRH") {
  Datagrams b;
  std::vector<Bytes> want;
  for (unsigned i = 0; i < 6; ++i) {
    b.receive(0x100000 + 0x1000 * i, 1024);
    b.psn = i * 0x555555 & kPsnMask;
    want.push_back(b.datagram(i * 51, i, i % 2 != 0));
  }
  b.run();
  REQUIRE(b.completions.size() == 6);
  for (unsigned i = 0; i < 6; ++i) {
    const Completion& c = b.completions[i];
    CHECK(c.status == Status::kSuccess);
    CHECK(c.index == i);
    CHECK(c.opcode == WcOp::kRecv);
    CHECK(c.byte_len == want[i].size());
    CHECK(c.with_grh);
    CHECK(c.src_qp == kSource + i);
    CHECK(c.with_imm == (i % 2 != 0));
    if (c.with_imm) CHECK(c.imm == 0xFACE0000 + i);
    CHECK(b.holds(0x100000 + 0x1000 * i, want[i]));
  }
  CHECK(b.responses.empty());
  CHECK(b.fails.empty());
  CHECK(b.discards == 0);
  // The bytes of the GRH are no payload, and no PSN is expected.
  CHECK(b.counters[3][QpCounter::kRxPackets] == 6);
  CHECK(b.counters[3][QpCounter::kRxBytes] == 51 * (0 + 1 + 2 + 3 + 4 + 5));
  CHECK(b.live(3).psn == Attr().rq_psn);
}

TEST_CASE("rq: UD-08, UD-09: what cannot be delivered is dropped, its receive serves the next") {
  for (const bool shared : {false, true}) {
    Attr attr;
    attr.srq = shared;
    attr.stride = 1;
    Datagrams b(attr);
    if (shared) {
      Srq srq;
      srq.pd = kPd;
      srq.stride = 1;
      b.srq_row(0, srq);
    }
    b.datagram(64, 1);  // no receive
    b.run();
    CHECK(b.discards == 1);
    const std::vector<Bench::Sge> list = {{Rig::kIova + 0x100000, 24, kRegion},
                                          {Rig::kIova + 0x100100, 100, kRegion}};
    if (shared)
      b.post_srq(0, list, 0);
    else
      b.post(Rig::kQp, list);
    b.run();
    const Bytes untouched(b.memory.begin() + 0x100000, b.memory.begin() + 0x100018);
    b.datagram(85, 2);   // one byte more than there is room for
    b.datagram(257, 3);  // longer than the path MTU
    b.run();
    CHECK(b.completions.empty());
    CHECK(b.discards == 3);
    CHECK(b.holds(0x100000, untouched));
    const Bytes good = b.datagram(84, 4);
    b.run();
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].status == Status::kSuccess);
    CHECK(b.completions[0].byte_len == 124);
    CHECK(b.holds(0x100000, Bytes(good.begin(), good.begin() + 24)));
    CHECK(b.holds(0x100100, Bytes(good.begin() + 24, good.end())));
    CHECK(b.fails.empty());
    CHECK(b.responses.empty());
  }
}

TEST_CASE("rq: UD-09: the path MTU bounds the payload without the GRH") {
  Attr attr;
  attr.pmtu = 5;
  Datagrams b(attr);
  b.receive(0x100FF0, 8192);
  const Bytes all = b.datagram(4096, 1);  // over two ends of pages
  b.run();
  REQUIRE(b.completions.size() == 1);
  CHECK(b.completions[0].byte_len == 4136);
  CHECK(b.holds(0x100FF0, all));
}

TEST_CASE("rq: UD: no event when the first datagram comes in RTR, as RC has it") {
  Datagrams b;
  b.set_state(3, QpState::kRtr);
  b.receive(0x100000, 256);
  b.datagram(64, 1);
  b.run();
  CHECK(b.completions.size() == 1);
  CHECK(b.events.empty());
}

TEST_CASE("rq: UD: a receive that is wrong by itself fails, and the queue pair with it") {
  Datagrams b;
  b.receive(0x101000, 256, kRegion ^ 1);
  b.datagram(64, 1);
  b.receive_fails();
}

TEST_CASE("rq: UD: a datagram of 64 bytes takes the clocks of a SEND") {
  Attr attr;
  attr.rq_log = 9;
  constexpr unsigned kPackets = 200;
  double clocks[2];
  for (const bool ud : {false, true}) {
    Datagrams b(attr);
    for (unsigned i = 0; i < kPackets; ++i) b.receive(0x100000 + 256 * (i % 64), 256);
    b.run();
    for (unsigned i = 0; i < kPackets; ++i) {
      if (ud)
        b.datagram(64, i);
      else
        b.packet(kRcSendOnly, Rig::pattern(64, i));
    }
    const std::uint64_t start = b.dut.cycle();
    while (!b.requests.empty()) b.clock();
    clocks[ud] = static_cast<double>(b.dut.cycle() - start) / kPackets;
    b.run();
    CHECK(b.completions.size() == kPackets);
  }
  MESSAGE("clocks per SEND: ", clocks[0], ", per datagram: ", clocks[1]);
  CHECK(clocks[1] <= clocks[0] * 1.02);
}

}  // namespace
