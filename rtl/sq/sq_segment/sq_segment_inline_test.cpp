// SPDX-License-Identifier: Apache-2.0
// Inline data of work requests stay in the fetched blocks until they are sent.
#include <doctest/doctest.h>

#include "rtl/sq/sq_segment/sq_segment_rig.hpp"

using namespace sq_segment_rig;

TEST_CASE("sq_segment: inline data keep their place until they are read, or dropped") {
  Rig r(3, 1, 7);
  constexpr unsigned kWorks = 1200, kAtOnce = 8;
  for (unsigned from = 0; from < kWorks; from += kAtOnce) {
    for (unsigned i = from; i < from + kAtOnce; ++i) {
      if (i % 3 == 0) {
        r.post(i, {WrOp::kWrite, {{0x5000, 10}}});
      } else {
        r.post(i, {WrOp::kWrite, {}, 1 + i % 64, true});
      }
    }
    // For some time none is read, and then some are dropped: fetching waits in between.
    const bool held = from / 200 % 2 == 1;
    r.read_inline = !held;
    r.drop_inline = from < kWorks / 2 ? 3 : 0;
    r.grant(from, kAtOnce);
    if (held) {
      r.run(200);
      r.read_inline = true;
    }
    while (r.plans.size() < from + kAtOnce) r.tick();
  }
  r.settle();
  REQUIRE(r.segments.size() == kWorks);
  unsigned wrong = 0;
  for (unsigned i = 0; i < kWorks; ++i) {
    const Segment& segment = r.segments[i];
    REQUIRE(segment.fetched == (i % 3 != 0));
    if (!segment.fetched) continue;
    const std::vector<std::uint8_t> bytes = r.kept(segment);
    for (unsigned k = 0; k < segment.len; ++k) wrong += bytes[k] != Rig::inline_byte(i, k);
  }
  CHECK(wrong == 0);
}

TEST_CASE("sq_segment: the first block is read at once, and the plan waits for the last one") {
  const Work by_list{WrOp::kWrite, {{0x4000, 10}, {0x5000, 20}}};
  for (const Work& work : {Work{WrOp::kWrite, {}, 64, true}, by_list, Work{WrOp::kWrite, {}}}) {
    unsigned clocks[2] = {0, 0};  // without and with a gap
    for (const unsigned gap : {0, 50}) {
      Rig r(3, 1);
      r.gap = gap;
      r.post(0, work);
      r.grant(0, 1);
      while (r.plans.empty() && clocks[gap != 0] < 200) {
        r.tick();
        ++clocks[gap != 0];
      }
      r.settle();
      REQUIRE(r.plans.size() == 1);
      CHECK(r.plans[0].status == Status::kSuccess);
      unsigned bytes = 0;
      for (const Segment& segment : r.segments) bytes += segment.len;
      CHECK(bytes == r.plans[0].len);
    }
    CHECK(clocks[1] > clocks[0] + 40);
    // Five clocks after the last beat, unless keys are looked up.
    if (work.list.empty()) CHECK(clocks[1] <= 40 + 50 + bus::kBlockBeats + 5);
  }
}

TEST_CASE("sq_segment: inline data are as long as the blocks after the first of their entry") {
  for (unsigned stride_log = 0; stride_log <= 2; ++stride_log) {
    const unsigned room = 64 * ((1u << stride_log) - 1);
    for (unsigned len : {0u, 1u, 32u, 63u, 64u, 65u, 80u, 127u, 128u, 129u, 191u, 192u, 193u, 208u,
                         255u, 256u, 4096u}) {
      CAPTURE(stride_log);
      CAPTURE(len);
      Rig r(3, stride_log);
      r.post(0, {WrOp::kSend, {}, len, true});
      r.grant(0, 1);
      r.settle();
      REQUIRE(r.plans.size() >= 1);
      CHECK(r.plans[0].status == (len <= room ? Status::kSuccess : Status::kLocQpOpErr));
    }
  }
}

TEST_CASE("sq_segment: fetching waits while inline data stand where the next blocks would go") {
  Rig r(3, 1, 8);
  r.read_inline = false;
  constexpr unsigned kGrants = RTL_Blocks / 14;  // seven work requests each, after the first one
  r.post(0, {WrOp::kWrite, {}, 64, true});
  for (unsigned i = 1; i < 200; ++i) r.post(i, {WrOp::kWrite, {{0x5000, 10}}});
  r.grant(0, 1);
  for (unsigned i = 0; i < kGrants; ++i) r.grant(1 + 7 * i, 7);
  r.run(2000);
  CHECK(r.blocks_read == 2 + 14 * kGrants);
  r.grant(1 + 7 * kGrants, 7);
  r.run(2000);
  CHECK(r.blocks_read == 2 + 14 * kGrants);
  CHECK(r.plans.size() == 1 + 7 * kGrants);
  r.read_inline = true;
  r.settle();
  CHECK(r.plans.size() == 1 + 7 * (kGrants + 1));
}
