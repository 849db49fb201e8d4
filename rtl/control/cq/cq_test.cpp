// SPDX-License-Identifier: Apache-2.0
// Completion queues against what software sees: order, ownership, overflow.

#include "rtl/control/cq/cq_bench.hpp"

using namespace cq_bench;

TEST_CASE("cq: CQ-14 entries fill the ring in order with the owner bit of their pass") {
  Bench bench;
  bench.make(2, 3);
  for (unsigned i = 0; i < 8000; ++i) {
    bench.complete(2, i);
    if (i % 4 == 3) {
      bench.drain();
      bench.consume(2, i + 1);
    }
  }
  bench.drain();
  REQUIRE(bench.taken.size() == 8000);
  for (unsigned i = 0; i < 8000; ++i) {
    const Write& w = bench.taken[i];
    CHECK(w.address == Bench::base(2) + i % 8 * kEntryBytes);
    CHECK(w.owner == (i / 8 % 2 == 0));
    CHECK(w.wqe_index == i);
    CHECK(w.qpn == 0x1002);
  }
  CHECK(bench.events.empty());
  CHECK(bench.fails.empty());
}

TEST_CASE("cq: an entry of one queue takes one clock, with many writes outstanding") {
  Bench bench;
  bench.make(0, 12);
  bench.make(1, 12);
  for (unsigned i = 0; i < 500; ++i) {
    bench.complete(0, i, false, Status::kSuccess, 0);
    bench.complete(1, i, false, Status::kSuccess, 1);
  }
  const std::uint64_t start = bench.dut.cycle();
  bench.latency = 6;
  bench.drain();
  REQUIRE(bench.taken.size() == 1000);
  const double each = static_cast<double>(bench.taken.back().cycle - start) / 1000;
  MESSAGE("clocks per entry: " << each << ", first entry after "
                               << bench.taken.front().cycle - start << " clocks");
  CHECK(each < 2);
  CHECK(bench.taken.front().cycle - start <= 8);
}

TEST_CASE("cq: a memory latency of 400 clocks keeps to 8 clocks per entry") {
  Bench bench;
  bench.latency = 400;
  bench.make(0, 12);
  for (unsigned i = 0; i < 500; ++i) bench.complete(0, i);
  const std::uint64_t start = bench.dut.cycle();
  bench.drain();
  CHECK(bench.taken.size() == 500);
  CHECK(bench.taken.back().cycle - start < 8 * 500);
}

TEST_CASE("cq: a write round trip of 256 clocks keeps to two clocks per entry") {
  Bench bench;
  bench.latency = 250;  // and the stages before and after the memory
  bench.make(0, 12);
  for (unsigned i = 0; i < 1000; ++i) bench.complete(0, i);
  const std::uint64_t start = bench.dut.cycle();
  bench.drain();
  REQUIRE(bench.taken.size() == 1000);
  CHECK(bench.taken.back().cycle - start < 2.1 * 1000 + 256);
}

TEST_CASE("cq: CQ-02 the order of each source holds; tickets hold back their source only") {
  Bench bench(7);
  bench.make(0, 10);
  std::uint16_t done = 0xFFF0;  // the counts wrap on the way
  std::uint8_t stores = 0xF8;
  bench.dut->wr_done_i = done;
  bench.dut->store_done_i = stores;
  std::map<unsigned, std::pair<unsigned, unsigned>> needs;  // by qpn << 16 | index
  unsigned ticket = 0, store = 0;
  for (unsigned i = 0; i < 200; ++i) {
    for (int source = 0; source < 2; ++source) {
      Cqe c;
      c.qpn = source;
      c.wqe_index = i;
      c.wait_data = bench.random() % 2;
      c.wait_store = bench.random() % 4 == 0;
      if (c.wait_data) ticket += bench.random() % 3;
      if (c.wait_store) ++store;
      c.ticket = (done + ticket) & 0xFFFF;
      c.store_ticket = (stores + store) & 0xFF;
      needs[source << 16 | i] = {c.wait_data ? ticket : 0, c.wait_store ? store : 0};
      bench.in[source].push_back(c);
    }
  }
  unsigned have = 0, have_stores = 0;
  std::size_t checked = 0;
  while (bench.taken.size() < 400) {
    bench.percent_source = 50;
    bench.step();
    for (; checked < bench.taken.size(); ++checked) {
      const auto& need = needs[bench.taken[checked].qpn << 16 | bench.taken[checked].wqe_index];
      CHECK(need.first <= have);
      CHECK(need.second <= have_stores);
    }
    if (bench.random() % 4 == 0 && have < ticket) bench.dut->wr_done_i = ++have + done;
    if (bench.random() % 8 == 0 && have_stores < store)
      bench.dut->store_done_i = ++have_stores + stores;
    REQUIRE(bench.dut.cycle() < 100000);
  }
  unsigned next[2] = {};
  for (const Write& w : bench.taken) CHECK(w.wqe_index == next[w.qpn]++);
}

TEST_CASE("cq: a source that waits does not block the other") {
  Bench bench;
  bench.make(0, 8);
  Cqe c;
  c.wait_data = true;
  c.ticket = 1;
  bench.in[0].push_back(c);
  for (unsigned i = 0; i < 20; ++i) bench.complete(0, i, false, Status::kSuccess, 1);
  bench.run(100);
  CHECK(bench.taken.size() == 20);
  CHECK(bench.dut->idle_o == 0);
  bench.dut->wr_done_i = 1;
  bench.drain();
  CHECK(bench.taken.size() == 21);
}

TEST_CASE(
    "cq: CQ-07 a full ring keeps its entries, raises CqError once and fails the queue pairs") {
  for (unsigned log : {1u, 2u, 4u}) {
    Bench bench;
    bench.percent_ready = 50;
    const unsigned size = 1u << log;
    bench.make(5, log);
    for (unsigned i = 0; i < size + 9; ++i) bench.complete(5, i, false, Status::kSuccess, i % 2);
    bench.drain();
    CHECK(bench.taken.size() == size);
    CHECK(bench.fails == std::vector<unsigned>(9, 0x1005));
    REQUIRE(bench.events.size() == 1);
    CHECK(bench.events[0].kind == EventKind::kCqError);
    CHECK(bench.events[0].number == 5);
    // The ring stays broken when there is room; a new ring is needed.
    bench.consume(5, size);
    bench.complete(5, 99);
    bench.drain();
    CHECK(bench.taken.size() == size);
    CHECK(bench.events.size() == 1);
    bench.make(5, log, 0, 0, false);
    bench.make(5, log);
    for (unsigned i = 0; i < size + 1; ++i) bench.complete(5, i);
    bench.drain();
    CHECK(bench.taken.size() == 2 * size);
    CHECK(bench.taken[size].address == Bench::base(5));
    CHECK(bench.taken[size].owner);
    CHECK(bench.events.size() == 2);
  }
}

TEST_CASE("cq: entries of a queue that is not valid are discarded") {
  Bench bench;
  bench.make(1, 4, 0, 0, false);
  bench.complete(1, 0);
  bench.complete(2, 0);
  bench.complete(kCqs + 1, 0);
  bench.arm(2, 0);
  bench.arm(kCqs + 2, 0);
  bench.drain();
  CHECK(bench.taken.empty());
  CHECK(bench.events.empty());
}

TEST_CASE("cq: the largest ring holds 2^16 - 1 entries") {
  Bench bench;
  bench.latency = 2;
  bench.make(3, 16);
  for (unsigned i = 0; i < 0x10000; ++i) bench.complete(3, i);
  bench.drain();
  CHECK(bench.taken.size() == 0xFFFF);
  CHECK(bench.taken.back().address == Bench::base(3) + 0xFFFEull * kEntryBytes);
  CHECK(bench.fails.size() == 1);
}

TEST_CASE("cq: doorbells of two queues are taken one a clock, entries keep their share") {
  Bench bench;
  bench.make(0, 12);
  bench.make(1, 12);
  bench.make(2, 12);
  for (unsigned i = 0; i < 300; ++i) bench.consume(i % 2, 0);
  for (unsigned i = 0; i < 50; ++i) bench.complete(2, i);
  bench.latency = 4;
  const std::uint64_t start = bench.dut.cycle();
  while (!bench.bells.empty()) bench.step();
  CHECK(bench.dut.cycle() - start < 300 + 70);
  CHECK(bench.taken.size() == 50);
}

TEST_CASE("cq: operations on one queue take two clocks, and each sees the one before") {
  Bench bench;
  bench.make(0, 12);
  for (unsigned i = 0; i < 20; ++i) bench.complete(0, i);
  bench.drain();
  REQUIRE(bench.taken.size() == 20);
  for (unsigned i = 0; i < 20; ++i) {
    CHECK(bench.taken[i].address == Bench::base(0) + i * kEntryBytes);
  }
  for (unsigned i = 0; i < 300; ++i) bench.consume(0, i % 21);
  const std::uint64_t start = bench.dut.cycle();
  while (!bench.bells.empty()) bench.step();
  CHECK(bench.dut.cycle() - start < 2 * 300 + 20);
  bench.drain();
  CHECK(bench.live(0).producer == 20);
  CHECK(bench.live(0).consumer == 299 % 21);
}

TEST_CASE("cq: CQ-13 a ring that moves keeps its indices and arming, at every index") {
  for (unsigned first = 0; first < 20; ++first) {
    Bench bench;
    bench.make(2, 2);
    for (unsigned i = 0; i < first; ++i) {
      bench.complete(2, i);
      bench.consume(2, i);
      bench.drain();
    }
    bench.consume(2, first);
    bench.arm(2, first);
    bench.drain();
    CHECK(bench.events.empty());
    bench.resize(2, 4, 0x800000);
    bench.drain();
    const Bench::Live live = bench.live(2);
    CHECK(live.producer == first);
    CHECK(live.consumer == first);
    CHECK_FALSE(live.overflowed);
    for (unsigned i = 0; i < 16; ++i) bench.complete(2, first + i);
    bench.drain();
    REQUIRE(bench.taken.size() == first + 16);
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned index = first + i;
      const Write& w = bench.taken[index];
      CHECK(w.address == Bench::base(2) + 0x800000 + index % 16 * kEntryBytes);
      CHECK(w.owner == (index / 16 % 2 == 0));
    }
    CHECK(bench.events.size() == 1);  // by the arm before the move
    CHECK(bench.fails.empty());
    bench.complete(2, first + 16);  // one more than the new size
    bench.drain();
    CHECK(bench.fails.size() == 1);
    CHECK(bench.live(2).overflowed);
  }
}

TEST_CASE("cq: entries on both sides of a move are each in one ring") {
  Bench bench(7);
  bench.percent_ready = 50;
  bench.make(1, 5);
  std::uint64_t moved = 0;
  unsigned index = 0;
  for (unsigned round = 0; round < 40; ++round) {
    for (unsigned i = 0; i < 8; ++i) bench.complete(1, index++);
    bench.run(bench.random() % 12);
    moved += 0x1000;
    bench.resize(1, 5, moved);
    bench.drain();
    bench.consume(1, index);
    bench.drain();
  }
  REQUIRE(bench.taken.size() == index);
  std::uint64_t ring = 0;
  for (unsigned i = 0; i < index; ++i) {
    const std::uint64_t at = bench.taken[i].address - Bench::base(1);
    CHECK(bench.taken[i].wqe_index == i);
    CHECK(at % 0x1000 == i % 32 * kEntryBytes);
    CHECK(at / 0x1000 >= ring);
    ring = at / 0x1000;
  }
  CHECK(ring > 30);
}
