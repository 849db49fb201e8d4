// SPDX-License-Identifier: Apache-2.0
// Event queue against a model of the ring: CQ-12.
#include <Vroci_eq.h>
#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "model/spec/layout/registers.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using layout::EventKind;
namespace eq_size = layout::reg::eq_size;

constexpr std::uint64_t kBase = 0x7000;
constexpr unsigned kEntryBytes = layout::eqe::kBytes;
constexpr unsigned kPasid = 0x12345;
constexpr unsigned kCqs = 256;

std::uint32_t word(EventKind kind, unsigned number) {
  std::uint32_t w = 0;
  port::put(w, layout::event_req::kind, kind);
  port::put(w, layout::event_req::number, number);
  return w;
}

struct Bench {
  Dut<Vroci_eq> dut;
  std::mt19937 random{77};
  std::deque<std::uint32_t> in[4];
  std::deque<std::uint32_t> written;            // events of the four sources, as they left
  std::map<std::uint64_t, std::uint32_t> ring;  // event by address of its entry
  std::map<std::uint64_t, bool> owner;
  std::vector<std::uint32_t> engine;
  std::deque<std::uint64_t> flying;
  unsigned done = 0;
  bool take_engine = true;

  Bench() {
    dut->base_i = kBase;
    for (unsigned i = 0; i < kCqs; ++i) dut.tick();  // the queue of those owed is cleared
  }
  void step() {
    const auto offer = [](std::deque<std::uint32_t>& q, auto& valid, auto& data) {
      valid = !q.empty();
      if (!q.empty()) data = q.front();
    };
    offer(in[0], dut->cq_valid_i, dut->cq_i);
    offer(in[1], dut->qp_valid_i, dut->qp_i);
    offer(in[2], dut->plain_valid_i, dut->plain_i);
    offer(in[3], dut->post_valid_i, dut->post_i);
    dut->bw_req_ready_i = random() % 2;
    dut->engine_ready_i = take_engine;
    dut->bw_rsp_valid_i = !flying.empty() && flying.front() <= dut.cycle();
    dut.settle();
    if (dut->bw_rsp_valid_i) {
      flying.pop_front();
      ++done;
    }
    if (dut->cq_valid_i && dut->cq_ready_o) in[0].pop_front();
    if (dut->qp_valid_i && dut->qp_ready_o) in[1].pop_front();
    if (dut->plain_valid_i && dut->plain_ready_o) in[2].pop_front();
    if (dut->post_valid_i && dut->post_ready_o) in[3].pop_front();
    if (dut->engine_valid_o && dut->engine_ready_i) engine.push_back(dut->engine_o);
    if (dut->bw_req_valid_o && dut->bw_req_ready_i) {
      CHECK(port::get(dut->bw_req_o, layout::block_write_req::bytes) == kEntryBytes);
      CHECK(port::get(dut->bw_req_o, layout::block_write_req::pasid) == kPasid);
      const auto get = [this](auto field) { return port::get(dut->bw_req_o, field); };
      const std::uint64_t at = get(layout::block_write_req::addr);
      ring[at] = word(EventKind{get(layout::eqe::kind)}, get(layout::eqe::number));
      owner[at] = get(layout::eqe::owner);
      written.push_back(ring[at]);
      flying.push_back(dut.cycle() + 15);
    }
    dut.tick();
  }
  void run(unsigned n) {
    for (unsigned i = 0; i < n; ++i) step();
  }
  void size(unsigned log, bool on) {
    dut->word_i = layout::bits(eq_size::pasid, kPasid) | layout::bits(eq_size::enable, on) |
                  layout::bits(eq_size::log, log);
    dut->size_write_i = 1;
    step();
    dut->size_write_i = 0;
  }
  void consumer(unsigned index) {
    dut->word_i = index;
    dut->consumer_write_i = 1;
    step();
    dut->consumer_write_i = 0;
  }
};

}  // namespace

TEST_CASE("eq: CQ-12 entries are in order, each once, over many passes; the interrupt follows") {
  Bench bench;
  bench.size(3, true);
  unsigned consumed = 0, made = 0, next[4] = {};
  for (unsigned n = 0; n < 4000; ++n) {
    const unsigned source = bench.random() % 4;
    if (made - consumed < 8 && n < 3800) {
      ++made;
      bench.in[source].push_back(word(EventKind::kCompletion, source << 20 | next[source]++));
    }
    bench.run(3);
    CHECK(bench.dut->irq_o == (bench.done != consumed));
    if (bench.random() % 3 == 0 || n >= 3800) {
      for (; consumed < bench.done; ++consumed) {
        const std::uint64_t at = kBase + consumed % 8 * kEntryBytes;
        REQUIRE(bench.ring[at] == bench.written[consumed]);
        CHECK(bench.owner[at] == (consumed / 8 % 2 == 0));
      }
      bench.consumer(consumed & 0xFFFF);
    }
  }
  CHECK(bench.dut->overflow_o == 0);
  unsigned seen[4] = {};
  for (const std::uint32_t w : bench.written) {
    const unsigned number = port::get(w, layout::event_req::number);
    CHECK((number & 0xFFFFF) == seen[number >> 20]++);
  }
  for (unsigned s = 0; s < 4; ++s) CHECK(seen[s] == next[s]);
  CHECK(made > 1000);
  CHECK(bench.engine.size() == next[1]);
  CHECK(bench.dut->idle_o == 1);
}

TEST_CASE(
    "eq: the ring takes as many entries as it has; the next one is lost, and that is reported") {
  Bench bench;
  bench.size(3, true);
  for (unsigned i = 0; i < 8; ++i) bench.in[0].push_back(word(EventKind::kCompletion, i));
  bench.run(200);
  CHECK(bench.written.size() == 8);
  CHECK(bench.dut->overflow_o == 0);
  bench.in[0].push_back(word(EventKind::kCqError, 8));
  bench.in[3].push_back(word(EventKind::kQpFatal, 8));
  bench.run(50);
  CHECK(bench.in[0].empty());
  CHECK(bench.in[3].empty());
  CHECK(bench.written.size() == 8);
  CHECK(bench.dut->overflow_o == 1);
  CHECK(bench.dut->idle_o == 1);
  bench.consumer(1);
  bench.in[0].push_back(word(EventKind::kCompletion, 9));
  bench.run(50);
  REQUIRE(bench.written.size() == 9);
  CHECK(bench.written.back() == word(EventKind::kCompletion, 9));
}

TEST_CASE("eq: F-88 a Completion that finds no room comes later, once for each queue") {
  Bench bench;
  bench.size(2, true);
  for (unsigned i = 0; i < 4; ++i) bench.in[0].push_back(word(EventKind::kCompletion, i));
  bench.run(100);
  for (unsigned n : {5u, 3u, 5u, 200u, 3u}) bench.in[0].push_back(word(EventKind::kCompletion, n));
  bench.run(100);
  CHECK(bench.in[0].empty());
  CHECK(bench.written.size() == 4);
  CHECK(bench.dut->overflow_o == 1);
  CHECK(bench.dut->idle_o == 1);  // a fence does not wait for software
  bench.consumer(1);
  bench.run(60);
  CHECK(bench.written.size() == 5);
  bench.consumer(4);
  bench.run(100);
  REQUIRE(bench.written.size() == 7);
  for (unsigned i = 0; i < 3; ++i)
    CHECK(bench.written[4 + i] == word(EventKind::kCompletion, std::array{5u, 3u, 200u}[i]));
  SUBCASE("a ring that is switched off forgets what waits") {
    for (unsigned n = 0; n < 4; ++n) bench.in[0].push_back(word(EventKind::kCompletion, n));
    bench.run(100);
    bench.size(2, false);
    bench.run(50);
    const std::size_t before = bench.written.size();
    bench.size(2, true);
    bench.run(50);
    CHECK(bench.written.size() == before);
    CHECK(bench.dut->irq_o == 0);
  }
}

TEST_CASE("eq: F-88 no event is lost, whatever the clock in which room is made") {
  // Eight queues raise events at random clocks. Software that saw the event of a queue arms it
  // again; at the end it must have seen as many events of each queue as were raised.
  for (unsigned shift = 0; shift < 24; ++shift) {
    CAPTURE(shift);
    Bench bench;
    bench.random.seed(shift);
    bench.size(1, true);
    std::array<unsigned, 8> raised{}, seen{};
    std::array<bool, 8> armed;
    armed.fill(true);
    std::size_t consumed = 0;
    for (unsigned clock = 0; clock < 3000; ++clock) {
      if (clock < 2500 && clock % 7 == shift % 7) {
        const unsigned q = bench.random() % 8;
        if (armed[q]) {
          armed[q] = false;
          ++raised[q];
          bench.in[0].push_back(word(EventKind::kCompletion, q));
        }
      }
      if (clock % 24 == shift && consumed < bench.done) {
        const unsigned q = port::get(bench.written[consumed++], layout::event_req::number);
        ++seen[q];
        armed[q] = true;
        bench.consumer(unsigned(consumed & 0xFFFF));
      } else {
        bench.step();
      }
    }
    while (consumed < bench.done) {
      ++seen[port::get(bench.written[consumed++], layout::event_req::number)];
      bench.consumer(unsigned(consumed & 0xFFFF));
      bench.run(40);
    }
    CHECK(bench.dut->overflow_o == 1);
    CHECK(seen == raised);
  }
}

TEST_CASE("eq: an event takes few clocks to reach memory") {
  Bench bench;
  bench.size(3, true);
  bench.in[0].push_back(word(EventKind::kCompletion, 1));
  const std::uint64_t start = bench.dut.cycle();
  while (!bench.dut->bw_req_valid_o) bench.step();
  CHECK(bench.dut.cycle() - start <= 3);
}

TEST_CASE("eq: only failures of queue pairs and completion queues are reported to firmware") {
  Bench bench;  // with the event queue switched off
  bench.in[0].push_back(word(EventKind::kCompletion, 1));
  bench.in[0].push_back(word(EventKind::kCqError, 2));
  bench.in[1].push_back(word(EventKind::kQpFatal, 3));
  bench.in[2].push_back(word(EventKind::kCommEst, 4));
  bench.in[3].push_back(word(EventKind::kQpFatal, 5));
  bench.run(50);
  REQUIRE(bench.engine.size() == 2);
  CHECK(((bench.engine[0] == word(EventKind::kCqError, 2) &&
          bench.engine[1] == word(EventKind::kQpFatal, 3)) ||
         (bench.engine[1] == word(EventKind::kCqError, 2) &&
          bench.engine[0] == word(EventKind::kQpFatal, 3))));
  CHECK(bench.written.empty());
  CHECK(bench.dut->overflow_o == 0);
  CHECK(bench.dut->irq_o == 0);
  // Events that firmware does not take wait as long as there is room, and block nothing.
  bench.take_engine = false;
  for (unsigned i = 0; i < 9; ++i) bench.in[1].push_back(word(EventKind::kQpFatal, i));
  bench.run(100);
  CHECK(bench.in[1].empty());
  bench.take_engine = true;
  bench.run(20);
  REQUIRE(bench.engine.size() == 6);
  for (unsigned i = 0; i < 4; ++i) CHECK(bench.engine[2 + i] == word(EventKind::kQpFatal, i));
}

TEST_CASE("eq: a ring that is switched on again ignores write responses of before") {
  Bench bench;
  bench.size(2, true);
  for (unsigned i = 0; i < 3; ++i) bench.in[3].push_back(word(EventKind::kQpFatal, i));
  while (bench.written.size() < 3) bench.step();
  bench.size(2, false);
  bench.size(2, true);
  bench.run(60);
  CHECK(bench.done == 3);
  CHECK(bench.dut->irq_o == 0);
  bench.in[3].push_back(word(EventKind::kQpFatal, 9));
  bench.run(60);
  CHECK(bench.dut->irq_o == 1);
  CHECK(bench.ring[kBase] == word(EventKind::kQpFatal, 9));
  CHECK(bench.owner[kBase]);
}
