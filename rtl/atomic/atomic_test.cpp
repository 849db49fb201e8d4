#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <random>

#include "Vroci_atomic.h"
#include "common/dut.hpp"
#include "spec/records.hpp"

namespace {

using namespace roci::spec;

struct Job {
  unsigned op, slot;
  std::uint64_t addr, operand, compare;
  unsigned ticket = 0;
};

/// The unit with 256 bytes of memory; reads and writes take 10 clocks.
struct Rig {
  Dut<Vroci_atomic> dut;
  std::array<std::uint8_t, 256> memory{};
  std::deque<Job> jobs, stores;
  std::deque<std::pair<unsigned, std::uint64_t>> done;  // slot, original
  unsigned errors = 0;
  int read_in = -1, write_in = -1;
  bool fail_reads = false;

  template <typename Port>
  static void put_job(Port& p, const Job& j) {
    port::clear(p);
    auto set = [&](const char* n, std::uint64_t v) { port::put(p, place_of(kAtomicJob, n), v); };
    set("op", j.op);
    set("slot", j.slot);
    set("addr", j.addr);
    set("operand", j.operand);
    set("compare", j.compare);
    set("ticket", j.ticket);
  }
  void clock() {
    dut->job_valid_i = !jobs.empty();
    if (!jobs.empty()) put_job(dut->job_i, jobs.front());
    dut->store_job_valid_i = !stores.empty();
    if (!stores.empty()) put_job(dut->store_job_i, stores.front());
    dut->br_ready_i = dut->bw_ready_i = dut->done_ready_i = 1;
    if (read_in >= 0) --read_in;
    if (write_in >= 0) --write_in;
    dut->br_data_valid_i = read_in == 0;
    dut->br_error_i = fail_reads;
    dut->bw_done_i = write_in == 0;
    dut.settle();
    if (dut->br_valid_o) {
      read_in = 10;
      for (unsigned i = 0; i < 64; ++i)
        port::put_byte(dut->br_data_i, i, memory[(dut->br_addr_o + i) % 256]);
    }
    if (dut->bw_valid_o) {
      write_in = 10;
      CHECK(dut->bw_bytes_o == 8);
      for (unsigned i = 0; i < 8; ++i)
        memory[(dut->bw_addr_o + i) % 256] = port::byte(dut->bw_data_o, i);
    }
    if (dut->done_valid_o) {
      errors += port::get(dut->done_o, place_of(kAtomicDone, "error"));
      done.push_back({port::get(dut->done_o, place_of(kAtomicDone, "slot")),
                      port::get(dut->done_o, place_of(kAtomicDone, "original"))});
    }
    if (dut->job_valid_i && dut->job_ready_o) jobs.pop_front();
    if (dut->store_job_valid_i && dut->store_job_ready_o) stores.pop_front();
    dut.tick();
  }
  void run() {
    int limit = 20000;
    do clock();
    while ((!dut->idle_o || !jobs.empty() || !stores.empty()) && --limit);
    REQUIRE(limit != 0);
  }
  std::uint64_t word(unsigned at) const { return get_memory(&memory[at], Place{0, 64}); }
};

TEST_CASE("atomic: fetch and add, compare and swap hit and miss (RSP-40)") {
  Rig r;
  put_memory(&r.memory[0x48], Place{0, 64}, 0xFFFFFFFFFFFFFFFF);
  r.jobs = {{2, 0, 0x48, 3, 0}, {1, 1, 0x48, 77, 2}, {1, 2, 0x48, 88, 2}, {2, 15, 0x48, 1, 0}};
  r.run();
  REQUIRE(r.done.size() == 4);
  CHECK(r.done[0] == std::make_pair(0u, ~std::uint64_t{0}));
  CHECK(r.done[1] == std::make_pair(1u, std::uint64_t{2}));
  CHECK(r.done[2] == std::make_pair(2u, std::uint64_t{77}));
  CHECK(r.done[3] == std::make_pair(15u, std::uint64_t{77}));
  CHECK(r.word(0x48) == 78);
}

TEST_CASE("atomic: an order waits for its payload, over the wrap of tickets") {
  for (unsigned ticket : {1u, 0x8000u, 0u}) {
    Rig r;
    r.dut->wr_done_i = (ticket - 1) & 0xFFFF;
    r.jobs = {{2, 0, 8, 1, 0, ticket}};
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
    r.stores.push_back({0, 0, i % 240, i * 0x0101010101010101ull, 0});
  for (unsigned i = 0; i < 20; ++i) r.jobs.push_back({2, i % 16, 0xF8, 1, 0});
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
    r.stores = {{0, 0, 0x20, wr_done + 1, 0}};
    r.run();
    CHECK(r.dut->store_done_o == 1);
    CHECK(r.word(0x20) == wr_done + 1);
  }
}

TEST_CASE("atomic: memory that cannot be read is not changed") {
  Rig r;
  r.fail_reads = true;
  r.jobs = {{2, 3, 8, 1, 0}};
  r.run();
  CHECK(r.errors == 1);
  CHECK(r.word(8) == 0);
}

}  // namespace
