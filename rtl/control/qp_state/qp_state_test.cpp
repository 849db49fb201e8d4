// SPDX-License-Identifier: Apache-2.0
// States of queue pairs against a model, with requests from all sides at once.
#include <Vroci_qp_state.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using layout::EventKind;
using layout::QpEvent;
using layout::QpState;

constexpr unsigned kQps = 16;  // as in block.cmake

/// A command to an engine.
struct Command {
  unsigned qpn;
  QpEvent kind;
  bool operator==(const Command& o) const { return qpn == o.qpn && kind == o.kind; }
};
struct Change {
  unsigned qpn;
  QpState state;
};

template <typename Kind>
std::uint32_t failure(Kind kind, unsigned qpn) {
  std::uint32_t word = 0;
  port::put(word, layout::event_req::kind, kind);
  port::put(word, layout::event_req::number, qpn);
  return word;
}

struct Bench {
  Dut<Vroci_qp_state> dut;
  std::mt19937 random{42};
  std::deque<std::uint32_t> fails[3];
  std::vector<Command> sq, rq;
  std::vector<Change> changes;
  std::vector<std::uint32_t> events;
  unsigned percent_engine = 50;
  bool done = false;
  QpState before = QpState::kReset;

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
    if (dut->change_valid_o) changes.push_back({dut->change_qpn_o, QpState{dut->change_state_o}});
    if (dut->fail_sq_valid_i && dut->fail_sq_ready_o) fails[0].pop_front();
    if (dut->fail_rq_valid_i && dut->fail_rq_ready_o) fails[1].pop_front();
    if (dut->fail_cq_valid_i && dut->fail_cq_ready_o) fails[2].pop_front();
    const auto command = [](std::uint32_t word) {
      return Command{port::get(word, layout::qp_event::qpn),
                     QpEvent{port::get(word, layout::qp_event::kind)}};
    };
    if (dut->event_sq_valid_o && dut->event_sq_ready_i) sq.push_back(command(dut->event_sq_o));
    if (dut->event_rq_valid_o && dut->event_rq_ready_i) rq.push_back(command(dut->event_rq_o));
    if (dut->event_valid_o && dut->event_ready_i) events.push_back(dut->event_o);
    done = dut->req_valid_i && dut->req_done_o;
    if (done) before = QpState{dut->req_state_o};
    dut.tick();
  }
  QpState read(unsigned qpn) { return request(qpn, false, QpState::kReset); }
  QpState request(unsigned qpn, bool write, QpState state) {
    dut->req_valid_i = 1;
    dut->req_write_i = write;
    dut->req_qpn_i = qpn;
    dut->req_state_i = layout::number(state);
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
  for (unsigned q = 0; q < kQps; ++q) CHECK(bench.read(q) == QpState::kReset);
  CHECK(bench.changes.empty());
}

TEST_CASE("qp_state: commands and events follow from the changes alone") {
  Bench bench;
  const QpState states[] = {QpState::kReset, QpState::kInit, QpState::kRtr,
                            QpState::kRts,   QpState::kSqd,  QpState::kErr};
  const unsigned kinds[] = {layout::number(EventKind::kQpFatal),
                            layout::number(EventKind::kQpRequest),
                            layout::number(layout::FailKind::kSends)};
  for (int i = 0; i < 3000; ++i) {
    if (bench.random() % 3 == 0) {
      bench.fails[bench.random() % 3].push_back(
          failure(kinds[bench.random() % 3], bench.random() % kQps));
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

  QpState state[kQps] = {};
  std::vector<Command> sq, rq;
  unsigned failed_sends = 0;
  for (const Change& change : bench.changes) {
    QpState& now = state[change.qpn];
    const QpState next = change.state;
    if (now == QpState::kInit && next == QpState::kRtr)
      rq.push_back({change.qpn, QpEvent::kInitResponder});
    if (now == QpState::kRtr && next == QpState::kRts)
      sq.push_back({change.qpn, QpEvent::kInitRequester});
    if (now == QpState::kSqe && next == QpState::kRts) sq.push_back({change.qpn, QpEvent::kResume});
    if (next == QpState::kSqe) {
      const bool sends = now == QpState::kRts || now == QpState::kSqd;
      CHECK(sends);
      sq.push_back({change.qpn, QpEvent::kFlush});
      ++failed_sends;
    }
    if (next == QpState::kErr && now != QpState::kErr && now != QpState::kReset) {
      if (now != QpState::kSqe) sq.push_back({change.qpn, QpEvent::kFlush});
      rq.push_back({change.qpn, QpEvent::kFlush});
    }
    if (now == QpState::kErr)
      CHECK(next == QpState::kReset);  // what failed between firmware's read and write stays failed
    now = next;
  }
  CHECK(bench.sq == sq);
  CHECK(bench.rq == rq);
  CHECK(sq.size() > 100);
  for (unsigned q = 0; q < kQps; ++q) CHECK(bench.read(q) == state[q]);
  CHECK(failed_sends > 10);
  CHECK(std::count_if(sq.begin(), sq.end(),
                      [](const Command& c) { return c.kind == QpEvent::kResume; }) > 0);
  CHECK(bench.events.size() > 50);
  for (const std::uint32_t event : bench.events) {
    CHECK(port::get(event, layout::event_req::kind) != layout::number(layout::FailKind::kSends));
  }
}

TEST_CASE("qp_state: all fail while no engine takes a command") {
  Bench bench;
  bench.percent_engine = 100;
  for (unsigned q = 0; q < kQps; ++q) bench.request(q, true, QpState::kInit);
  bench.percent_engine = 0;
  bench.request(3, true, QpState::kRtr);
  for (unsigned q = 0; q < kQps; ++q) {
    for (auto& f : bench.fails) f.push_back(failure(EventKind::kQpFatal, q));
  }
  for (int i = 0; i < 1000; ++i) bench.step();
  for (auto& f : bench.fails) CHECK(f.empty());
  CHECK(bench.events.size() == kQps);
  bench.percent_engine = 100;
  for (int i = 0; i < 100; ++i) bench.step();
  CHECK(bench.sq.size() == kQps);
  REQUIRE(bench.rq.size() == kQps + 1);
  CHECK(bench.rq[0] == Command{3, QpEvent::kInitResponder});
}

TEST_CASE("qp_state: firmware waits until the engines have taken their commands") {
  Bench bench;
  bench.request(3, true, QpState::kInit);
  bench.percent_engine = 0;
  bench.request(3, true, QpState::kRtr);
  bench.dut->req_valid_i = 1;
  bench.dut->req_write_i = 1;
  bench.dut->req_state_i = layout::number(QpState::kReset);
  for (int i = 0; i < 100; ++i) {
    bench.step();
    REQUIRE_FALSE(bench.done);
  }
  bench.dut->req_write_i = 0;  // a read does not wait
  CHECK(bench.read(3) == QpState::kRtr);
  bench.percent_engine = 100;
  CHECK(bench.request(3, true, QpState::kReset) == QpState::kRtr);
}
