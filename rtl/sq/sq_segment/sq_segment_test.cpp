// SPDX-License-Identifier: Apache-2.0
// Segmentation of work requests, and the entries that it keeps.
#include <doctest/doctest.h>

#include "rtl/sq/sq_segment/sq_segment_rig.hpp"

using namespace sq_segment_rig;

TEST_CASE("sq_segment: RQ-05: packets of a message and their segments") {
  Rig r;
  r.post(0, {WrOp::kWrite, {{0x5001, 2500}}});
  r.post(1, {WrOp::kSend, {}});
  r.grant(0, 2);
  r.settle();
  REQUIRE(r.plans.size() == 4);
  const unsigned len[] = {1024, 1024, 452, 0};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(r.plans[i].index == (i == 3 ? 1 : 0));
    CHECK(r.plans[i].len == len[i]);
    CHECK(r.plans[i].first == (i == 0 || i == 3));
    CHECK(r.plans[i].last == (i >= 2));
    CHECK(r.plans[i].segments == (i < 3));
    CHECK(r.plans[i].status == Status::kSuccess);
  }
  REQUIRE(r.segments.size() == 3);
  CHECK(r.segments[1].addr == 0x5001 + 1024);
  CHECK(r.segments[2].len == 452);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 2);
  CHECK(r.pointers[0].offset == 0);
  CHECK(r.pointers[0].ready);
}

TEST_CASE(
    "sq_segment: a grant ends after a quantum, and the next one continues without another read") {
  Rig r;
  r.post(4, {WrOp::kWrite, {{0x5000, 40000}}});
  r.post(5, {WrOp::kWrite, {{0x5000, 10}}});
  r.grant(4, 2);
  r.settle();
  CHECK(r.plans.size() == 16);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 4);
  CHECK(r.pointers[0].offset == 16384);
  CHECK(r.blocks_read == 2);
  r.grant(4, 2, 16384);
  r.settle();
  const unsigned again = RTL_Compact ? 1 : 0;  // Compact keeps none
  CHECK(r.blocks_read == 3 + again);           // the second one only
  // 7232 bytes are left then, less than half a quantum: they come with it
  CHECK(r.plans.size() == 40);
  CHECK(r.plans[16].offset == 16384);
  CHECK(r.plans[39].len == 64);
  CHECK(r.plans[39].last);
  CHECK(r.pointers[1].index == 5);
  // Two work requests are kept, so the offset in the message before is served without a read.
  r.grant(5, 1, 0, 2);
  r.settle();
  r.grant(4, 1, 39936, 3);
  r.settle();
  r.grant(5, 1, 0, 4);
  r.settle();
  CHECK(r.blocks_read == 4 + 3 * again);
  CHECK(r.plans.size() == 43);
  CHECK(r.plans[41].index == 4);
  CHECK(r.plans[41].offset == 39936);
  CHECK(r.plans[41].epoch == 3);
  CHECK(r.plans[42].len == 10);
}

TEST_CASE("sq_segment: a kept work request is discarded with the generation") {
  Rig r;
  r.post(0, {WrOp::kWrite, {{0x5000, 10}}});
  r.grant(0, 1);
  r.settle();
  r.reset_state();
  r.post(0, {WrOp::kWrite, {{0x5000, 20}}});
  r.grant(0, 1);
  r.settle();
  REQUIRE(r.plans.size() == 2);
  CHECK(r.plans[1].len == 20);
}

TEST_CASE("sq_segment: a kept work request is discarded when its index comes round") {
  // Index 32 takes the place of 0 (both even), although it cannot be kept itself.
  Rig s(3, 1);
  s.post(0, {WrOp::kWrite, {{0x5000, 10}}});
  s.grant(0, 1);
  s.settle();
  s.post(32, {WrOp::kWrite, {{0x5000, 10}, {0x6000, 10}}});
  s.grant(32, 1);
  s.settle();
  s.post(0, {WrOp::kWrite, {{0x5000, 30}}});
  s.grant(0, 1);
  s.settle();
  REQUIRE(s.plans.size() == 3);
  CHECK(s.plans[2].len == 30);
}

TEST_CASE("sq_segment: reads stop at the end of the ring, also after a kept work request") {
  Rig r;
  for (unsigned i = 28; i < 44; ++i) r.post(i, {WrOp::kWrite, {{0x5000 + i, i}}});
  r.grant(28, 16);
  r.settle();
  CHECK(r.plans.size() == 4);  // indices 28 to 31
  CHECK(r.pointers[0].index == 32);
  r.grant(31, 13, 0, 2);  // 31 is kept, 32 to 43 start at entry 0
  r.settle();
  if (RTL_Compact) {  // 31 is read again, and it is the last one of the ring
    CHECK(r.plans.size() == 5);
    CHECK(r.pointers[1].index == 32);
    return;
  }
  REQUIRE(r.plans.size() == 17);
  for (unsigned i = 0; i < 13; ++i) {
    CHECK(r.plans[4 + i].index == 31 + i);
    CHECK(r.plans[4 + i].len == 31 + i);
  }
  CHECK(r.blocks_read == 16);
}

TEST_CASE("sq_segment: RQ-54: a local operation ends the grant, and no key after it is looked up") {
  if (!RTL_KeyOps) return;
  Rig r;
  r.post(0, {WrOp::kWrite, {{0x5000, 10}}});
  r.post(1, {WrOp::kRegMr, {}});
  r.post(2, {WrOp::kWrite, {{0x5000, 10}}});
  r.grant(0, 3);
  r.settle();
  REQUIRE(r.plans.size() == 2);
  CHECK(r.plans[1].opcode == WrOp::kRegMr);
  CHECK(r.plans[1].status == Status::kSuccess);
  CHECK(r.plans[1].len == 0);
  CHECK_FALSE(r.plans[1].segments);
  CHECK(r.lookups == 1);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 2);
  CHECK_FALSE(r.pointers[0].ready);
  r.grant(2, 1, 0, 2);
  r.settle();
  CHECK(r.plans.size() == 3);
  CHECK(r.pointers[1].ready);
}

TEST_CASE("sq_segment: what needs an absent option is not well formed") {
  const std::pair<WrOp, bool> cases[] = {
      {WrOp::kCmpSwap, RTL_Atomics}, {WrOp::kFetchAdd, RTL_Atomics}, {WrOp::kLocalInv, RTL_KeyOps},
      {WrOp::kBindMw, RTL_KeyOps},   {WrOp::kRegMr, RTL_KeyOps},     {WrOp::kSendInv, true}};
  for (const auto& [opcode, there] : cases) {
    const unsigned code = number(opcode);
    CAPTURE(code);
    const bool atomic = opcode == WrOp::kCmpSwap || opcode == WrOp::kFetchAdd;
    Rig r;
    r.post(0, atomic ? Work{opcode, {{0x5000, 8}}} : Work{opcode, {}});
    r.grant(0, 1);
    r.settle();
    REQUIRE(r.plans.size() == 1);
    CHECK(r.plans[0].status == (there ? Status::kSuccess : Status::kLocQpOpErr));
  }
}

TEST_CASE("sq_segment: F-85, RQ-43, RQ-44: bad work requests end the grant with their status") {
  struct Case {
    Work work;
    Status status;
  };
  const Case cases[] = {
      {{WrOp::kWrite, {{0x5000, 10, kBad}}}, Status::kLocProtErr},
      {{WrOp::kRead, {{0x5000, 10, kBad}}}, Status::kLocProtErr},
      {{WrOp::kWrite, {{0x5000, 10}, {0x5000, 10}}}, Status::kLocQpOpErr},
      {{WrOp::kWrite, {{0x5000, 10}}, 11}, Status::kLocLenErr},
      {{WrOp::kWrite, {}, 1}, Status::kLocLenErr},
      {{WrOp::kWrite, {{0x5000, 0xFFFFFFFF}}, 0x80000001}, Status::kLocLenErr},
      {{WrOp::kFetchAdd, {{0x5000, 16}}}, RTL_Atomics ? Status::kLocLenErr : Status::kLocQpOpErr},
      {{WrOp(11), {}}, Status::kLocQpOpErr},
      {{WrOp(255), {}}, Status::kLocQpOpErr},
      {{WrOp::kRead, {}, 0, true}, Status::kLocQpOpErr},
      {{WrOp::kSend, {}, 1, true}, Status::kLocQpOpErr},
      {{WrOp::kLocalInv, {{0x5000, 0}}}, Status::kLocQpOpErr},
      {{WrOp::kLocalInv, {}, 4}, Status::kLocQpOpErr},
  };
  for (const Case& c : cases) {
    CAPTURE(&c - cases);
    Rig r;
    r.post(0, c.work);
    r.post(1, {WrOp::kWrite, {{0x5000, 10}}});
    r.grant(0, 2);
    r.settle();
    REQUIRE(r.plans.size() == (c.status == Status::kLocProtErr ? r.plans.size() : 1));
    CHECK(r.plans[0].status == c.status);
    CHECK_FALSE(r.plans[0].segments);
    CHECK(r.segments.size() == r.plans.size() - 1);
  }
  Rig r;
  r.read_error = true;
  r.post(0, {WrOp::kSendInv, {}});
  r.grant(0, 1);
  r.settle();
  CHECK(r.plans[0].status == Status::kFatalErr);
  r.read_error = false;  // it was not kept
  r.grant(0, 1);
  r.settle();
  CHECK(r.plans[1].status == Status::kSuccess);
}

TEST_CASE("sq_segment: RQ-07: lists of many entries, inline data") {
  Rig r(1, 2);
  Work w{WrOp::kSend, {}};
  unsigned total = 0;
  for (unsigned i = 0; i < 13; ++i) {
    w.list.push_back({0x4000u + i * 0x200, i % 4 == 3 ? 0 : 40 + i});
    total += w.list.back().length;
  }
  Work data{WrOp::kSend, {}, 150, true};
  r.post(0, w);
  r.post(1, data);
  r.grant(0, 2);
  r.settle();
  unsigned bytes = 0, packets = 0;
  for (const Segment& p : r.segments) {
    bytes += p.len;
    packets += p.last;
  }
  CHECK(bytes == total + 150);
  CHECK(packets == (total + 255) / 256 + 1);
  const Segment& inlined = r.segments.back();
  CHECK(inlined.fetched);
  CHECK(inlined.len == 150);
  const std::vector<std::uint8_t> bytes_sent = r.kept(inlined);
  for (unsigned i = 0; i < inlined.len; ++i) CHECK(bytes_sent[i] == Rig::inline_byte(1, i));
  CHECK_FALSE(r.segments.front().fetched);
}

TEST_CASE("sq_segment: one-packet messages take three clocks and those of the parts, packets one") {
  Rig r;
  for (unsigned i = 0; i < 16; ++i) r.post(i, {WrOp::kWrite, {}});
  r.latency = 2;
  const std::uint64_t from = r.dut.cycle();
  r.grant(0, 16);
  while (r.plans.size() < 16) r.tick();
  constexpr unsigned kParts = 512 / std::max(128, DATA_WIDTH);
  CHECK(r.dut.cycle() - from <= 16 * std::max(2 + kParts, bus::kBlockBeats) + 20);
}

TEST_CASE("sq_segment: plans wait until they are taken, and none is lost") {
  Rig r;
  r.post(0, {WrOp::kWrite, {{0x5000, 16384 + 9000}}});
  r.plan_ready = false;
  r.grant(0, 1);
  r.run(500);
  CHECK(r.plans.empty());
  r.plan_ready = true;
  r.settle();
  CHECK(r.plans.size() == 16);  // 9000 bytes are more than half a quantum
  CHECK(r.segments.size() == 16);
}
