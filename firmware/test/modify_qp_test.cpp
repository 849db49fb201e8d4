// SPDX-License-Identifier: Apache-2.0
// ModifyQp: the state machine of 10.3.1 with the attributes of 11.2.5.2.
#include <doctest/doctest.h>

#include <map>

#include "firmware/test/qp_bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

constexpr QpState kSqe{5};

}  // namespace

TEST_CASE("ModifyQp: the 42 pairs of states, as Linux has them (QP-01)") {
  // Rows from qpstate.json of the Soft-RoCE captures: 1 allowed, for targets RESET, INIT, RTR, RTS,
  // SQD, SQE, ERR.
  const std::map<QpState, const char*> linux_matrix = {
      {QpState::kReset, "1100000"}, {QpState::kInit, "1110001"}, {QpState::kRtr, "1001001"},
      {QpState::kRts, "1001101"},   {QpState::kSqd, "1001101"},  {QpState::kErr, "1000001"}};
  for (const QpState from : kStates) {
    for (unsigned column = 0; column <= number(QpState::kErr); ++column) {
      const QpState to{static_cast<std::uint8_t>(column)};
      CAPTURE(number(from));
      CAPTURE(column);
      QpBench bench;
      bench.bring(from);
      const bool allowed = linux_matrix.at(from)[column] == '1';
      if (allowed) {
        bench.go(to, needs(from, to));
      } else {
        bench.reject(AdminOp::kModifyQp, attributes(bench.qpn, to, needs(from, to)),
                     AdminStatus::kBadState, body::state);
        CHECK(bench.nic.states[bench.qpn] == from);
      }
    }
  }
  QpBench bench;
  bench.reject(AdminOp::kModifyQp, attributes(bench.qpn, QpState{7}, 0), AdminStatus::kBadState,
               body::state);
  bench.reject(AdminOp::kModifyQp, attributes(bench.qpn, kSqe, 0), AdminStatus::kBadState,
               body::state);
}

TEST_CASE("ModifyQp: each missing attribute is rejected (QP-02, QP-03, QP-04)") {
  const std::pair<QpState, QpState> steps[] = {{QpState::kReset, QpState::kInit},
                                               {QpState::kInit, QpState::kRtr},
                                               {QpState::kRtr, QpState::kRts}};
  for (const auto& step : steps) {
    const auto [from, to] = step;
    const std::uint32_t all = needs(from, to);
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((all & mask_of(bit)) == 0) continue;
      CAPTURE(number(step.second));
      CAPTURE(bit);
      QpBench bench;
      bench.bring(from);
      bench.reject(AdminOp::kModifyQp, attributes(bench.qpn, to, all & ~mask_of(bit)),
                   AdminStatus::kBadState, body::attr_mask);
    }
  }
}

TEST_CASE(
    "ModifyQp: attributes that do not belong are rejected, optional ones accepted (QP-05, QP-06)") {
  // Optional attributes of each transition (core/verbs.c).
  const std::uint32_t while_up =
      set(qp_mask::kCurState, qp_mask::kAccessFlags, qp_mask::kMinRnrTimer);
  const struct {
    QpState from;
    QpState to;
    std::uint32_t optional;
  } cases[] = {
      {QpState::kReset, QpState::kInit, 0},
      {QpState::kInit, QpState::kInit, kInitNeeds},
      {QpState::kInit, QpState::kRtr, set(qp_mask::kPkeyIndex, qp_mask::kAccessFlags)},
      {QpState::kRtr, QpState::kRts, while_up},
      {QpState::kRts, QpState::kRts, while_up},
      {QpState::kRts, QpState::kSqd, set(qp_mask::kEnSqdAsyncNotify)},
      {QpState::kSqd, QpState::kRts, while_up},
      {QpState::kSqd, QpState::kSqd,
       kInitNeeds | set(qp_mask::kAv, qp_mask::kTimeout, qp_mask::kRetryCnt, qp_mask::kRnrRetry,
                        qp_mask::kMaxQpRdAtomic, qp_mask::kMaxDestRdAtomic, qp_mask::kMinRnrTimer)},
      {QpState::kRts, QpState::kErr, 0},
      {QpState::kRts, QpState::kReset, 0},
  };
  const std::uint32_t known[] = {
      qp_mask::kEnSqdAsyncNotify, qp_mask::kCurState, qp_mask::kAccessFlags,
      qp_mask::kPkeyIndex,        qp_mask::kPort,     qp_mask::kAv,
      qp_mask::kPathMtu,          qp_mask::kTimeout,  qp_mask::kRetryCnt,
      qp_mask::kRnrRetry,         qp_mask::kRqPsn,    qp_mask::kMaxQpRdAtomic,
      qp_mask::kMinRnrTimer,      qp_mask::kSqPsn,    qp_mask::kDestQpn,
      qp_mask::kMaxDestRdAtomic,  qp_mask::kQkey};
  for (const auto& one : cases) {
    for (const std::uint32_t bit : known) {
      const std::uint32_t base = needs(one.from, one.to);
      if ((base & bit) != 0) continue;
      CAPTURE(number(one.from));
      CAPTURE(number(one.to));
      CAPTURE(bit);
      QpBench bench;
      bench.bring(one.from);
      const Body command = attributes(bench.qpn, one.to, base | bit).put(body::cur_state, one.from);
      if ((one.optional & bit) != 0) {
        CHECK(bench.run(AdminOp::kModifyQp, command).status == AdminStatus::kOk);
      } else {
        bench.reject(AdminOp::kModifyQp, command, AdminStatus::kBadState, body::attr_mask);
      }
    }
  }
  QpBench bench;
  for (const unsigned bit : {14u, 18u, 19u, 21u, 31u}) {  // alternate path, ...
    bench.reject(AdminOp::kModifyQp,
                 attributes(bench.qpn, QpState::kInit, kInitNeeds | mask_of(bit)),
                 AdminStatus::kBadParameter, body::attr_mask);
  }
}

TEST_CASE("ModifyQp: values out of range are rejected and change nothing (QP-07)") {
  const struct {
    QpState from;
    QpState to;
    Place field;
    std::uint64_t value;
    AdminStatus status;
  } cases[] = {
      {QpState::kReset, QpState::kInit, body::pkey_index, 1, AdminStatus::kBadParameter},
      {QpState::kReset, QpState::kInit, body::port, 0, AdminStatus::kBadParameter},
      {QpState::kReset, QpState::kInit, body::port, 2, AdminStatus::kBadParameter},
      {QpState::kReset, QpState::kInit, body::access, 0x10, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::path_mtu, 0, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::path_mtu, 6, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::min_rnr_timer, 32, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::max_dest_rd_atomic, 17, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::dest_qpn, 0x1000000, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::sgid_index, 2, AdminStatus::kBadHandle},
      {QpState::kInit, QpState::kRtr, body::sgid_index, 16, AdminStatus::kBadHandle},
      {QpState::kInit, QpState::kRtr, body::flow_label, 0x100000, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::sl, 8, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::dgid_lo, 0xFFFFE0000001, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::dgid_hi, 0xFD00ull << 48, AdminStatus::kBadParameter},
      {QpState::kInit, QpState::kRtr, body::dst_mac, 0x010000000000, AdminStatus::kBadParameter},
      {QpState::kRtr, QpState::kRts, body::timeout, 32, AdminStatus::kBadParameter},
      {QpState::kRtr, QpState::kRts, body::retry_cnt, 8, AdminStatus::kBadParameter},
      {QpState::kRtr, QpState::kRts, body::rnr_retry, 8, AdminStatus::kBadParameter},
      {QpState::kRtr, QpState::kRts, body::max_rd_atomic, 17, AdminStatus::kBadParameter},
  };
  for (const auto& one : cases) {
    CAPTURE(one.field.offset);
    CAPTURE(one.value);
    QpBench bench;
    bench.bring(one.from);
    const Body command =
        attributes(bench.qpn, one.to, needs(one.from, one.to)).put(one.field, one.value);
    // The error for a GID of the wrong family names its first byte.
    Place blamed = one.field;
    if (one.field.offset == body::dgid_lo.offset) blamed = body::dgid_hi;
    bench.reject(AdminOp::kModifyQp, command, one.status, blamed);
  }
  QpBench bench;
  bench.bring(QpState::kRts);
  bench.reject(AdminOp::kModifyQp,
               attributes(bench.qpn, QpState::kRts, set(qp_mask::kCurState))
                   .put(body::cur_state, QpState::kRtr),
               AdminStatus::kBadState, body::cur_state);
  bench.reject(AdminOp::kModifyQp, attributes(bench.qpn + 1, QpState::kErr, 0),
               AdminStatus::kBadHandle, body::qpn);
  bench.reject(AdminOp::kModifyQp, attributes(0, QpState::kErr, 0), AdminStatus::kBadHandle,
               body::qpn);
}

TEST_CASE("ModifyQp: without a new state it changes attributes in place") {
  QpBench bench;
  bench.bring(QpState::kRts);
  Body command = attributes(bench.qpn, QpState::kReset, 0);
  command.put(body::attr_mask, set(qp_mask::kMinRnrTimer)).put(body::min_rnr_timer, 1);
  const std::size_t before = bench.nic.actions.size();
  CHECK(bench.run(AdminOp::kModifyQp, command).status == AdminStatus::kOk);
  CHECK(bench.nic.states[bench.qpn] == QpState::kRts);
  CHECK(bench.nic.actions.size() == before + 1);
  CHECK(bench.attr().get(qp_attr::min_rnr_timer) == 1);
  CHECK(bench.query().get(body::min_rnr_timer) == 1);
}
