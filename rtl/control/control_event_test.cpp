// SPDX-License-Identifier: Apache-2.0
// Failures and events on their way to firmware and host.

#include <doctest/doctest.h>

#include <set>

#include "rtl/control/event_ring.hpp"

using namespace control_bench;

namespace {

/// What EngineEvent reads for an event, and what is written to EventPost for one.
std::uint32_t engine_event(EventKind kind, unsigned number) {
  return layout::bits(reg::engine_event::number, number) |
         layout::bits(reg::engine_event::kind, kind) | layout::bits(reg::engine_event::valid, 1);
}
std::uint32_t posted(EventKind kind, unsigned number) {
  return layout::bits(reg::event_post::number, number) | layout::bits(reg::event_post::kind, kind);
}

constexpr std::uint32_t kOverflow = layout::mask(reg::eq_status::overflow);

}  // namespace

TEST_CASE(
    "control: a failure acts in INIT to SQD only, once, and is reported to firmware and host") {
  Bench bench;
  start_eq(bench, 6);
  const QpState states[] = {QpState::kReset, QpState::kInit, QpState::kRtr,
                            QpState::kRts,   QpState::kSqd,  QpState::kErr};
  unsigned q = 0, expected = 0;
  for (QpState s : states) {
    bench.set_state(q, s);
    bench.run(10);
    bench.sq_events.clear();
    bench.rq_events.clear();
    const bool acts = s != QpState::kReset && s != QpState::kErr;
    bench.fails[q % 2].emplace_back(EventKind::kQpAccess, q);
    bench.fails[1 - q % 2].emplace_back(EventKind::kQpFatal, q);
    bench.run(60);
    CHECK(bench.get_state(q) == (acts ? QpState::kErr : s));
    CHECK(bench.sq_events.size() == acts);
    CHECK(bench.rq_events.size() == acts);
    expected += acts;
    CHECK(count_of(bench, kEqWrite) == expected);
    if (acts) {
      const Eqe event = eqe(bench, expected - 1);
      CHECK((event.kind == EventKind::kQpAccess || event.kind == EventKind::kQpFatal));
      CHECK(event.number == q);
      CHECK(bench.dut->attention_o == 1);
      CHECK(bench.read(reg::kAttention) == layout::mask(reg::attention::engine_event));
      CHECK(bench.read(reg::kEngineEvent) == engine_event(event.kind, q));
    }
    CHECK(bench.read(reg::kEngineEvent) == 0);
    CHECK(bench.dut->attention_o == 0);
    ++q;
  }
}

TEST_CASE("control: failures are taken while the engines do not take their commands") {
  Bench bench;
  for (unsigned q = 0; q < kNumQps; ++q) {
    bench.set_state(q, QpState::kInit);
    bench.set_state(q, QpState::kRtr);
  }
  bench.run(20);
  bench.engines_ready = false;
  bench.sq_events.clear();
  for (unsigned q = 0; q < kNumQps; ++q) bench.fails[q % 2].emplace_back(EventKind::kQpFatal, q);
  bench.run(400);
  CHECK(bench.fails[0].empty());
  CHECK(bench.fails[1].empty());
  bench.table_start(Table::kQpState, 0, true);  // firmware has to wait
  bench.run(50);
  CHECK(bench.table_busy());
  bench.engines_ready = true;
  bench.table_wait();
  CHECK(bench.sq_events.size() == kNumQps);
}

TEST_CASE("control: plain and posted events reach the host and change no state") {
  Bench bench;
  start_eq(bench, 4);
  CHECK(bench.dut->irq_o == 0);
  bench.set_state(2, QpState::kRtr);
  bench.plain_events.emplace_back(EventKind::kCommEst, 2);
  bench.run(60);
  bench.write(reg::kEventPost, posted(EventKind::kSqDrained, 0x123456));
  bench.run(60);
  CHECK(eqe(bench, 0) == Eqe{EventKind::kCommEst, 2, true});
  CHECK(eqe(bench, 1) == Eqe{EventKind::kSqDrained, 0x123456, true});
  CHECK(bench.get_state(2) == QpState::kRtr);
  CHECK(bench.read(reg::kEngineEvent) == 0);
  CHECK(bench.dut->irq_o == 1);
  bench.write(reg::kEqConsumer, 1);
  CHECK(bench.dut->irq_o == 1);
  bench.write(reg::kEqConsumer, 2);
  CHECK(bench.dut->irq_o == 0);
}

TEST_CASE("control: CQ-12 a full event queue loses events, reports it and overwrites nothing") {
  Bench bench;
  start_eq(bench, 2);
  for (unsigned i = 0; i < 7; ++i) bench.write(reg::kEventPost, posted(EventKind::kQpFatal, i));
  bench.run(60);
  CHECK(count_of(bench, kEqWrite) == 4);
  CHECK(bench.read(reg::kEqStatus) == kOverflow);
  for (unsigned i = 0; i < 4; ++i) CHECK(eqe(bench, i) == Eqe{EventKind::kQpFatal, i, true});
  bench.write(reg::kEqStatus, 0);
  CHECK(bench.read(reg::kEqStatus) == kOverflow);
  bench.write(reg::kEqStatus, kOverflow);
  CHECK(bench.read(reg::kEqStatus) == 0);
  bench.write(reg::kEqConsumer, 3);
  for (unsigned i = 0; i < 3; ++i)
    bench.write(reg::kEventPost, posted(EventKind::kQpFatal, 10 + i));
  bench.run(60);
  for (unsigned i = 0; i < 3; ++i) CHECK(eqe(bench, i) == Eqe{EventKind::kQpFatal, 10 + i, false});
  CHECK(eqe(bench, 3) == Eqe{EventKind::kQpFatal, 3, true});
  CHECK(bench.read(reg::kEqStatus) == 0);
  for (unsigned i = 0; i < 64; ++i)
    CHECK(bench.byte_at(kEqPasid, kEq + 4 * layout::eqe::kBytes + i) == 0xEE);
  // Events are dropped while the queue is off; a queue that is switched on starts over.
  bench.write(reg::kEqSize, eq_size(2));
  bench.write(reg::kEventPost, posted(EventKind::kQpFatal, 99));
  bench.run(40);
  CHECK(count_of(bench, kEqWrite) == 7);
  CHECK(bench.dut->irq_o == 0);
  start_eq(bench, 2);
  CHECK(bench.read(reg::kEqConsumer) == 0);
  CHECK(bench.dut->irq_o == 0);
  bench.write(reg::kEventPost, posted(EventKind::kQpFatal, 77));
  bench.run(40);
  CHECK(eqe(bench, 0) == Eqe{EventKind::kQpFatal, 77, true});
}

TEST_CASE("control: a completion overflow fails the queue pair and raises CqError once (CQ-07)") {
  Bench bench;
  start_eq(bench, 6);
  const std::uint64_t ring = 0x10000;
  bench.make_cq(4, ring, 2);
  bench.set_state(6, QpState::kRts);
  bench.run(10);
  bench.sq_events.clear();
  for (unsigned i = 0; i < 12; ++i) {
    Bench::Cqe c;
    c.cqn = 4;
    c.qpn = 6;
    c.wqe_index = i;
    bench.cqes[0].push_back(c);
  }
  bench.run(300);
  CHECK(count_of(bench, kCqWrite) == 4);
  for (unsigned i = 0; i < 4; ++i) {
    const auto bytes = bench.bytes_at(7, ring + layout::cqe::kBytes * i, layout::cqe::kBytes);
    CHECK(layout::get(bytes.data(), layout::cqe::wqe_index) == i);
    CHECK(layout::get(bytes.data(), layout::cqe::owner) == 1);
  }
  CHECK(bench.byte_at(7, ring + 4 * layout::cqe::kBytes) == 0xEE);
  CHECK(bench.get_state(6) == QpState::kErr);
  CHECK(bench.sq_events.size() == 1);
  REQUIRE(count_of(bench, kEqWrite) == 2);
  unsigned errors = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const Eqe e = eqe(bench, i);
    errors += e == Eqe{EventKind::kCqError, 4, true};
    if (e.kind != EventKind::kCqError) CHECK(e == Eqe{EventKind::kQpFatal, 6, true});
  }
  CHECK(errors == 1);
  const std::set<std::uint32_t> reported{bench.read(reg::kEngineEvent),
                                         bench.read(reg::kEngineEvent)};
  CHECK(reported == std::set<std::uint32_t>{engine_event(EventKind::kCqError, 4),
                                            engine_event(EventKind::kQpFatal, 6)});
  CHECK(bench.read(reg::kEngineEvent) == 0);
  CHECK(bench.dut->idle_o == 1);
}

TEST_CASE(
    "control: CQ-12 a full event queue loses no unread entry and reports that, as a failed write "
    "does") {
  Bench bench;
  start_eq(bench, 2);
  for (unsigned i = 0; i < 6; ++i) bench.plain_events.emplace_back(EventKind::kCommEst, i);
  bench.run(300);
  for (unsigned i = 0; i < 4; ++i) CHECK(eqe(bench, i) == Eqe{EventKind::kCommEst, i, true});
  CHECK(bench.read(reg::kEqStatus) == kOverflow);
  bench.write(reg::kEqStatus, kOverflow);
  CHECK(bench.read(reg::kEqStatus) == 0);
  CHECK(bench.dut->irq_o == 1);
  bench.write(reg::kEqConsumer, 4);
  bench.run(5);
  CHECK(bench.dut->irq_o == 0);
  bench.plain_events.emplace_back(EventKind::kCommEst, 9);
  bench.run(100);
  CHECK(eqe(bench, 0) == Eqe{EventKind::kCommEst, 9, false});
  CHECK(bench.read(reg::kEqStatus) == 0);
  port::put(bench.dut->bw_eq_rsp_i, layout::block_write_rsp::error, 1);
  bench.plain_events.emplace_back(EventKind::kCommEst, 10);
  bench.run(100);
  CHECK(bench.read(reg::kEqStatus) == kOverflow);
}

TEST_CASE(
    "control: a fault of the old generation that comes after RESET does not harm the next one "
    "(F-82, I15)") {
  Bench bench;
  bench.make_cq(4, 0x10000, 4);
  const auto entry = [&](unsigned index) {
    Bench::Cqe c;
    c.cqn = 4;
    c.qpn = 6;
    c.wqe_index = index;
    c.wait_data = true;
    bench.cqes[1].push_back(c);
    bench.run(60);
    const auto bytes =
        bench.bytes_at(7, 0x10000 + layout::cqe::kBytes * index, layout::cqe::kBytes);
    return Status{layout::get(bytes.data(), layout::cqe::status)};
  };
  const auto fault = [&] {
    bench.dut->fault_qpn_i = 6;
    bench.dut->fault_valid_i = 1;
    bench.run(1);
    bench.dut->fault_valid_i = 0;
  };
  for (QpState s : {QpState::kInit, QpState::kRtr, QpState::kRts}) bench.set_state(6, s);
  CHECK(entry(0) == Status::kSuccess);
  fault();
  CHECK(entry(1) == Status::kFatalErr);
  bench.set_state(6, QpState::kReset);
  fault();
  CHECK(entry(2) == Status::kFatalErr);  // what is still outstanding is of the old generation
  for (QpState s : {QpState::kInit, QpState::kRtr, QpState::kRts}) bench.set_state(6, s);
  CHECK(entry(3) == Status::kSuccess);
}
