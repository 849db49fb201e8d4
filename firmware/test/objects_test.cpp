// SPDX-License-Identifier: Apache-2.0
// Shared receive queues, P_Keys and completion queues that overflow, on a mock adapter.
#include <doctest/doctest.h>

#include <vector>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("SRQ: create, modify, query, destroy; an object in use stays") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t cqn = bench.cq();
  const std::uint32_t srqn = bench.srq(pd);
  const Block& row = bench.nic.row(Table::kSrq, srqn);
  CHECK(row.get(srq::valid) == 1);
  CHECK(row.get(srq::pd) == pd);
  CHECK(row.get(srq::pasid) == 0xABCDE);
  CHECK(row.get(srq::base) == 0x7FFF00100000);
  CHECK(row.get(srq::log) == 6);
  CHECK(row.get(srq::stride_log) == 1);
  CHECK(row.get(srq::limit) == 3);
  const Block before = row;
  const auto modify = [&](std::uint32_t limit) {
    return Body().put(modify_srq::srqn, srqn).put(modify_srq::limit, limit);
  };
  CHECK(bench.run(AdminOp::kModifySrq, modify(64)).status == AdminStatus::kOk);
  Block expected = before;
  expected.put(srq::limit, 64);  // nothing else changes: the ring continues
  for (unsigned i = 0; i < 16; ++i) CHECK(row.word[i] == expected.word[i]);
  bench.reject(AdminOp::kModifySrq, modify(65), AdminStatus::kBadParameter, modify_srq::limit);
  Block& live = bench.nic.row(Table::kSrqLive, srqn);
  live.put(srq_live::producer, 5);
  live.put(srq_live::consumer, 0xFFFE);
  live.put(srq_live::limit, 9);
  const CommandReply query = bench.run(AdminOp::kQuerySrq, Body().put(query_srq::srqn, srqn));
  CHECK(query.get(query_srq_reply::filled) == 7);
  CHECK(query.get(query_srq_reply::limit) == 9);

  const Body of_srq = Bench::qp_body(pd, cqn, cqn)
                          .put(create_qp::srq, 1)
                          .put(create_qp::srqn, srqn)
                          .put(create_qp::credits, 1)
                          .put(create_qp::rq_log, 0)
                          .put(create_qp::rq_base, 5);
  const std::uint32_t qpn = bench.run_ok(AdminOp::kCreateQp, of_srq, create_qp_reply::qpn);
  const Block& attr = bench.nic.row(Table::kQpAttr, qpn);
  CHECK(attr.get(qp_attr::srq) == 1);
  CHECK(attr.get(qp_attr::srqn) == srqn);
  CHECK(attr.get(qp_attr::credits) == 1);
  CHECK(attr.get(qp_attr::rq_base) == 0);
  bench.reject(AdminOp::kDestroySrq, Body().put(destroy_srq::srqn, srqn), AdminStatus::kBusy,
               destroy_srq::srqn);
  bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, qpn));
  bench.reject(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBusy,
               dealloc_pd::pd);
  CHECK(bench.run(AdminOp::kDestroySrq, Body().put(destroy_srq::srqn, srqn)).status ==
        AdminStatus::kOk);
  CHECK(bench.nic.row(Table::kSrq, srqn).get(srq::valid) == 0);
  CHECK(bench.nic.actions.back().kind == Action::kFence);
  for (const AdminOp opcode : {AdminOp::kModifySrq, AdminOp::kQuerySrq, AdminOp::kDestroySrq}) {
    bench.reject(opcode, Body().put(modify_srq::srqn, srqn), AdminStatus::kBadHandle,
                 modify_srq::srqn);
  }
  bench.reject(AdminOp::kCreateQp, of_srq, AdminStatus::kBadHandle, create_qp::srqn);
  bench.reject(AdminOp::kCreateQp, Body(of_srq).put(create_qp::srq, 2), AdminStatus::kBadParameter,
               create_qp::srq);
  bench.reject(AdminOp::kCreateQp, Body(of_srq).put(create_qp::credits, 2),
               AdminStatus::kBadParameter, create_qp::credits);

  const struct {
    Place field;
    std::uint64_t value;
    AdminStatus status;
  } bad[] = {{create_srq::pd, 99, AdminStatus::kBadHandle},
             {create_srq::pasid, 1 << 20, AdminStatus::kBadParameter},
             {create_srq::base, 0x1234, AdminStatus::kBadParameter},
             {create_srq::base, ~0ull << 12, AdminStatus::kBadParameter},
             {create_srq::log, 0, AdminStatus::kBadParameter},
             {create_srq::log, 16, AdminStatus::kBadParameter},
             {create_srq::stride_log, 3, AdminStatus::kBadParameter},
             {create_srq::limit, 65, AdminStatus::kBadParameter}};
  for (const auto& one : bad) {
    bench.reject(AdminOp::kCreateSrq, Bench::srq_body(pd).put(one.field, one.value), one.status,
                 one.field);
  }
  for (unsigned i = 0; i < 4; ++i) bench.srq(pd);
  CHECK(bench.run(AdminOp::kCreateSrq, Bench::srq_body(pd)).status == AdminStatus::kNoResource);
}

TEST_CASE("SetPkey, QueryPkey: sixteen entries, the first a full member from the start") {
  Bench bench;
  const auto query = [&](std::uint32_t index) {
    return bench.run(AdminOp::kQueryPkey, Body().put(query_pkey::index, index))
        .get(query_pkey_reply::pkey);
  };
  CHECK(query(0) == 0xFFFF);
  for (std::uint32_t i = 1; i < 16; ++i) CHECK(query(i) == 0);
  const auto pkey = [](std::uint32_t index, std::uint32_t value) {
    return Body().put(set_pkey::index, index).put(set_pkey::pkey, value);
  };
  CHECK(bench.run(AdminOp::kSetPkey, pkey(15, 0x8001)).status == AdminStatus::kOk);
  CHECK(query(15) == 0x8001);
  CHECK(bench.run(AdminOp::kSetPkey, pkey(0, 0x7FFF)).status == AdminStatus::kOk);
  CHECK(bench.run(AdminOp::kQueryPort).get(query_port_reply::pkey) == 0x7FFF);
  CHECK(bench.run(AdminOp::kSetPkey, pkey(15, 0)).status == AdminStatus::kOk);
  CHECK(query(15) == 0);
  bench.reject(AdminOp::kSetPkey, pkey(16, 1), AdminStatus::kBadHandle, set_pkey::index);
  bench.reject(AdminOp::kSetPkey, pkey(1, 0x8000), AdminStatus::kBadParameter, set_pkey::pkey);
  bench.reject(AdminOp::kQueryPkey, Body().put(query_pkey::index, 16), AdminStatus::kBadHandle,
               query_pkey::index);
}

TEST_CASE("poll: the queue pairs of an overflowed completion queue go to ERR (CQ-07)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t broken = bench.cq(), other = bench.cq();
  const std::pair<std::uint32_t, std::uint32_t> queues[] = {
      {broken, other}, {other, broken}, {other, other}, {broken, broken}, {broken, broken}};
  const QpState states[] = {QpState::kRts, QpState::kInit, QpState::kRts, QpState::kErr,
                            QpState::kReset};
  std::vector<std::uint32_t> qps;
  for (int i = 0; i < 5; ++i) {
    qps.push_back(bench.run_ok(AdminOp::kCreateQp,
                               Bench::qp_body(pd, queues[i].first, queues[i].second),
                               create_qp_reply::qpn));
    bench.nic.states[qps[i]] = states[i];
  }
  bench.nic.events.push_back(engine_event(EventKind::kQpFatal, qps[3]));
  bench.nic.events.push_back(engine_event(EventKind::kCqError, broken));
  CHECK(bench.firmware->poll());
  CHECK(bench.nic.events.empty());
  CHECK(bench.nic.states[qps[0]] == QpState::kErr);
  CHECK(bench.nic.states[qps[1]] == QpState::kErr);
  CHECK(bench.nic.states[qps[2]] == QpState::kRts);
  CHECK(bench.nic.states[qps[4]] == QpState::kReset);
  CHECK(bench.nic.posted == std::vector<std::uint32_t>{event_post(EventKind::kQpFatal, qps[0]),
                                                       event_post(EventKind::kQpFatal, qps[1])});
}
