// SPDX-License-Identifier: Apache-2.0
// States of queue pairs against a model, with requests from all sides at once.
#include <Vroci_qp_state.h>
#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <random>
#include <vector>

#include "model/spec/codes.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace spec = roci::spec;
using spec::place_of;

namespace {

constexpr unsigned kQps = 16;  // as in block.cmake
constexpr unsigned kReset = 0, kInit = 1, kRtr = 2, kRts = 3, kSqd = 4, kErr = 6;
constexpr unsigned kInitRequester = 0, kInitResponder = 1, kFlush = 2;

struct Told {
  unsigned qpn, kind;
  bool operator==(const Told& o) const { return qpn == o.qpn && kind == o.kind; }
};

struct Bench {
  Dut<Vroci_qp_state> dut;
  std::mt19937 random{42};
  std::deque<std::uint32_t> fails[3];
  std::vector<Told> sq, rq;   // commands to the engines
  std::vector<Told> changes;  // qpn, state
  std::vector<std::uint32_t> events;
  unsigned percent_engine = 50;
  bool done = false;
  unsigned before = 0;

  Bench() {
    for (unsigned i = 0; i < kQps + 4; ++i) step();
  }
  void step() {
    dut->fail_sq_valid_i = !fails[0].empty();
    dut->fail_rq_valid_i = !fails[1].empty();
    dut->fail_cq_valid_i = !fails[2].empty();
    if (!fails[0].empty()) dut->fail_sq_i = fails[0].front();
    if (!fails[1].empty()) dut->fail_rq_i = fails[1].front();
    if (!fails[2].empty()) dut->fail_cq_i = fails[2].front();
    dut->event_sq_ready_i = random() % 100 < percent_engine;
    dut->event_rq_ready_i = random() % 100 < percent_engine;
    dut->event_ready_i = random() % 2;
    dut.settle();
    if (dut->change_valid_o) changes.push_back({dut->change_qpn_o, dut->change_state_o});
    if (dut->fail_sq_valid_i && dut->fail_sq_ready_o) fails[0].pop_front();
    if (dut->fail_rq_valid_i && dut->fail_rq_ready_o) fails[1].pop_front();
    if (dut->fail_cq_valid_i && dut->fail_cq_ready_o) fails[2].pop_front();
    const auto told = [](std::uint32_t word) {
      return Told{static_cast<unsigned>(port::get(word, place_of(spec::kQpEvent, "qpn"))),
                  static_cast<unsigned>(port::get(word, place_of(spec::kQpEvent, "kind")))};
    };
    if (dut->event_sq_valid_o && dut->event_sq_ready_i) sq.push_back(told(dut->event_sq_o));
    if (dut->event_rq_valid_o && dut->event_rq_ready_i) rq.push_back(told(dut->event_rq_o));
    if (dut->event_valid_o && dut->event_ready_i) events.push_back(dut->event_o);
    done = dut->req_valid_i && dut->req_done_o;
    if (done) before = dut->req_state_o;
    dut.tick();
  }
  unsigned request(unsigned qpn, bool write, unsigned state) {
    dut->req_valid_i = 1;
    dut->req_write_i = write;
    dut->req_qpn_i = qpn;
    dut->req_state_i = state;
    unsigned left = 2000;
    do {
      step();
      REQUIRE(--left > 0);
    } while (!done);
    dut->req_valid_i = 0;
    return before;
  }
};

}  // namespace

TEST_CASE("qp_state: after reset every queue pair is in RESET") {
  Bench bench;
  for (unsigned q = 0; q < kQps; ++q) CHECK(bench.request(q, false, 0) == kReset);
  CHECK(bench.changes.empty());
}

TEST_CASE("qp_state: orders and events follow from the changes alone") {
  Bench bench;
  const unsigned states[] = {kReset, kInit, kRtr, kRts, kSqd, kErr};
  for (int i = 0; i < 3000; ++i) {
    if (bench.random() % 3 == 0) {
      bench.fails[bench.random() % 3].push_back((3 + bench.random() % 3) | (bench.random() % kQps)
                                                                               << 8);
    }
    if (bench.random() % 2) {
      bench.request(bench.random() % kQps, bench.random() % 4 != 0, states[bench.random() % 6]);
    } else {
      bench.step();
    }
  }
  bench.percent_engine = 100;
  for (int i = 0; i < 1000; ++i) bench.step();
  CHECK(bench.dut->idle_o == 1);

  unsigned state[kQps] = {};
  std::vector<Told> sq, rq;
  for (const Told& change : bench.changes) {
    unsigned& now = state[change.qpn];
    const unsigned next = change.kind;
    if (now == kInit && next == kRtr) rq.push_back({change.qpn, kInitResponder});
    if (now == kRtr && next == kRts) sq.push_back({change.qpn, kInitRequester});
    if (next == kErr && now != kErr && now != kReset) {
      sq.push_back({change.qpn, kFlush});
      rq.push_back({change.qpn, kFlush});
    }
    if (now == kErr)
      CHECK(next == kReset);  // what failed between firmware's read and write stays failed
    now = next;
  }
  CHECK(bench.sq == sq);
  CHECK(bench.rq == rq);
  CHECK(sq.size() > 100);
  for (unsigned q = 0; q < kQps; ++q) CHECK(bench.request(q, false, 0) == state[q]);
  CHECK(bench.events.size() > 50);
}

TEST_CASE("qp_state: all fail while no engine listens") {
  Bench bench;
  bench.percent_engine = 100;
  for (unsigned q = 0; q < kQps; ++q) bench.request(q, true, kInit);
  bench.percent_engine = 0;
  bench.request(3, true, kRtr);
  for (unsigned q = 0; q < kQps; ++q) {
    for (auto& f : bench.fails) f.push_back(3 | q << 8);
  }
  for (int i = 0; i < 1000; ++i) bench.step();
  for (auto& f : bench.fails) CHECK(f.empty());
  CHECK(bench.events.size() == kQps);
  bench.percent_engine = 100;
  for (int i = 0; i < 100; ++i) bench.step();
  CHECK(bench.sq.size() == kQps);
  REQUIRE(bench.rq.size() == kQps + 1);
  CHECK(bench.rq[0] == Told{3, kInitResponder});
}

TEST_CASE("qp_state: firmware waits until the engines took their orders") {
  Bench bench;
  bench.request(3, true, kInit);
  bench.percent_engine = 0;
  bench.request(3, true, kRtr);
  bench.dut->req_valid_i = 1;
  bench.dut->req_write_i = 1;
  bench.dut->req_state_i = kReset;
  for (int i = 0; i < 100; ++i) {
    bench.step();
    REQUIRE_FALSE(bench.done);
  }
  bench.dut->req_write_i = 0;  // looking is free
  CHECK(bench.request(3, false, 0) == kRtr);
  bench.percent_engine = 100;
  CHECK(bench.request(3, true, kReset) == kRtr);
}
