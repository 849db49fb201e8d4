// SPDX-License-Identifier: Apache-2.0
// Atomics and stores against a memory that responds late.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <random>

#include "Vroci_atomic.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/blocks.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using Op = layout::AtomicOp;

struct Job {
  Op op;
  unsigned slot;
  std::uint64_t addr, operand, compare;
  unsigned ticket = 0;
  std::uint32_t pasid = 0;
};

/// The unit with two pages of memory that all pages and address spaces share in turn. Memory
/// responds in order after `delay` clocks; it reads and writes at a random clock before that.
struct Rig {
  struct Access {
    std::uint64_t addr, acts, due;
    bool bad;
    std::array<std::uint8_t, layout::kBlockBytes> bytes{};
    bool done = false;
  };
  Dut<Vroci_atomic> dut;
  std::array<std::uint8_t, 8192> memory{};
  std::deque<Job> jobs, stores;
  std::deque<std::pair<unsigned, std::uint64_t>> done;  // slot and original value
  std::deque<Access> reads, writes;
  bus::BlockBeats beats;
  std::mt19937 random{3};
  unsigned errors = 0, faults = 0, delay = 10, take = 100, most_reads = 0;
  std::uint64_t bad_block = 8192;  // accesses to this block fail
  bool bad_writes = true;          // writes fail as well as reads

  bool chance() { return random() % 100 < take; }
  template <typename Port>
  static void put_job(Port& p, const Job& j) {
    port::clear(p);
    auto set = [&](auto field, auto v) { port::put(p, field, v); };
    set(layout::atomic_job::op, j.op);
    set(layout::atomic_job::slot, j.slot);
    set(layout::atomic_job::addr, j.addr);
    set(layout::atomic_job::pasid, j.pasid);
    set(layout::atomic_job::operand, j.operand);
    set(layout::atomic_job::compare, j.compare);
    set(layout::atomic_job::ticket, j.ticket);
  }
  Access access(const std::deque<Access>& queue, std::uint64_t addr) {
    const std::uint64_t now = dut.cycle();
    const std::uint64_t due = std::max(now + delay, queue.empty() ? 0 : queue.back().due + 1);
    const std::uint64_t from = queue.empty() ? now + 1 : std::max(now + 1, queue.back().acts);
    return {addr, from + random() % (due - from + 1), due, addr % 8192 / 64 == bad_block / 64};
  }
  void clock() {
    dut->job_valid_i = !jobs.empty();
    if (!jobs.empty()) put_job(dut->job_i, jobs.front());
    dut->store_job_valid_i = !stores.empty();
    if (!stores.empty()) put_job(dut->store_job_i, stores.front());
    dut->br_req_ready_i = chance();
    dut->bw_req_ready_i = chance();
    dut->done_ready_i = chance();
    dut->fault_ready_i = chance();
    for (Access& r : reads) {
      if (r.acts > dut.cycle() || r.done) continue;
      std::copy_n(&memory[r.addr % 8192], 64, r.bytes.begin());
      r.done = true;
    }
    for (Access& w : writes) {
      if (w.acts > dut.cycle() || w.done || w.bad) continue;
      std::copy_n(w.bytes.begin(), 8, &memory[w.addr % 8192]);
      w.done = true;
    }
    dut->br_rsp_valid_i = !reads.empty() && reads.front().due <= dut.cycle();
    if (dut->br_rsp_valid_i) {
      bus::put_beat(dut->br_rsp_i, reads.front().bytes.data(), beats.now(), reads.front().bad,
                    reads.front().addr / layout::kBlockBytes % bus::kBlockBeats);
    }
    dut->bw_rsp_valid_i = !writes.empty() && writes.front().due <= dut.cycle();
    port::put(dut->bw_rsp_i, layout::block_write_rsp::error,
              dut->bw_rsp_valid_i && writes.front().bad);
    dut.settle();
    if (dut->br_rsp_valid_i && dut->br_rsp_ready_o && beats.taken()) reads.pop_front();
    if (dut->bw_rsp_valid_i) writes.pop_front();
    if (dut->br_req_valid_o && dut->br_req_ready_i) {
      reads.push_back(access(reads, port::get(dut->br_req_o, layout::block_read_req::addr)));
      most_reads = std::max(most_reads, unsigned(reads.size()));
    }
    if (dut->bw_req_valid_o && dut->bw_req_ready_i) {
      CHECK(port::get(dut->bw_req_o, layout::block_write_req::bytes) == 8);
      writes.push_back(access(writes, port::get(dut->bw_req_o, layout::block_write_req::addr)));
      writes.back().bad &= bad_writes;
      for (unsigned i = 0; i < 8; ++i) writes.back().bytes[i] = port::byte(dut->bw_req_o, i);
    }
    if (dut->done_valid_o && dut->done_ready_i) {
      errors += port::get(dut->done_o, layout::atomic_done::error);
      done.push_back({port::get(dut->done_o, layout::atomic_done::slot),
                      port::get(dut->done_o, layout::atomic_done::original)});
    }
    faults += dut->fault_valid_o && dut->fault_ready_i;
    if (dut->job_valid_i && dut->job_ready_o) jobs.pop_front();
    if (dut->store_job_valid_i && dut->store_job_ready_o) stores.pop_front();
    dut.tick();
  }
  void run() {
    int limit = 100000;
    do clock();
    while ((!dut->idle_o || !jobs.empty() || !stores.empty()) && --limit);
    REQUIRE(limit != 0);
  }
  std::uint64_t word(unsigned at) const {
    std::uint64_t value = 0;
    std::memcpy(&value, &memory[at], sizeof value);
    return value;
  }
  void put_word(unsigned at, std::uint64_t value) {
    std::memcpy(&memory[at], &value, sizeof value);
  }
};

TEST_CASE("atomic: fetch and add, compare and swap hit and miss (RSP-40)") {
  Rig r;
  r.put_word(0x48, 0xFFFFFFFFFFFFFFFF);
  r.jobs = {{Op::kFetchAdd, 0, 0x48, 3, 0},
            {Op::kCmpSwap, 1, 0x48, 77, 2},
            {Op::kCmpSwap, 2, 0x48, 88, 2},
            {Op::kFetchAdd, 15, 0x48, 1, 0}};
  r.run();
  REQUIRE(r.done.size() == 4);
  CHECK(r.done[0] == std::make_pair(0u, ~std::uint64_t{0}));
  CHECK(r.done[1] == std::make_pair(1u, std::uint64_t{2}));
  CHECK(r.done[2] == std::make_pair(2u, std::uint64_t{77}));
  CHECK(r.done[3] == std::make_pair(15u, std::uint64_t{77}));
  CHECK(r.word(0x48) == 78);
}

TEST_CASE("atomic: a job waits for the payload before it, over the wrap of tickets") {
  for (unsigned ticket : {1u, 0x8000u, 0u}) {
    Rig r;
    r.dut->wr_done_i = (ticket - 1) & 0xFFFF;
    r.jobs = {{Op::kFetchAdd, 0, 8, 1, 0, ticket}};
    for (int i = 0; i < 50; ++i) r.clock();
    CHECK(r.done.empty());
    r.dut->wr_done_i = ticket;
    r.run();
    CHECK(r.done.size() == 1);
  }
}

TEST_CASE("atomic: stores at any address take turns with atomics and are counted") {
  Rig r;
  for (unsigned i = 0; i < 300; ++i)
    r.stores.push_back({Op::kStore, 0, i % 240, i * 0x0101010101010101ull, 0});
  for (unsigned i = 0; i < 20; ++i) r.jobs.push_back({Op::kFetchAdd, i % 16, 0xF8, 1, 0});
  while (r.done.size() < 5) r.clock();
  CHECK(r.dut->store_done_o < 30);
  r.run();
  CHECK(r.dut->store_done_o == 300 % 256);
  CHECK(r.done.size() == 20);
  CHECK(r.word(0xF8) == 20);
}

TEST_CASE("atomic: a store has no ticket and waits for no payload, whatever the count") {
  for (unsigned wr_done : {0u, 0x4000u, 0x8000u, 0xC000u, 0xFFFFu}) {
    Rig r;
    r.dut->wr_done_i = wr_done;
    r.stores = {{Op::kStore, 0, 0x20, wr_done + 1, 0}};
    r.run();
    CHECK(r.dut->store_done_o == 1);
    CHECK(r.word(0x20) == wr_done + 1);
  }
}

TEST_CASE("atomic: stores overtake an atomic that waits for payload") {
  Rig r;
  for (unsigned i = 0; i < 20; ++i) r.jobs.push_back({Op::kFetchAdd, i % 16, 8, 1, 0, 5});
  for (unsigned i = 0; i < 40; ++i) r.stores.push_back({Op::kStore, 0, 0x100 + 8 * i, i, 0});
  for (unsigned i = 0; i < 400; ++i) r.clock();
  CHECK(r.dut->store_done_o == 40);
  CHECK(r.done.empty());
  r.dut->wr_done_i = 5;
  r.run();
  CHECK(r.done.size() == 20);
}

TEST_CASE(
    "atomic: results are those of a sequence, whatever the memory does and the addresses "
    "(RSP-40)") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Rig r;
    r.random.seed(seed);
    r.delay = seed % 3 == 0 ? 3 : 60;
    r.take = seed % 2 == 0 ? 100 : 40;
    const unsigned words = seed % 4 == 0 ? 1 : seed % 4 * 3;  // few, so that jobs share words
    std::array<std::uint64_t, 32> expected{};
    std::deque<std::pair<unsigned, std::uint64_t>> results;
    for (unsigned i = 0; i < 600; ++i) {
      const unsigned page = r.random() % 4, w = r.random() % words + 16 * (page % 2);
      Job j{r.random() % 2 ? Op::kFetchAdd : Op::kCmpSwap, i % 16,
            page * 4096 + 0x400 + 8 * (w % 16), r.random() % 4, r.random() % 4};
      j.pasid = r.random() % 2;
      r.jobs.push_back(j);
      results.push_back({j.slot, expected[w]});
      if (j.op == Op::kFetchAdd)
        expected[w] += j.operand;
      else if (expected[w] == j.compare)
        expected[w] = j.operand;
      if (i % 5 == 0) r.stores.push_back({Op::kStore, 0, r.random() % 0x3F8, i, 0});
    }
    r.run();
    CHECK(r.done == results);
    for (unsigned w = 0; w < words; ++w) {
      CHECK(r.word(0x400 + 8 * w) == expected[w]);
      CHECK(r.word(0x1400 + 8 * w) == expected[16 + w]);
    }
    CHECK(r.dut->store_done_o == 120);
    CHECK(r.errors == 0);
  }
}

TEST_CASE("atomic: many jobs are in progress, also with one word") {
  for (bool one_word : {false, true}) {
    Rig r;
    r.delay = 100;
    for (unsigned i = 0; i < 160; ++i)
      r.jobs.push_back({Op::kFetchAdd, i % 16, one_word ? 0x40u : 8 * i, 1, 0});
    const std::uint64_t start = r.dut.cycle();
    r.run();
    const std::uint64_t clocks = r.dut.cycle() - start;
    MESSAGE("clocks per atomic at 100 clocks of memory: ", double(clocks) / 160);
    CHECK(clocks < 160 * 20);  // one at a time takes 200
    CHECK(r.most_reads <= 16);
    if (one_word) CHECK(r.word(0x40) == 160);
  }
}

TEST_CASE("atomic: the same offset of other pages may be the same memory: one after the other") {
  Rig r;
  r.delay = 100;
  for (unsigned i = 0; i < 64; ++i)
    r.jobs.push_back({Op::kFetchAdd, i % 16, 0x40 + 0x1000u * i, 1, 0});
  const std::uint64_t start = r.dut.cycle();
  r.run();
  const std::uint64_t clocks = r.dut.cycle() - start;
  MESSAGE("clocks per atomic at 100 clocks of memory: ", double(clocks) / 64);
  CHECK(clocks < 64 * 220);  // two round trips each
  CHECK(r.most_reads == 1);
  CHECK(r.word(0x40) == 32);  // the pages are two
  CHECK(r.word(0x1040) == 32);
}

TEST_CASE("atomic: memory that fails is not changed, and only its jobs report it") {
  for (bool bad_writes : {false, true}) {
    Rig r;
    r.bad_writes = bad_writes;
    r.bad_block = 0x80;
    r.put_word(0x88, 7);
    for (unsigned i = 0; i < 30; ++i)
      r.jobs.push_back({Op::kFetchAdd, i % 16, i % 3 == 0 ? 0x88u : 0x100 + 8 * i, 1, 0});
    r.stores = {{Op::kStore, 0, 0x90, 1, 0}, {Op::kStore, 0, 0x20, 9, 0}};
    r.run();
    CHECK(r.errors == 10);
    CHECK(r.faults == bad_writes);
    CHECK(r.dut->store_done_o == 2);
    CHECK(r.word(0x88) == 7);
    CHECK(r.word(0x20) == 9);
    for (unsigned i = 0; i < 30; ++i) {
      if (i % 3 != 0) CHECK(r.word(0x100 + 8 * i) == 1);
    }
  }
}

}  // namespace
