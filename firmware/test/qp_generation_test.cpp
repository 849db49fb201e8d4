// SPDX-License-Identifier: Apache-2.0
// Ends of a generation: failure, draining, RESET; and the events of the engine.
#include <doctest/doctest.h>

#include "firmware/test/qp_bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("ModifyQp: a failure between reading and writing the state is not lost") {
  QpBench bench;
  bench.bring(QpState::kRtr);
  bench.nic.before_state = [&](std::uint32_t qpn) { bench.nic.states[qpn] = QpState::kErr; };
  bench.modify(QpState::kRts, kRtsNeeds);
  CHECK(bench.nic.states[bench.qpn] == QpState::kErr);
}

TEST_CASE("ModifyQp: SQD reports the end of draining once, when requested (QP-12)") {
  for (const bool requested : {true, false}) {
    for (const bool fails : {false, true}) {
      QpBench bench;
      bench.bring(QpState::kRts);
      bench.drained(false);
      const std::size_t before = bench.nic.actions.size();
      const Body to_sqd = attributes(bench.qpn, QpState::kSqd, set(qp_mask::kEnSqdAsyncNotify))
                              .put(body::flags, requested);
      CHECK(bench.run(AdminOp::kModifyQp, to_sqd).status == AdminStatus::kOk);
      CHECK(bench.nic.actions[before + 1].kind == Action::kState);
      CHECK(bench.nic.actions[before + 2].kind ==
            Action::kFence);  // the idle state is reliable after it
      for (int i = 0; i < 100; ++i) bench.firmware->poll();
      CHECK(bench.nic.posted.empty());
      CHECK(bench.query().get(body::flags) == 2);
      bench.reject(AdminOp::kModifyQp, attributes(bench.qpn, QpState::kRts, 0),
                   AdminStatus::kBadState,
                   body::state);  // QP-13
      CHECK((bench.firmware->deadline() != ~std::uint64_t{0}) == requested);
      if (fails) bench.nic.states[bench.qpn] = QpState::kErr;
      bench.drained(true);
      for (int i = 0; i < 100; ++i) {
        bench.nic.now = std::min(bench.firmware->deadline(), bench.nic.now + 1000);
        bench.firmware->poll();
      }
      if (requested && !fails) {
        REQUIRE(bench.nic.posted.size() == 1);
        CHECK(bench.nic.posted[0] == event_post(EventKind::kSqDrained, bench.qpn));
      } else {
        CHECK(bench.nic.posted.empty());
      }
      CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
      CHECK(bench.query().get(body::flags) == 0);
    }
  }
}

TEST_CASE("ModifyQp, DestroyQp: a queue pair that leaves SQD before it drained gets no SqDrained") {
  QpBench bench;
  bench.bring(QpState::kRts);
  bench.drained(false);
  bench.run(
      AdminOp::kModifyQp,
      attributes(bench.qpn, QpState::kSqd, set(qp_mask::kEnSqdAsyncNotify)).put(body::flags, 1));
  bench.go(QpState::kReset, 0);
  CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
  bench.bring(QpState::kRts);
  bench.drained(false);
  bench.run(
      AdminOp::kModifyQp,
      attributes(bench.qpn, QpState::kSqd, set(qp_mask::kEnSqdAsyncNotify)).put(body::flags, 1));
  bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, bench.qpn));
  CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
  CHECK(bench.nic.posted.empty());
}

TEST_CASE(
    "ModifyQp: RESET clears the attributes, and returns when the old generation has ended "
    "(QP-09)") {
  for (const QpState from : kStates) {
    QpBench bench;
    bench.bring(from);
    const std::size_t before = bench.nic.actions.size();
    bench.go(QpState::kReset, 0);
    REQUIRE(bench.nic.actions.size() == before + 2);
    CHECK(bench.nic.actions[before].kind == Action::kState);
    CHECK(bench.nic.actions[before + 1].kind == Action::kFence);
    const CommandReply reply = bench.query();
    CHECK(reply.get(body::dest_qpn) == 0);
    CHECK(reply.get(body::sq_psn) == 0);
    CHECK(reply.get(body::rq_psn) == 0);
    CHECK(reply.get(body::path_mtu) == 0);
    bench.bring(QpState::kRts);  // a second generation
  }
}

TEST_CASE("ModifyQp: SQD is left for RTS only when drained (QP-13)") {
  QpBench bench;
  bench.bring(QpState::kRts);
  bench.go(QpState::kSqd, 0);
  bench.drained(false);
  bench.reject(AdminOp::kModifyQp, attributes(bench.qpn, QpState::kRts, 0), AdminStatus::kBadState,
               body::state);
  bench.reject(AdminOp::kModifyQp, attributes(bench.qpn, QpState::kSqd, set(qp_mask::kTimeout)),
               AdminStatus::kBadState, body::state);
  bench.drained(true);
  bench.go(QpState::kRts, 0);
}

TEST_CASE("poll: engine events are taken from the queue") {
  QpBench bench;
  bench.nic.events.push_back(engine_event(EventKind::kCommEst, bench.qpn));
  CHECK(bench.firmware->poll());
  CHECK(bench.nic.events.empty());
  CHECK_FALSE(bench.firmware->poll());
}
