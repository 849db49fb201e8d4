// SPDX-License-Identifier: Apache-2.0
// CreateQp and DestroyQp, valid and invalid, on a mock adapter.
#include <doctest/doctest.h>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("CreateQp: the row equals the command") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  bench.cq();
  const std::uint32_t send_cqn = bench.cq();
  const std::uint32_t recv_cqn = bench.cq();
  const std::uint32_t qpn = bench.run_ok(AdminOp::kCreateQp, Bench::qp_body(pd, send_cqn, recv_cqn),
                                         create_qp_reply::qpn);
  Block& row = bench.nic.row(Table::kQpAttr, qpn);
  CHECK(row.get(qp_attr::pd) == pd);
  CHECK(row.get(qp_attr::pasid) == 0xABCDE);
  CHECK(row.get(qp_attr::send_cqn) == send_cqn);
  CHECK(row.get(qp_attr::recv_cqn) == recv_cqn);
  CHECK(row.get(qp_attr::sq_base) == 0x7FFF00001000);
  CHECK(row.get(qp_attr::sq_log) == 6);
  CHECK(row.get(qp_attr::sq_stride_log) == 1);
  CHECK(row.get(qp_attr::rq_base) == 0x7FFF00042000);
  CHECK(row.get(qp_attr::rq_log) == 7);
  CHECK(row.get(qp_attr::rq_stride_log) == 2);
  CHECK(bench.nic.states[qpn] == QpState::kReset);
  CHECK(bench.nic.actions.back().kind == Action::kState);
  const std::uint32_t busy[] = {send_cqn, recv_cqn};
  for (const std::uint32_t cqn : busy) {
    bench.reject(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, cqn), AdminStatus::kBusy,
                 destroy_cq::cqn);
  }
  bench.reject(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBusy,
               dealloc_pd::pd);
}

TEST_CASE("CreateQp: handles and ranges are checked") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t cqn = bench.cq();
  const Body good = Bench::qp_body(pd, cqn, cqn);
  const struct {
    Place field;
    std::uint64_t value;
    AdminStatus status;
  } cases[] = {
      {create_qp::pd, pd + 1, AdminStatus::kBadHandle},
      {create_qp::send_cqn, cqn + 1, AdminStatus::kBadHandle},
      {create_qp::recv_cqn, 0x10000 + cqn, AdminStatus::kBadHandle},
      {create_qp::pasid, 1 << 20, AdminStatus::kBadParameter},
      {create_qp::sq_log, 0, AdminStatus::kBadParameter},
      {create_qp::sq_log, 16, AdminStatus::kBadParameter},
      {create_qp::sq_stride_log, 3, AdminStatus::kBadParameter},
      {create_qp::rq_log, 0, AdminStatus::kBadParameter},
      {create_qp::rq_log, 16, AdminStatus::kBadParameter},
      {create_qp::rq_stride_log, 255, AdminStatus::kBadParameter},
      {create_qp::sq_base, 0x1040, AdminStatus::kBadParameter},
      {create_qp::sq_base, ~0ull << 12, AdminStatus::kBadParameter},
      {create_qp::rq_base, 0x800, AdminStatus::kBadParameter},
      {create_qp::rq_base, ~0ull << 12, AdminStatus::kBadParameter},
  };
  for (const auto& one : cases) {
    CAPTURE(one.field.offset);
    bench.reject(AdminOp::kCreateQp, Body(good).put(one.field, one.value), one.status, one.field);
  }
}

TEST_CASE("CreateQp, DestroyQp: numbers from 2 up, reused as late as possible (QP-18, QP-19)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t cqn = bench.cq();
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < 14; ++i) {
    last = bench.qp(pd, cqn);
    CHECK(last == 2 + i);
  }
  CHECK(bench.run(AdminOp::kCreateQp, Bench::qp_body(pd, cqn, cqn)).status ==
        AdminStatus::kNoResource);
  for (const std::uint32_t qpn : {9u, 3u}) {
    bench.nic.states[qpn] = QpState::kRts;
    const std::size_t before = bench.nic.actions.size();
    CHECK(bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, qpn)).status ==
          AdminStatus::kOk);
    REQUIRE(bench.nic.actions.size() == before + 2);  // RESET, then a fence
    CHECK(bench.nic.actions[before].kind == Action::kState);
    CHECK(bench.nic.states[qpn] == QpState::kReset);
    CHECK(bench.nic.actions[before + 1].kind == Action::kFence);
  }
  CHECK(bench.qp(pd, cqn) == 9);
  CHECK(bench.qp(pd, cqn) == 3);
  for (const std::uint32_t bad : {0u, 1u, 16u, 1024u, 0xFFFFFFu, 0xFFFFFFFFu}) {
    bench.reject(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, bad), AdminStatus::kBadHandle,
                 destroy_qp::qpn);
    bench.reject(AdminOp::kQueryQp, Body().put(query_qp::qpn, bad), AdminStatus::kBadHandle,
                 query_qp::qpn);
  }
  for (std::uint32_t qpn = 2; qpn < 16; ++qpn) {
    CHECK(bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, qpn)).status ==
          AdminStatus::kOk);
  }
  CHECK(bench.run(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, cqn)).status ==
        AdminStatus::kOk);
  CHECK(bench.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd)).status == AdminStatus::kOk);
}
