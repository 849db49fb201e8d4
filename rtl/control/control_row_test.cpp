// SPDX-License-Identifier: Apache-2.0
// Rows of the tables, live state and orders to the engines.

#include <doctest/doctest.h>

#include "rtl/control/event_ring.hpp"

using namespace control_bench;

namespace {

const std::uint32_t kFlush = code(spec::kQpEvents, "Flush");
const std::uint32_t kInitRequester = code(spec::kQpEvents, "InitRequester");
const std::uint32_t kInitResponder = code(spec::kQpEvents, "InitResponder");

}  // namespace

TEST_CASE("control: rows go out on the row bus and read back from the tables that keep them") {
  Bench bench;
  struct Table {
    const char* name;
    unsigned rows, bits;
    bool reads;
  };
  const Table tables[] = {{"QpAttr", kNumQps, spec::total_bits(spec::kQpAttr), true},
                          {"Av", kNumQps, spec::total_bits(spec::kAv), false},
                          {"Key", kNumKeys, spec::total_bits(spec::kKey), true},
                          {"Srq", kNumSrqs, spec::total_bits(spec::kSrq), true},
                          // `resize` is an order and reads 0
                          {"Cq", kNumCqs, place_of(spec::kCq, "resize").offset, true}};
  for (const Table& t : tables) {
    INFO(std::string(t.name));
    std::vector<Row> content(t.rows);
    bench.rows.clear();
    for (unsigned r = 0; r < t.rows; ++r) {
      for (int i = 0; i < 16; ++i) content[r][i] = bench.random();
      bench.table_write(table(t.name), r, content[r]);
    }
    REQUIRE(bench.rows.size() == t.rows);
    for (unsigned r = 0; r < t.rows; ++r) {
      CHECK(bench.rows[r].table == table(t.name));
      CHECK(bench.rows[r].index == r);
      CHECK(bench.rows[r].data == content[r]);
    }
    bench.table_write(table(t.name), t.rows, content[0]);  // out of range
    bench.table_write(table(t.name), 1u << 23, content[0]);
    CHECK(bench.rows.size() == t.rows);
    CHECK(bench.table_read(table(t.name), t.rows) == Row{});
    for (unsigned r = 0; r < t.rows; ++r) {
      Row expect;
      for (unsigned bit = 0; t.reads && bit < t.bits; ++bit) {
        expect[bit / 32] |= content[r][bit / 32] & 1u << bit % 32;
      }
      CHECK(bench.table_read(table(t.name), r) == expect);
    }
  }
}

TEST_CASE("control: live state comes from both engines") {
  Bench bench;
  port::clear(bench.dut->live_sq_i);
  port::clear(bench.dut->live_rq_i);
  port::put(bench.dut->live_sq_i, place_of(spec::kQpLive, "sq_psn"), 0x123456);
  port::put(bench.dut->live_sq_i, place_of(spec::kQpLive, "sq_una_psn"), 0x123450);
  port::put(bench.dut->live_sq_i, place_of(spec::kQpLive, "sq_completed"), 0xBEEF);
  port::put(bench.dut->live_sq_i, place_of(spec::kQpLive, "sq_idle"), 1);
  port::put(bench.dut->live_rq_i, place_of(spec::kQpLive, "rq_psn"), 0xABCDEF);
  port::put(bench.dut->live_rq_i, place_of(spec::kQpLive, "msn"), 0x777777);
  bench.table_start(table("QpLive"), 9, false);
  bench.run(10);
  CHECK(bench.dut->live_qpn_o == 9);
  CHECK(bench.dut->live_sq_valid_o == 1);
  CHECK(bench.dut->live_rq_valid_o == 1);
  CHECK((bench.read("TableCommand") >> kBusy) == 1);
  bench.dut->live_rq_ready_i = 1;
  bench.step();
  bench.dut->live_rq_ready_i = 0;
  port::clear(bench.dut->live_rq_i);
  CHECK(bench.dut->live_rq_valid_o == 0);
  bench.run(5);
  bench.dut->live_sq_ready_i = 1;
  bench.step();
  bench.dut->live_sq_ready_i = 0;
  bench.table_wait();
  Row row;
  for (int i = 0; i < 16; ++i) row[i] = bench.read(window("TableData") + 4 * i);
  CHECK(port::get(row, place_of(spec::kQpLive, "sq_psn")) == 0x123456);
  CHECK(port::get(row, place_of(spec::kQpLive, "rq_psn")) == 0xABCDEF);
  CHECK(port::get(row, place_of(spec::kQpLive, "sq_una_psn")) == 0x123450);
  CHECK(port::get(row, place_of(spec::kQpLive, "msn")) == 0x777777);
  CHECK(port::get(row, place_of(spec::kQpLive, "sq_completed")) == 0xBEEF);
  CHECK(port::get(row, place_of(spec::kQpLive, "sq_idle")) == 1);
}

TEST_CASE("control: states change on the row bus first and then the engines are told") {
  Bench bench;
  const unsigned path[] = {state("Init"), state("Rtr"), state("Rts"),  state("Sqd"),
                           state("Rts"),  state("Err"), state("Reset")};
  CHECK(bench.get_state(3) == state("Reset"));
  for (unsigned next : path) {
    bench.rows.clear();
    bench.sq_events.clear();
    bench.rq_events.clear();
    const unsigned before = bench.get_state(3);
    bench.set_state(3, next);
    bench.run(10);
    CHECK(bench.get_state(3) == next);
    REQUIRE(bench.rows.size() == 1);
    CHECK(bench.rows[0].table == table("QpState"));
    CHECK(bench.rows[0].index == 3);
    CHECK(bench.rows[0].data[0] == next);
    const bool responder = next == state("Rtr");
    const bool requester = next == state("Rts") && before == state("Rtr");
    const bool flush = next == state("Err");
    CHECK(bench.sq_events.size() == (requester || flush));
    CHECK(bench.rq_events.size() == (responder || flush));
    for (const auto* list : {&bench.sq_events, &bench.rq_events}) {
      for (const EventSeen& e : *list) {
        CHECK(e.qpn == 3);
        CHECK(e.kind == (flush                      ? kFlush
                         : list == &bench.sq_events ? kInitRequester
                                                    : kInitResponder));
        CHECK(e.cycle > bench.rows[0].cycle);
      }
    }
  }
  for (unsigned q = 0; q < kNumQps; ++q) CHECK(bench.get_state(q) == state("Reset"));
}

TEST_CASE("control: doorbells and rows of shared receive queues, and their live state") {
  Bench bench;
  for (unsigned n = 0; n < 2 * kNumSrqs; ++n) {
    bench.write(window("QpDoorbell") + 16 * n + 8, 0xABC0 + n);
  }
  REQUIRE(bench.srq_doorbells.size() == kNumSrqs);
  for (unsigned n = 0; n < kNumSrqs; ++n) {
    CHECK(bench.srq_doorbells[n].qpn == n);
    CHECK(bench.srq_doorbells[n].index == 0xABC0 + n);
  }
  CHECK(bench.rq_doorbells.empty());
  Row row;
  port::put(row, place_of(spec::kSrq, "valid"), 1);
  port::put(row, place_of(spec::kSrq, "base"), 0x123456789000);
  port::put(row, place_of(spec::kSrq, "log"), 9);
  port::put(row, place_of(spec::kSrq, "limit"), 77);
  bench.rows.clear();
  bench.table_write(table("Srq"), 5, row);
  REQUIRE(bench.rows.size() == 1);
  CHECK(bench.rows[0].table == table("Srq"));
  CHECK(bench.rows[0].index == 5);
  CHECK(bench.rows[0].data == row);
  CHECK(bench.table_read(table("Srq"), 5) == row);
  bench.table_write(table("Srq"), kNumSrqs, row);  // out of range
  CHECK(bench.rows.size() == 1);

  port::clear(bench.dut->live_srq_i);
  port::put(bench.dut->live_srq_i, place_of(spec::kSrqLive, "producer"), 0x1234);
  port::put(bench.dut->live_srq_i, place_of(spec::kSrqLive, "consumer"), 0x1230);
  port::put(bench.dut->live_srq_i, place_of(spec::kSrqLive, "limit"), 3);
  bench.table_start(table("SrqLive"), 5, false);
  bench.run(20);
  CHECK(bench.dut->live_srq_valid_o == 1);
  CHECK(bench.dut->live_qpn_o == 5);
  bench.dut->live_srq_ready_i = 1;
  bench.table_wait();
  CHECK(bench.read(window("TableData")) == 0x12301234);
  CHECK(bench.read(window("TableData") + 4) == 3);
}

TEST_CASE("control: CqLive tells the indices; a resize keeps them and is not kept in the row") {
  Bench bench;
  start_eq(bench, 4);
  bench.make_cq(3, 0x10000, 2);
  for (unsigned i = 0; i < 3; ++i) {
    Bench::Cqe c;
    c.cqn = 3;
    c.wqe_index = i;
    bench.cqes[0].push_back(c);
  }
  bench.run(100);
  bench.write(window("CqDoorbell") + 16 * 3, 1);
  bench.run(20);
  Row live = bench.table_read(table("CqLive"), 3);
  CHECK(port::get(live, place_of(spec::kCqLive, "producer")) == 3);
  CHECK(port::get(live, place_of(spec::kCqLive, "consumer")) == 1);
  CHECK(port::get(live, place_of(spec::kCqLive, "overflowed")) == 0);
  Row row = bench.table_read(table("Cq"), 3);
  port::put(row, place_of(spec::kCq, "base"), 0x20000);
  port::put(row, place_of(spec::kCq, "log"), 3);
  Row order = row;
  port::put(order, place_of(spec::kCq, "resize"), 1);
  bench.table_write(table("Cq"), 3, order);
  CHECK(bench.table_read(table("Cq"), 3) == row);
  live = bench.table_read(table("CqLive"), 3);
  CHECK(port::get(live, place_of(spec::kCqLive, "producer")) == 3);
  Bench::Cqe c;
  c.cqn = 3;
  c.wqe_index = 0x77;
  bench.cqes[0].push_back(c);
  bench.run(100);
  CHECK(bench.byte_at(7, 0x20000 + 3 * 32) == 0x77);
}

TEST_CASE("control: rows of key operations go to the bus and into what firmware reads") {
  Bench bench;
  Row row;
  port::put(row, place_of(spec::kKey, "variant"), 0x5A);
  port::put(row, place_of(spec::kKey, "iova"), 0x123456789ABCDEF0);
  for (int w = 0; w < 10; ++w) port::put(bench.dut->key_row_i, 32 * w, w < 9 ? 32 : 6, row[w]);
  bench.dut->key_row_index_i = 7;
  // While an operation is in flight, firmware's row of the same table waits; others do not.
  bench.dut->key_busy_i = 1;
  for (int i = 0; i < 16; ++i) bench.write(window("TableData") + 4 * i, i == 0 ? 1 : 0);
  bench.table_start(table("Key"), 9, true);
  bench.run(50);
  CHECK(bench.rows.empty());
  bench.fails[0].push_back({event_kind("QpFatal"), 2});  // states go on
  bench.dut->key_row_valid_i = 1;
  while (!bench.dut->key_row_ready_o) bench.step();
  bench.step();
  bench.dut->key_row_valid_i = 0;
  bench.run(2);
  REQUIRE(bench.rows.size() == 1);
  CHECK(bench.rows[0].table == table("Key"));
  CHECK(bench.rows[0].index == 7);
  CHECK(bench.rows[0].data == row);
  bench.dut->key_busy_i = 0;
  bench.table_wait();
  REQUIRE(bench.rows.size() == 2);
  CHECK(bench.rows[1].index == 9);
  CHECK(bench.table_read(table("Key"), 7) == row);
}

TEST_CASE("control: firmware leaves ERR by RESET only") {
  Bench bench;
  bench.set_state(4, state("Init"));
  bench.fails[1].push_back({event_kind("QpAccess"), 4});
  bench.run(20);
  for (const char* to : {"Init", "Rtr", "Rts", "Sqd", "Err"}) {
    bench.set_state(4, state(to));
    CHECK(bench.get_state(4) == state("Err"));
  }
  bench.set_state(4, state("Reset"));
  CHECK(bench.get_state(4) == state("Reset"));
}
