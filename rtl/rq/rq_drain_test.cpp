// SPDX-License-Identifier: Apache-2.0
// An invalidation is reported as done by the completion of a SEND with invalidate, or by drained_o
// to the send side. From then on nothing may access memory through the key.
#include "rtl/rq/rq_rig.hpp"

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
        b.atomic(random() % 2 ? kRcFetchAdd : kRcCmpSwap, at, 7, random() % 2);
        break;
      default:
        b.message(true, Rig::pattern(length, i), at);
        break;
    }
  }
}

/// The responses are those of requests that ended before, then at most a NAK.
void check_responses(Rig& b) {
  std::size_t naks = 0;
  for (const Response& a : b.responses) {
    if (a.opcode != kRcAck || a.syndrome == kAckNoCredits) CHECK(naks == 0);
    naks += a.opcode == kRcAck && a.syndrome == kNakAccess;
  }
  CHECK(naks <= 1);
  CHECK(b.fails.size() == naks);
  if (naks != 0) CHECK(b.fails[0].first == EventKind::kQpAccess);
}

/// Gives memory another latency for each seed.
void vary_memory(Rig& b, unsigned seed) {
  b.random_stalls = seed % 2 != 0;
  b.read_delay = b.write_delay = seed % 3 == 0 ? 400 : 40;
}

/// What is outstanding ends without an access to the memory of requests.
void runs_without_access(Rig& b) {
  CHECK(b.accesses() == 0);
  const Bytes before = b.memory;
  const std::size_t responses = b.responses.size();
  b.run();
  CHECK(b.memory == before);
  for (std::size_t i = responses; i < b.responses.size(); ++i)
    CHECK(b.responses[i].payload.empty());
}

Attr deep() {
  Attr attr;
  attr.max_dest = 16;
  return attr;
}

TEST_CASE("rq: nothing touches memory through a key once sq's invalidation is drained (F-90)") {
  unsigned ended = 0, whole = 0;
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
    check_responses(b);
    (b.fails.empty() ? whole : ended) += 1;
  }
  CHECK(ended > 20);
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
    b.packet(kRcSendOnlyInv, {}, 0, 0, kRegion);
    b.packet(kRcSendOnly, {});
    while (b.completions.empty()) {
      REQUIRE(b.dut.cycle() < 200000);
      b.clock();
    }
    CHECK(b.completions[0].with_inv);
    runs_without_access(b);
    check_responses(b);
    CHECK(b.fails.empty());  // READs before it end with all their data
    CHECK(b.completions.size() == 2);
    CHECK(b.completions[1].status == Status::kSuccess);
  }
}

TEST_CASE("rq: a key that is invalidated between lookup and request gives no access (F-90)") {
  for (unsigned op :
       {kRcWriteOnly, kRcWriteFirst, kRcWriteOnlyImm, kRcReadRequest, kRcFetchAdd, kRcSendOnly}) {
    CAPTURE(op);
    Rig b;
    b.read_delay = 600;
    b.post(3, {});
    b.post(3, {{Rig::kIova + 0x110000, 1000, kRegion}});
    b.packet(kRcSendOnly,
             {});  // waits for its receive and blocks the next request, whose key was looked up
    const std::uint32_t psn = b.psn;
    const std::size_t n = op == kRcWriteFirst                         ? 256
                          : op == kRcReadRequest || op == kRcFetchAdd ? 0
                                                                      : 200;
    b.packet(op, Rig::pattern(n, 3), 0x100000, op == kRcWriteFirst ? 600 : 200);
    for (unsigned i = 0; i < 300; ++i) b.clock();
    REQUIRE(b.requests.size() == (RTL_Compact ? 1 : 0));  // Compact looks up when it is its turn
    REQUIRE(b.completions.empty());
    b.regions.clear();
    b.key_row();
    b.drain();
    const Bytes before = b.memory;
    b.run();
    CHECK(b.drained == 1);
    CHECK(b.memory == before);
    CHECK(b.completions[0].status == Status::kSuccess);
    REQUIRE(!b.responses.empty());
    CHECK(b.responses.back().psn == psn);
    CHECK(b.responses.back().syndrome == (op == kRcSendOnly ? kNakOperational : kNakAccess));
    for (const Response& a : b.responses) CHECK(a.payload.empty());
    CHECK(b.fails.size() == 1);
  }
}

TEST_CASE("rq: a READ in progress continues when keys other than its own change, at any clock") {
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
    REQUIRE(b.responses.size() == 8);
    Bytes got;
    for (const Response& a : b.responses) got.insert(got.end(), a.payload.begin(), a.payload.end());
    CHECK(got == data);
    CHECK(b.fails.empty());
  }
}

TEST_CASE(
    "rq: a duplicate READ whose key becomes invalid is dropped in mid-response; others continue") {
  Rig b;
  b.regions.push_back({kOtherRegion, kPd, kEveryRight, Rig::kIova + 0x120000, 0x10000, 0x120000});
  Request read = b.base(kRcReadRequest);
  read.rkey = kOtherRegion;
  read.va = Rig::kIova + 0x120000;
  read.length = 4000;
  b.send(read);
  b.psn += 16;
  b.run();
  REQUIRE(b.responses.size() == 16);
  b.send(read);
  while (b.responses.size() < 18) b.clock();
  b.regions.pop_back();
  b.key_row();
  b.run();
  CHECK(b.responses.size() < 30);
  CHECK(b.fails.empty());
  b.write_only(Rig::pattern(8, 1), 0x100000);
  b.run();
  CHECK(b.responses.back().syndrome == kAckNoCredits);
  CHECK(b.holds(0x100000, Rig::pattern(8, 1)));
}

}  // namespace
