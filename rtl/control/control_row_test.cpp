// SPDX-License-Identifier: Apache-2.0
// Rows of the tables, live state, and commands to the engines.

#include <doctest/doctest.h>

#include "rtl/control/event_ring.hpp"

using namespace control_bench;

TEST_CASE("control: rows go out on the row bus and read back from the tables that keep them") {
  Bench bench;
  struct Kept {
    Table table;
    unsigned rows, bits;
    bool reads;
  };
  const Kept tables[] = {{Table::kQpAttr, kNumQps, layout::qp_attr::kBits, true},
                         {Table::kAv, kNumQps, layout::av::kBits, false},
                         {Table::kKey, kNumKeys, layout::key::kBits, true},
                         {Table::kSrq, kNumSrqs, layout::srq::kBits, true},
                         // `resize` is a command and reads 0
                         {Table::kCq, kNumCqs, layout::cq::resize.offset, true}};
  for (const Kept& t : tables) {
    CAPTURE(layout::number(t.table));
    std::vector<Row> content(t.rows);
    bench.rows.clear();
    for (unsigned r = 0; r < t.rows; ++r) {
      for (std::uint32_t& word : content[r].word) word = bench.random();
      bench.table_write(t.table, r, content[r]);
    }
    REQUIRE(bench.rows.size() == t.rows);
    for (unsigned r = 0; r < t.rows; ++r) {
      CHECK(bench.rows[r].table == t.table);
      CHECK(bench.rows[r].index == r);
      CHECK(bench.rows[r].data == content[r]);
    }
    bench.table_write(t.table, t.rows, content[0]);  // out of range
    bench.table_write(t.table, 1u << 23, content[0]);
    CHECK(bench.rows.size() == t.rows);
    CHECK(bench.table_read(t.table, t.rows) == Row{});
    for (unsigned r = 0; r < t.rows; ++r) {
      Row expect;
      for (unsigned bit = 0; t.reads && bit < t.bits; ++bit) {
        expect[bit / 32] |= content[r][bit / 32] & 1u << bit % 32;
      }
      CHECK(bench.table_read(t.table, r) == expect);
    }
  }
}

TEST_CASE("control: live state comes from both engines") {
  Bench bench;
  port::clear(bench.dut->live_sq_i);
  port::clear(bench.dut->live_rq_i);
  port::put(bench.dut->live_sq_i, layout::qp_live::sq_psn, 0x123456);
  port::put(bench.dut->live_sq_i, layout::qp_live::sq_una_psn, 0x123450);
  port::put(bench.dut->live_sq_i, layout::qp_live::sq_completed, 0xBEEF);
  port::put(bench.dut->live_sq_i, layout::qp_live::sq_idle, 1);
  port::put(bench.dut->live_rq_i, layout::qp_live::rq_psn, 0xABCDEF);
  port::put(bench.dut->live_rq_i, layout::qp_live::msn, 0x777777);
  bench.table_start(Table::kQpLive, 9, false);
  bench.run(10);
  CHECK(bench.dut->live_qpn_o == 9);
  CHECK(bench.dut->live_sq_valid_o == 1);
  CHECK(bench.dut->live_rq_valid_o == 1);
  CHECK(bench.table_busy());
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
  const Row row = bench.table_data();
  CHECK(port::get(row, layout::qp_live::sq_psn) == 0x123456);
  CHECK(port::get(row, layout::qp_live::rq_psn) == 0xABCDEF);
  CHECK(port::get(row, layout::qp_live::sq_una_psn) == 0x123450);
  CHECK(port::get(row, layout::qp_live::msn) == 0x777777);
  CHECK(port::get(row, layout::qp_live::sq_completed) == 0xBEEF);
  CHECK(port::get(row, layout::qp_live::sq_idle) == 1);
}

TEST_CASE("control: a state changes on the row bus first, then the engines get their commands") {
  Bench bench;
  const QpState path[] = {QpState::kInit, QpState::kRtr, QpState::kRts,  QpState::kSqd,
                          QpState::kRts,  QpState::kErr, QpState::kReset};
  CHECK(bench.get_state(3) == QpState::kReset);
  for (QpState next : path) {
    bench.rows.clear();
    bench.sq_events.clear();
    bench.rq_events.clear();
    const QpState before = bench.get_state(3);
    bench.set_state(3, next);
    bench.run(10);
    CHECK(bench.get_state(3) == next);
    REQUIRE(bench.rows.size() == 1);
    CHECK(bench.rows[0].table == Table::kQpState);
    CHECK(bench.rows[0].index == 3);
    CHECK(QpState{port::get(bench.rows[0].data, layout::qp_state::state)} == next);
    const bool responder = next == QpState::kRtr;
    const bool requester = next == QpState::kRts && before == QpState::kRtr;
    const bool flush = next == QpState::kErr;
    CHECK(bench.sq_events.size() == (requester || flush));
    CHECK(bench.rq_events.size() == (responder || flush));
    for (const auto* list : {&bench.sq_events, &bench.rq_events}) {
      for (const EventSeen& e : *list) {
        CHECK(e.qpn == 3);
        CHECK(e.kind == (flush                      ? QpEvent::kFlush
                         : list == &bench.sq_events ? QpEvent::kInitRequester
                                                    : QpEvent::kInitResponder));
        CHECK(e.cycle > bench.rows[0].cycle);
      }
    }
  }
  for (unsigned q = 0; q < kNumQps; ++q) CHECK(bench.get_state(q) == QpState::kReset);
}

TEST_CASE("control: doorbells and rows of shared receive queues, and their live state") {
  Bench bench;
  for (unsigned n = 0; n < 2 * kNumSrqs; ++n) {
    bench.write(layout::srq_doorbell_offset(n), 0xABC0 + n);
  }
  REQUIRE(bench.srq_doorbells.size() == kNumSrqs);
  for (unsigned n = 0; n < kNumSrqs; ++n) {
    CHECK(bench.srq_doorbells[n].qpn == n);
    CHECK(bench.srq_doorbells[n].index == 0xABC0 + n);
  }
  CHECK(bench.rq_doorbells.empty());
  Row row;
  port::put(row, layout::srq::valid, 1);
  port::put(row, layout::srq::base, 0x123456789000);
  port::put(row, layout::srq::log, 9);
  port::put(row, layout::srq::limit, 77);
  bench.rows.clear();
  bench.table_write(Table::kSrq, 5, row);
  REQUIRE(bench.rows.size() == 1);
  CHECK(bench.rows[0].table == Table::kSrq);
  CHECK(bench.rows[0].index == 5);
  CHECK(bench.rows[0].data == row);
  CHECK(bench.table_read(Table::kSrq, 5) == row);
  bench.table_write(Table::kSrq, kNumSrqs, row);  // out of range
  CHECK(bench.rows.size() == 1);

  port::clear(bench.dut->live_srq_i);
  port::put(bench.dut->live_srq_i, layout::srq_live::producer, 0x1234);
  port::put(bench.dut->live_srq_i, layout::srq_live::consumer, 0x1230);
  port::put(bench.dut->live_srq_i, layout::srq_live::limit, 3);
  bench.table_start(Table::kSrqLive, 5, false);
  bench.run(20);
  CHECK(bench.dut->live_srq_valid_o == 1);
  CHECK(bench.dut->live_qpn_o == 5);
  bench.dut->live_srq_ready_i = 1;
  bench.table_wait();
  const Row live = bench.table_data();
  CHECK(port::get(live, layout::srq_live::producer) == 0x1234);
  CHECK(port::get(live, layout::srq_live::consumer) == 0x1230);
  CHECK(port::get(live, layout::srq_live::limit) == 3);
}

TEST_CASE("control: CqLive reads the indices; a resize keeps them and is not kept in the row") {
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
  bench.write(layout::cq_doorbell_offset(3), 1);
  bench.run(20);
  Row live = bench.table_read(Table::kCqLive, 3);
  CHECK(port::get(live, layout::cq_live::producer) == 3);
  CHECK(port::get(live, layout::cq_live::consumer) == 1);
  CHECK(port::get(live, layout::cq_live::overflowed) == 0);
  Row row = bench.table_read(Table::kCq, 3);
  port::put(row, layout::cq::base, 0x20000);
  port::put(row, layout::cq::log, 3);
  Row resize = row;
  port::put(resize, layout::cq::resize, 1);
  bench.table_write(Table::kCq, 3, resize);
  CHECK(bench.table_read(Table::kCq, 3) == row);
  live = bench.table_read(Table::kCqLive, 3);
  CHECK(port::get(live, layout::cq_live::producer) == 3);
  Bench::Cqe c;
  c.cqn = 3;
  c.wqe_index = 0x77;
  bench.cqes[0].push_back(c);
  bench.run(100);
  CHECK(bench.byte_at(7, 0x20000 + 3 * layout::cqe::kBytes) == 0x77);
}

TEST_CASE("control: rows of key operations go to the bus and into what firmware reads") {
  Bench bench;
  Row row;
  port::put(row, layout::key::variant, 0x5A);
  port::put(row, layout::key::iova, 0x123456789ABCDEF0);
  for (unsigned bit = 0; bit < layout::key::kBits; bit += 32) {
    port::put(bench.dut->key_row_i, bit, std::min(32u, layout::key::kBits - bit), row[bit / 32]);
  }
  bench.dut->key_row_index_i = 7;
  // While an operation is outstanding, a row that firmware writes to the same table waits; other
  // tables do not.
  bench.dut->key_busy_i = 1;
  Row valid;
  port::put(valid, layout::key::valid, 1);
  bench.put_table_data(valid);
  bench.table_start(Table::kKey, 9, true);
  bench.run(50);
  CHECK(bench.rows.empty());
  bench.fails[0].push_back({EventKind::kQpFatal, 2});  // the state row passes
  bench.dut->key_row_valid_i = 1;
  while (!bench.dut->key_row_ready_o) bench.step();
  bench.step();
  bench.dut->key_row_valid_i = 0;
  bench.run(2);
  REQUIRE(bench.rows.size() == 1);
  CHECK(bench.rows[0].table == Table::kKey);
  CHECK(bench.rows[0].index == 7);
  CHECK(bench.rows[0].data == row);
  bench.dut->key_busy_i = 0;
  bench.table_wait();
  REQUIRE(bench.rows.size() == 2);
  CHECK(bench.rows[1].index == 9);
  CHECK(bench.table_read(Table::kKey, 7) == row);
}

TEST_CASE("control: firmware leaves ERR by RESET only") {
  Bench bench;
  bench.set_state(4, QpState::kInit);
  bench.fails[1].push_back({EventKind::kQpAccess, 4});
  bench.run(20);
  for (QpState to : {QpState::kInit, QpState::kRtr, QpState::kRts, QpState::kSqd, QpState::kErr}) {
    bench.set_state(4, to);
    CHECK(bench.get_state(4) == QpState::kErr);
  }
  bench.set_state(4, QpState::kReset);
  CHECK(bench.get_state(4) == QpState::kReset);
}
