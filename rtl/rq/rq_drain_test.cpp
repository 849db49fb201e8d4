// SPDX-License-Identifier: Apache-2.0
#include "rtl/rq/rq_rig.hpp"

// What reports an invalidation done: SEND with invalidate by its completion, the send side's by
// drained_o. Nothing of the key may touch memory from then on.

namespace {

using namespace rq;

/// Requests of every kind through kRegion, in random order.
void requests(Rig& b, std::mt19937& random, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t at = 0x100000 + random() % 64 * 1024;
    const auto length = static_cast<std::uint32_t>(random() % 1000);
    switch (random() % 4) {
      case 0:
        b.read(at, length);
        break;
      case 1:
        b.atomic(random() % 2 ? kFetchAdd : kCmpSwap, at, 7, random() % 2);
        break;
      default:
        b.message(true, Rig::pattern(length, i), at);
        break;
    }
  }
}

/// Its responses are those of requests that ended before, then at most a NAK.
void check_answers(Rig& b) {
  std::size_t refused = 0;
  for (const Answer& a : b.answers) {
    if (a.opcode != kAck || (a.syndrome & 0x60) == 0) CHECK(refused == 0);
    refused += a.opcode == kAck && a.syndrome == 0x62;
  }
  CHECK(refused <= 1);
  CHECK(b.fails.size() == refused);
  if (refused != 0) CHECK(b.fails[0].first == 5);
}

/// Memory of another pace for each seed.
void vary_memory(Rig& b, unsigned seed) {
  b.random_stalls = seed % 2 != 0;
  b.read_delay = b.write_delay = seed % 3 == 0 ? 400 : 40;
}

/// What is left comes to its end, and neither reads nor writes what requests name.
void runs_without_access(Rig& b) {
  CHECK(b.accesses() == 0);
  const Bytes before = b.memory;
  const std::size_t answers = b.answers.size();
  b.run();
  CHECK(b.memory == before);
  for (std::size_t i = answers; i < b.answers.size(); ++i) CHECK(b.answers[i].payload.empty());
}

Attr deep() {
  Attr attr;
  attr.max_dest = 16;
  return attr;
}

TEST_CASE("rq: nothing touches memory through a key once sq's invalidation is drained (F-90)") {
  unsigned cut = 0, whole = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Rig b(deep());
    vary_memory(b, seed);
    requests(b, random, 14);
    const unsigned when = random() % 1200;
    for (unsigned i = 0; i < when; ++i) b.clock();
    b.regions.clear();
    b.key_row();
    b.drain();
    for (unsigned i = 0; b.drained == 0; ++i) {
      REQUIRE(i < 20000);
      b.clock();
    }
    runs_without_access(b);
    CHECK(b.drained == 1);
    check_answers(b);
    (b.fails.empty() ? whole : cut) += 1;
  }
  CHECK(cut > 20);
}

TEST_CASE("rq: nothing touches memory through a key once SEND with invalidate is complete (F-90)") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Rig b(deep());
    vary_memory(b, seed);
    b.post(3, {});
    b.post(3, {});
    requests(b, random, 1 + random() % 12);
    b.packet(kSendOnlyInv, {}, 0, 0, kRegion);
    b.packet(kSendOnly, {});
    while (b.completions.empty()) {
      REQUIRE(b.dut.cycle() < 200000);
      b.clock();
    }
    CHECK(b.completions[0].with_inv);
    runs_without_access(b);
    check_answers(b);
    CHECK(b.fails.empty());  // READs before it are whole
    CHECK(b.completions.size() == 2);
    CHECK(b.completions[1].status == 0);
  }
}

TEST_CASE(
    "rq: a key that was looked up and ends before its request is taken gives nothing (F-90)") {
  for (unsigned op : {kWriteOnly, kWriteFirst, kWriteOnlyImm, kReadRequest, kFetchAdd, kSendOnly}) {
    CAPTURE(op);
    Rig b;
    b.read_delay = 600;
    b.post(3, {});
    b.post(3, {{Rig::kIova + 0x110000, 1000, kRegion}});
    b.packet(kSendOnly, {});  // waits for its receive, and holds up what was looked up after it
    const std::uint32_t psn = b.psn;
    const std::size_t n = op == kWriteFirst ? 256 : op == kReadRequest || op == kFetchAdd ? 0 : 200;
    b.packet(op, Rig::pattern(n, 3), 0x100000, op == kWriteFirst ? 600 : 200);
    for (unsigned i = 0; i < 300; ++i) b.clock();
    REQUIRE(b.requests.empty());
    REQUIRE(b.completions.empty());
    b.regions.clear();
    b.key_row();
    b.drain();
    const Bytes before = b.memory;
    b.run();
    CHECK(b.drained == 1);
    CHECK(b.memory == before);
    CHECK(b.completions[0].status == 0);
    REQUIRE(!b.answers.empty());
    CHECK(b.answers.back().psn == psn);
    CHECK(b.answers.back().syndrome == (op == kSendOnly ? 0x63 : 0x62));
    for (const Answer& a : b.answers) CHECK(a.payload.empty());
    CHECK(b.fails.size() == 1);
  }
}

TEST_CASE(
    "rq: a READ in progress goes on through a key that stays when others change, at any clock") {
  for (unsigned wait = 0; wait < 80; wait += 3) {
    CAPTURE(wait);
    Rig b;
    const Bytes data(b.memory.begin() + 0x100000, b.memory.begin() + 0x100000 + 2000);
    b.read(0x100000, 2000);
    for (unsigned i = 0; i < wait; ++i) b.clock();
    for (unsigned i = 0; i < 40; ++i) {
      b.key_row();
      for (unsigned k = 0; k < 7; ++k) b.clock();
    }
    b.run();
    REQUIRE(b.answers.size() == 8);
    Bytes got;
    for (const Answer& a : b.answers) got.insert(got.end(), a.payload.begin(), a.payload.end());
    CHECK(got == data);
    CHECK(b.fails.empty());
  }
}

TEST_CASE(
    "rq: a repeated READ whose key is gone is dropped in mid-response, and all else goes on") {
  Rig b;
  b.regions.push_back({kOtherRegion, 7, 15, Rig::kIova + 0x120000, 0x10000, 0x120000});
  Request read = b.base(kReadRequest);
  read.rkey = kOtherRegion;
  read.va = Rig::kIova + 0x120000;
  read.length = 4000;
  b.send(read);
  b.psn += 16;
  b.run();
  REQUIRE(b.answers.size() == 16);
  b.send(read);
  while (b.answers.size() < 18) b.clock();
  b.regions.pop_back();
  b.key_row();
  b.run();
  CHECK(b.answers.size() < 30);
  CHECK(b.fails.empty());
  b.write_only(Rig::pattern(8, 1), 0x100000);
  b.run();
  CHECK(b.answers.back().syndrome == 0x1F);
  CHECK(b.holds(0x100000, Rig::pattern(8, 1)));
}

}  // namespace
