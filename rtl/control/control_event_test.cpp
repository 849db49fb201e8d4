// SPDX-License-Identifier: Apache-2.0
// Failures and events on their way to firmware and host.

#include <doctest/doctest.h>

#include "rtl/control/event_ring.hpp"

using namespace control_bench;

TEST_CASE("control: a failure acts in INIT to SQD only, once, and firmware and host hear of it") {
  Bench bench;
  start_eq(bench, 6);
  const unsigned states[] = {state("Reset"), state("Init"), state("Rtr"),
                             state("Rts"),   state("Sqd"),  state("Err")};
  unsigned q = 0, expected = 0;
  for (unsigned s : states) {
    bench.set_state(q, s);
    bench.run(10);
    bench.sq_events.clear();
    bench.rq_events.clear();
    const bool acts = s != state("Reset") && s != state("Err");
    bench.fails[q % 2].push_back({event_kind("QpAccess"), q});
    bench.fails[1 - q % 2].push_back({event_kind("QpFatal"), q});
    bench.run(60);
    CHECK(bench.get_state(q) == (acts ? state("Err") : s));
    CHECK(bench.sq_events.size() == acts);
    CHECK(bench.rq_events.size() == acts);
    expected += acts;
    CHECK(count_of(bench, 1) == expected);
    if (acts) {
      const Eqe event = eqe(bench, expected - 1);
      CHECK((event.kind == event_kind("QpAccess") || event.kind == event_kind("QpFatal")));
      CHECK(event.number == q);
      CHECK(bench.dut->attention_o == 1);
      CHECK(bench.read("Attention") == 4);
      CHECK(bench.read("EngineEvent") == (1u << 31 | event.kind << 24 | q));
    }
    CHECK(bench.read("EngineEvent") == 0);
    CHECK(bench.dut->attention_o == 0);
    ++q;
  }
}

TEST_CASE("control: failures are taken while the engines do not take their orders") {
  Bench bench;
  for (unsigned q = 0; q < kNumQps; ++q) {
    bench.set_state(q, state("Init"));
    bench.set_state(q, state("Rtr"));
  }
  bench.run(20);
  bench.engines_ready = false;
  bench.sq_events.clear();
  for (unsigned q = 0; q < kNumQps; ++q) bench.fails[q % 2].push_back({event_kind("QpFatal"), q});
  bench.run(400);
  CHECK(bench.fails[0].empty());
  CHECK(bench.fails[1].empty());
  bench.table_start(table("QpState"), 0, true);  // firmware has to wait
  bench.run(50);
  CHECK((bench.read("TableCommand") >> kBusy) == 1);
  bench.engines_ready = true;
  bench.table_wait();
  CHECK(bench.sq_events.size() == kNumQps);
}

TEST_CASE("control: plain and posted events reach the host and change no state") {
  Bench bench;
  start_eq(bench, 4);
  CHECK(bench.dut->irq_o == 0);
  bench.set_state(2, state("Rtr"));
  bench.plain_events.push_back({event_kind("CommEst"), 2});
  bench.run(60);
  bench.write("EventPost", event_kind("SqDrained") << 24 | 0x123456);
  bench.run(60);
  CHECK(eqe(bench, 0) == Eqe{event_kind("CommEst"), 2, true});
  CHECK(eqe(bench, 1) == Eqe{event_kind("SqDrained"), 0x123456, true});
  CHECK(bench.get_state(2) == state("Rtr"));
  CHECK(bench.read("EngineEvent") == 0);
  CHECK(bench.dut->irq_o == 1);
  bench.write("EqConsumer", 1);
  CHECK(bench.dut->irq_o == 1);
  bench.write("EqConsumer", 2);
  CHECK(bench.dut->irq_o == 0);
}

TEST_CASE("control: CQ-12 a full event queue loses events, tells so and writes over nothing") {
  Bench bench;
  start_eq(bench, 2);
  for (unsigned i = 0; i < 7; ++i) bench.write("EventPost", 3u << 24 | i);
  bench.run(60);
  CHECK(count_of(bench, 1) == 4);
  CHECK(bench.read("EqStatus") == 1);
  for (unsigned i = 0; i < 4; ++i) CHECK(eqe(bench, i) == Eqe{3, i, true});
  bench.write("EqStatus", 0);
  CHECK(bench.read("EqStatus") == 1);
  bench.write("EqStatus", 1);
  CHECK(bench.read("EqStatus") == 0);
  bench.write("EqConsumer", 3);
  for (unsigned i = 0; i < 3; ++i) bench.write("EventPost", 3u << 24 | (10 + i));
  bench.run(60);
  for (unsigned i = 0; i < 3; ++i) CHECK(eqe(bench, i) == Eqe{3, 10 + i, false});
  CHECK(eqe(bench, 3) == Eqe{3, 3, true});
  CHECK(bench.read("EqStatus") == 0);
  for (unsigned i = 0; i < 64; ++i) CHECK(bench.byte_at(kEqPasid, kEq + 64 + i) == 0xEE);
  // Off, events go nowhere; on again, the ring starts over.
  bench.write("EqSize", kEqPasid << 12 | 2);
  bench.write("EventPost", 3u << 24 | 99);
  bench.run(40);
  CHECK(count_of(bench, 1) == 7);
  CHECK(bench.dut->irq_o == 0);
  start_eq(bench, 2);
  CHECK(bench.read("EqConsumer") == 0);
  CHECK(bench.dut->irq_o == 0);
  bench.write("EventPost", 3u << 24 | 77);
  bench.run(40);
  CHECK(eqe(bench, 0) == Eqe{3, 77, true});
}

TEST_CASE("control: a completion overflow fails the queue pair and raises CqError once (CQ-07)") {
  Bench bench;
  start_eq(bench, 6);
  const std::uint64_t ring = 0x10000;
  bench.make_cq(4, ring, 2);
  bench.set_state(6, state("Rts"));
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
  CHECK(count_of(bench, 0) == 4);
  for (unsigned i = 0; i < 4; ++i) {
    const auto bytes = bench.bytes_at(7, ring + 32 * i, 32);
    CHECK(get_memory(bytes.data(), place_of(spec::kCqe, "wqe_index")) == i);
    CHECK(get_memory(bytes.data(), place_of(spec::kCqe, "owner")) == 1);
  }
  CHECK(bench.byte_at(7, ring + 128) == 0xEE);
  CHECK(bench.get_state(6) == state("Err"));
  CHECK(bench.sq_events.size() == 1);
  REQUIRE(count_of(bench, 1) == 2);
  unsigned errors = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const Eqe e = eqe(bench, i);
    errors += e == Eqe{event_kind("CqError"), 4, true};
    if (e.kind != event_kind("CqError")) CHECK(e == Eqe{event_kind("QpFatal"), 6, true});
  }
  CHECK(errors == 1);
  std::set<std::uint32_t> told{bench.read("EngineEvent"), bench.read("EngineEvent")};
  CHECK(told == std::set<std::uint32_t>{1u << 31 | event_kind("CqError") << 24 | 4,
                                        1u << 31 | event_kind("QpFatal") << 24 | 6});
  CHECK(bench.read("EngineEvent") == 0);
  CHECK(bench.dut->idle_o == 1);
}

TEST_CASE(
    "control: CQ-12 a full event queue loses no unread entry and tells; a failed write tells too") {
  Bench bench;
  start_eq(bench, 2);
  for (unsigned i = 0; i < 6; ++i) bench.plain_events.push_back({event_kind("CommEst"), i});
  bench.run(300);
  for (unsigned i = 0; i < 4; ++i) CHECK(eqe(bench, i) == Eqe{event_kind("CommEst"), i, true});
  CHECK(bench.read("EqStatus") == 1);
  bench.write("EqStatus", 1);
  CHECK(bench.read("EqStatus") == 0);
  CHECK(bench.dut->irq_o == 1);
  bench.write("EqConsumer", 4);
  bench.run(5);
  CHECK(bench.dut->irq_o == 0);
  bench.plain_events.push_back({event_kind("CommEst"), 9});
  bench.run(100);
  CHECK(eqe(bench, 0) == Eqe{event_kind("CommEst"), 9, false});
  CHECK(bench.read("EqStatus") == 0);
  port::put(bench.dut->bw_eq_rsp_i, bus::kWriteError, 1);
  bench.plain_events.push_back({event_kind("CommEst"), 10});
  bench.run(100);
  CHECK(bench.read("EqStatus") == 1);
}

TEST_CASE(
    "control: a fault of the old life, late behind its RESET, does not spoil the next one (F-82, "
    "I15)") {
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
    return get_memory(bench.bytes_at(7, 0x10000 + 32 * index, 32).data(),
                      place_of(spec::kCqe, "status"));
  };
  const auto fault = [&] {
    bench.dut->fault_qpn_i = 6;
    bench.dut->fault_valid_i = 1;
    bench.run(1);
    bench.dut->fault_valid_i = 0;
  };
  const std::uint64_t fatal = code(spec::kStatuses, "FatalErr");
  for (const char* name : {"Init", "Rtr", "Rts"}) bench.set_state(6, state(name));
  CHECK(entry(0) == 0);
  fault();
  CHECK(entry(1) == fatal);
  bench.set_state(6, state("Reset"));
  fault();
  CHECK(entry(2) == fatal);  // what is still in flight is of the old generation
  for (const char* name : {"Init", "Rtr", "Rts"}) bench.set_state(6, state(name));
  CHECK(entry(3) == 0);
}
