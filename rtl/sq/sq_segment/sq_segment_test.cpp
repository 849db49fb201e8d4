// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "rtl/sq/sq_segment/sq_segment_rig.hpp"

using namespace sq_segment_rig;

TEST_CASE("sq_segment: RQ-05: packets of a message and their segments") {
  Rig r;
  r.post(0, {kWrite, {{0x5001, 2500}}});
  r.post(1, {kSend, {}});
  r.grant(0, 2);
  r.settle();
  REQUIRE(r.plans.size() == 4);
  const unsigned len[] = {1024, 1024, 452, 0};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(r.plans[i].index == (i == 3 ? 1 : 0));
    CHECK(r.plans[i].len == len[i]);
    CHECK(r.plans[i].first == (i == 0 || i == 3));
    CHECK(r.plans[i].last == (i >= 2));
    CHECK(r.plans[i].pieces == (i < 3));
    CHECK(r.plans[i].status == kSuccess);
  }
  REQUIRE(r.pieces.size() == 3);
  CHECK(r.pieces[1].addr == 0x5001 + 1024);
  CHECK(r.pieces[2].len == 452);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 2);
  CHECK(r.pointers[0].offset == 0);
  CHECK(r.pointers[0].ready);
}

TEST_CASE("sq_segment: a grant ends after a quantum, and goes on without reading again") {
  Rig r;
  r.post(4, {kWrite, {{0x5000, 40000}}});
  r.post(5, {kWrite, {{0x5000, 10}}});
  r.grant(4, 2);
  r.settle();
  CHECK(r.plans.size() == 16);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 4);
  CHECK(r.pointers[0].offset == 16384);
  CHECK(r.blocks_read == 2);
  r.grant(4, 2, 16384);
  r.settle();
  CHECK(r.blocks_read == 3);  // the second one only
  // 7232 bytes are left then, less than half a quantum: they come with it
  CHECK(r.plans.size() == 40);
  CHECK(r.plans[16].offset == 16384);
  CHECK(r.plans[39].len == 64);
  CHECK(r.plans[39].last);
  CHECK(r.pointers[1].index == 5);
  // Going back to an offset in the message after: that one is kept, and the newest too
  r.grant(5, 1, 0, 2);
  r.settle();
  r.grant(4, 1, 39936, 3);
  r.settle();
  r.grant(5, 1, 0, 4);
  r.settle();
  CHECK(r.blocks_read == 4);
  CHECK(r.plans.size() == 43);
  CHECK(r.plans[41].index == 4);
  CHECK(r.plans[41].offset == 39936);
  CHECK(r.plans[41].epoch == 3);
  CHECK(r.plans[42].len == 10);
}

TEST_CASE("sq_segment: what was kept is forgotten with the generation") {
  Rig r;
  r.post(0, {kWrite, {{0x5000, 10}}});
  r.grant(0, 1);
  r.settle();
  r.reset_state();
  r.post(0, {kWrite, {{0x5000, 20}}});
  r.grant(0, 1);
  r.settle();
  REQUIRE(r.plans.size() == 2);
  CHECK(r.plans[1].len == 20);
}

TEST_CASE("sq_segment: what was kept is forgotten by a later round of the index") {
  // Index 32 takes the place of 0 (both even), although it cannot be kept itself.
  Rig s(3, 1);
  s.post(0, {kWrite, {{0x5000, 10}}});
  s.grant(0, 1);
  s.settle();
  s.post(32, {kWrite, {{0x5000, 10}, {0x6000, 10}}});
  s.grant(32, 1);
  s.settle();
  s.post(0, {kWrite, {{0x5000, 30}}});
  s.grant(0, 1);
  s.settle();
  REQUIRE(s.plans.size() == 3);
  CHECK(s.plans[2].len == 30);
}

TEST_CASE(
    "sq_segment: reads stop at the end of the ring, and a kept one before it is no obstacle") {
  Rig r;
  for (unsigned i = 28; i < 44; ++i) r.post(i, {kWrite, {{0x5000 + i, i}}});
  r.grant(28, 16);
  r.settle();
  CHECK(r.plans.size() == 4);  // indices 28 to 31
  CHECK(r.pointers[0].index == 32);
  r.grant(31, 13, 0, 2);  // 31 is kept, 32 to 43 start at entry 0
  r.settle();
  REQUIRE(r.plans.size() == 17);
  for (unsigned i = 0; i < 13; ++i) {
    CHECK(r.plans[4 + i].index == 31 + i);
    CHECK(r.plans[4 + i].len == 31 + i);
  }
  CHECK(r.blocks_read == 16);
}

TEST_CASE("sq_segment: RQ-54: a local operation ends the grant, and no key after it is looked up") {
  Rig r;
  r.post(0, {kWrite, {{0x5000, 10}}});
  r.post(1, {kRegMr, {}});
  r.post(2, {kWrite, {{0x5000, 10}}});
  r.grant(0, 3);
  r.settle();
  REQUIRE(r.plans.size() == 2);
  CHECK(r.plans[1].opcode == kRegMr);
  CHECK(r.plans[1].status == kSuccess);
  CHECK(r.plans[1].len == 0);
  CHECK_FALSE(r.plans[1].pieces);
  CHECK(r.keys_asked == 1);
  REQUIRE(r.pointers.size() == 1);
  CHECK(r.pointers[0].index == 2);
  CHECK_FALSE(r.pointers[0].ready);
  r.grant(2, 1, 0, 2);
  r.settle();
  CHECK(r.plans.size() == 3);
  CHECK(r.pointers[1].ready);
}

TEST_CASE("sq_segment: F-85, RQ-43, RQ-44: bad work requests end the grant with their status") {
  struct Case {
    Work work;
    unsigned status;
  };
  const Case cases[] = {
      {{kWrite, {{0x5000, 10, kBad}}}, kLocProtErr},
      {{kRead, {{0x5000, 10, kBad}}}, kLocProtErr},
      {{kWrite, {{0x5000, 10}, {0x5000, 10}}}, kLocQpOpErr},
      {{kWrite, {{0x5000, 10}}, 11}, kLocLenErr},
      {{kWrite, {}, 1}, kLocLenErr},
      {{kWrite, {{0x5000, 0xFFFFFFFF}}, 0x80000001}, kLocLenErr},
      {{kFetchAdd, {{0x5000, 16}}}, kLocLenErr},
      {{11, {}}, kLocQpOpErr},
      {{255, {}}, kLocQpOpErr},
      {{kRead, {}, 0, true}, kLocQpOpErr},
      {{kSend, {}, 1, true}, kLocQpOpErr},
      {{kLocalInv, {{0x5000, 0}}}, kLocQpOpErr},
      {{kLocalInv, {}, 4}, kLocQpOpErr},
  };
  for (const Case& c : cases) {
    CAPTURE(&c - cases);
    Rig r;
    r.post(0, c.work);
    r.post(1, {kWrite, {{0x5000, 10}}});
    r.grant(0, 2);
    r.settle();
    REQUIRE(r.plans.size() == (c.status == kLocProtErr ? r.plans.size() : 1));
    CHECK(r.plans[0].status == c.status);
    CHECK_FALSE(r.plans[0].pieces);
    CHECK(r.pieces.size() == r.plans.size() - 1);
  }
  Rig r;
  r.read_error = true;
  r.post(0, {kSendInv, {}});
  r.grant(0, 1);
  r.settle();
  CHECK(r.plans[0].status == kFatalErr);
  r.read_error = false;  // and was not kept
  r.grant(0, 1);
  r.settle();
  CHECK(r.plans[1].status == kSuccess);
}

TEST_CASE("sq_segment: RQ-07: lists of many entries, inline data") {
  Rig r(1, 2);
  Work w{kSend, {}};
  unsigned total = 0;
  for (unsigned i = 0; i < 13; ++i) {
    w.list.push_back({0x4000u + i * 0x200, i % 4 == 3 ? 0 : 40 + i});
    total += w.list.back().length;
  }
  Work data{kSend, {}, 150, true};
  r.post(0, w);
  r.post(1, data);
  r.grant(0, 2);
  r.settle();
  unsigned bytes = 0, packets = 0;
  for (const Piece& p : r.pieces) {
    bytes += p.len;
    packets += p.last;
  }
  CHECK(bytes == total + 150);
  CHECK(packets == (total + 255) / 256 + 1);
  CHECK(r.pieces.back().addr == kBase + 256 + 64);
  CHECK(r.pieces.back().len == 150);
}

TEST_CASE("sq_segment: one-packet messages take three clocks, packets one") {
  Rig r;
  for (unsigned i = 0; i < 16; ++i) r.post(i, {kWrite, {}});
  r.latency = 2;
  const std::uint64_t from = r.dut.cycle();
  r.grant(0, 16);
  while (r.plans.size() < 16) r.tick();
  CHECK(r.dut.cycle() - from <= 16 * 3 + 20);
}

TEST_CASE("sq_segment: plans wait when nobody takes them, and none is lost") {
  Rig r;
  r.post(0, {kWrite, {{0x5000, 16384 + 9000}}});
  r.plan_ready = false;
  r.grant(0, 1);
  r.run(500);
  CHECK(r.plans.empty());
  r.plan_ready = true;
  r.settle();
  CHECK(r.plans.size() == 16);  // 9000 bytes are more than half a quantum
  CHECK(r.pieces.size() == 16);
}
