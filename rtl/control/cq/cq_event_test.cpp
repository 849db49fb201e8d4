// SPDX-License-Identifier: Apache-2.0
// Arming, events and their moderation.

#include "rtl/control/cq/cq_bench.hpp"

using namespace cq_bench;

TEST_CASE("cq: CQ-08 an entry that software has seen, consumed or not, raises no event and stays") {
  Bench bench;
  bench.make(1, 2);
  for (unsigned i = 0; i < 3; ++i) bench.complete(1, i);
  bench.drain();
  for (const bool solicited : {false, true}) {
    bench.arm(1, 3, solicited);  // software has seen all three and consumed none
    bench.drain();
    CHECK(bench.events.empty());
  }
  bench.complete(1, 3);
  bench.drain();
  CHECK(bench.events.size() == 1);
  bench.complete(1, 4);  // the ring of four is full, as nothing was consumed
  bench.drain();
  CHECK(bench.fails.size() == 1);
}

TEST_CASE(
    "cq: CQ-08 CQ-10 an armed queue raises one event, at once for an entry that was not seen") {
  Bench bench;
  bench.make(1, 6);
  bench.complete(1, 0);
  bench.complete(1, 1);
  bench.drain();
  CHECK(bench.events.empty());
  bench.arm(1, 2);  // both were seen
  bench.drain();
  CHECK(bench.events.empty());
  bench.complete(1, 2);
  bench.complete(1, 3);
  bench.drain();
  REQUIRE(bench.events.size() == 1);
  CHECK(bench.events[0].kind == EventKind::kCompletion);
  CHECK(bench.events[0].number == 1);
  bench.arm(1, 3);  // entry 3 was not seen: an event at once
  bench.drain();
  CHECK(bench.events.size() == 2);
  bench.arm(1, 4);
  bench.arm(1, 4);
  bench.drain();
  bench.complete(1, 4);
  bench.complete(1, 5);
  bench.drain();
  CHECK(bench.events.size() == 3);
}

TEST_CASE("cq: an event follows the response of its entry's write") {
  Bench bench;
  bench.latency = 200;
  bench.make(1, 6);
  bench.arm(1, 0);
  bench.complete(1, 0);
  bench.run(100);
  CHECK(bench.taken.size() == 1);
  CHECK(bench.events.empty());
  bench.drain();
  REQUIRE(bench.events.size() == 1);
  CHECK(bench.events[0].cycle >= bench.taken[0].due);
  // The event waits as well when the queue is armed during the write.
  bench.arm(1, 1);
  bench.drain();
  bench.complete(1, 1);
  bench.drain();
  bench.complete(1, 2);
  bench.run(10);
  bench.arm(1, 2);
  bench.run(100);
  CHECK(bench.events.size() == 2);
  bench.drain();
  REQUIRE(bench.events.size() == 3);
  CHECK(bench.events[2].cycle >= bench.taken[2].due);
}

TEST_CASE("cq: CQ-09 CQ-11 solicited arming") {
  Bench bench;
  bench.make(1, 6);
  unsigned n = 0;
  const auto entry = [&](bool solicited, Status status = Status::kSuccess) {
    bench.complete(1, n++, solicited, status);
    bench.drain();
    return bench.events.size();
  };
  bench.arm(1, n, true);
  CHECK(entry(false) == 0);
  CHECK(entry(true) == 1);
  CHECK(entry(true) == 1);
  bench.arm(1, n, true);
  CHECK(entry(false, Status::kWrFlushErr) == 2);
  bench.arm(1, n, true);
  bench.arm(1, n, false);  // the arm for any entry replaces it
  bench.drain();
  CHECK(entry(false) == 3);
  bench.arm(1, n, false);
  bench.arm(1, n, true);  // and stays
  bench.drain();
  CHECK(entry(false) == 4);
  // An entry that was not seen counts for a solicited arm only when it is solicited.
  bench.arm(1, n - 1, true);
  bench.drain();
  CHECK(bench.events.size() == 4);
  CHECK(entry(false) == 4);
  CHECK(entry(true) == 5);
  CHECK(entry(false) == 5);
  bench.arm(1, n - 2, true);  // the solicited one before the last
  bench.drain();
  CHECK(bench.events.size() == 6);
  bench.arm(1, n - 1, true);
  bench.drain();
  CHECK(bench.events.size() == 6);
}

TEST_CASE("cq: CQ-10 software that arms, polls and sleeps misses no completion") {
  const std::uint32_t seed = 20261120;
  MESSAGE("seed " << seed);
  for (unsigned round = 0; round < 3; ++round) {
    Bench bench(seed + round);
    bench.latency = 1 + round * 15;
    bench.percent_ready = round == 2 ? 40 : 100;
    bench.percent_source = 30;
    constexpr unsigned kQueues = 3;
    unsigned consumed[kQueues] = {}, written[kQueues] = {}, arms[kQueues] = {}, polls[kQueues] = {};
    unsigned events_seen[kQueues] = {};
    std::uint64_t wake[kQueues] = {};  // cycle of the next poll; kNever: software sleeps
    std::size_t event_at = 0, visible_at = 0;
    std::deque<unsigned> seen[kQueues];
    for (unsigned q = 0; q < kQueues; ++q) bench.make(q, 6);
    const unsigned total = 4000;
    for (unsigned i = 0; i < total; ++i) {
      const unsigned q = bench.random() % kQueues;
      bench.complete(q, written[q]++, false, Status::kSuccess, bench.random() % 2);
    }
    // Software consumes some entries, arms with all that it sees, consumes the rest, and sleeps
    // until the event.
    for (unsigned idle = 0; idle < 3000; ++idle) {
      bench.step();
      for (; visible_at < bench.visible.size(); ++visible_at) {
        seen[bench.visible[visible_at].cqn].push_back(0);
        idle = 0;
      }
      for (; event_at < bench.events.size(); ++event_at) {
        const unsigned q = bench.events[event_at].number;
        REQUIRE(bench.events[event_at].kind == EventKind::kCompletion);
        CHECK(++events_seen[q] <= arms[q]);
        CHECK_FALSE(seen[q].empty());  // an event comes with an entry
        wake[q] = bench.dut.cycle() + bench.random() % 20;
      }
      for (unsigned q = 0; q < kQueues; ++q) {
        if (wake[q] > bench.dut.cycle() || !bench.bells.empty()) continue;
        const auto there = static_cast<unsigned>(seen[q].size());
        const unsigned before = bench.random() % (there + 1);
        bench.consume(q, consumed[q] + before);
        bench.arm(q, consumed[q] + there);
        consumed[q] += there;
        seen[q].clear();
        ++polls[q];
        ++arms[q];
        wake[q] = kNever;
      }
    }
    for (unsigned q = 0; q < kQueues; ++q) CHECK(consumed[q] == written[q]);
    CHECK(bench.fails.empty());
    CHECK(bench.taken.size() == total);
  }
}

TEST_CASE("cq: moderation holds events back for a count or a period") {
  Bench bench;
  const unsigned count = 4, period = 3;  // us
  bench.make(1, 8, count, period);
  unsigned n = 0;
  const auto entries = [&](unsigned k) {
    for (unsigned i = 0; i < k; ++i) bench.complete(1, n++);
    bench.run(30 + 4 * k);
    return bench.events.size();
  };
  CHECK(bench.dut->next_deadline_o == kNever);
  bench.arm(1, 0);
  CHECK(entries(3) == 0);
  CHECK(bench.dut->next_deadline_o != kNever);
  CHECK(bench.dut->idle_o == 1);
  CHECK(entries(1) == 1);
  CHECK(bench.dut->next_deadline_o == kNever);
  CHECK(entries(6) == 1);  // not armed
  bench.arm(1, n);
  const std::uint64_t before = bench.dut->now_i;
  CHECK(entries(1) == 1);
  const std::uint64_t deadline = bench.dut->next_deadline_o;
  CHECK(deadline > before + 1000 * period);
  CHECK(deadline < before + 1000 * period + 4 * 20);
  while (bench.dut->now_i < deadline) bench.step();
  CHECK(bench.events.size() == 1);
  bench.run(20);
  CHECK(bench.events.size() == 2);
  CHECK(bench.dut->next_deadline_o == kNever);
  // Entries that were not seen when the queue is armed count as well.
  bench.arm(1, n - count);
  bench.run(20);
  CHECK(bench.events.size() == 3);
  bench.arm(1, n - 2);
  bench.run(20);
  CHECK(bench.events.size() == 3);
  CHECK(entries(1) == 3);
  CHECK(entries(1) == 4);
  // Time jumps over the rest of a period.
  bench.arm(1, n);
  CHECK(entries(1) == 4);
  bench.dut->now_i = bench.dut->next_deadline_o;
  bench.run(12);
  CHECK(bench.events.size() == 5);
  // A new generation forgets the period; the same ring with other moderation goes on.
  bench.arm(1, n);
  CHECK(entries(1) == 5);
  bench.make(1, 8, 2, 1000);
  CHECK(entries(1) == 6);
  CHECK(bench.taken.back().address == Bench::base(1) + (n - 1) * kEntryBytes);
  bench.arm(1, n);
  CHECK(entries(1) == 6);
  bench.make(1, 8, 0, 0, false);
  bench.run(6);
  CHECK(bench.dut->next_deadline_o == kNever);
}

TEST_CASE("cq: more queues than periods raise their events at once") {
  Bench bench;
  for (unsigned q = 0; q < 6; ++q) {
    bench.make(q, 4, 10, 50);
    bench.arm(q, 0);
  }
  for (unsigned q = 0; q < 6; ++q) bench.complete(q, 0);
  bench.run(100);
  CHECK(bench.events.size() == 2);
  while (bench.dut->now_i < bench.dut->next_deadline_o) {
    REQUIRE(bench.events.size() == 2);
    bench.dut->now_i += 1000;
  }
  bench.run(100);
  CHECK(bench.events.size() == 6);
}
