// SPDX-License-Identifier: Apache-2.0
// Completion queues and memory that cannot be written.

#include "rtl/control/cq/cq_bench.hpp"

using namespace cq_bench;

TEST_CASE("cq: F-82 a queue pair with a fault gets no good completion that waited for data") {
  Bench bench;
  bench.make(3, 6);
  const auto complete = [&](unsigned qpn, unsigned index, bool waits,
                            Status status = Status::kSuccess) {
    Cqe c;
    c.cqn = 3;
    c.qpn = qpn;
    c.wqe_index = index;
    c.wait_data = waits;
    c.status = status;
    bench.in[index % 2].push_back(c);
    bench.drain();
  };
  complete(5, 0, true);
  bench.dut->fault_qpn_i = 5;
  bench.dut->fault_valid_i = 1;
  bench.step();
  bench.dut->fault_valid_i = 0;
  complete(5, 1, true);
  complete(5, 2, false);
  complete(5, 3, true, Status::kWrFlushErr);
  complete(4, 4, true);
  complete(5, 5, true);
  bench.dut->begin_qpn_i = 5;
  bench.dut->begin_valid_i = 1;
  bench.step();
  bench.dut->begin_valid_i = 0;
  complete(5, 6, true);
  const Status good = Status::kSuccess, fatal = Status::kFatalErr;
  const Status expected[] = {good, fatal, good, Status::kWrFlushErr, good, fatal, good};
  REQUIRE(bench.taken.size() == 7);
  for (unsigned i = 0; i < 7; ++i) CHECK(bench.taken[i].status == expected[i]);
}

TEST_CASE("cq: F-82 an entry that does not reach memory raises CqError and breaks the ring") {
  Bench bench;
  bench.make(3, 6);
  bench.make(4, 6);
  bench.arm(3, 0);
  bench.bad_index = 2;
  for (unsigned i = 0; i < 4; ++i) bench.complete(3, i);
  for (unsigned i = 10; i < 14; ++i) bench.complete(4, i);
  bench.drain();
  REQUIRE(bench.events.size() == 2);
  CHECK(bench.events[0].kind == EventKind::kCompletion);
  CHECK(bench.events[1].kind == EventKind::kCqError);
  CHECK(bench.events[1].number == 3);
  CHECK(bench.live(3).overflowed);
  CHECK_FALSE(bench.live(4).overflowed);
  bench.complete(3, 5);
  bench.complete(4, 14);
  bench.drain();
  CHECK(bench.fails == std::vector<unsigned>{0x1003});
  CHECK(bench.taken.back().cqn == 4);
}
