// SPDX-License-Identifier: Apache-2.0
// ModifyQp: the state machine of 10.3.1 with the attributes of 11.2.5.2.
#include <doctest/doctest.h>

#include <map>

#include "firmware/test/qp_bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

constexpr std::uint32_t kSqe = 5;

}  // namespace

TEST_CASE("ModifyQp: the 42 pairs of states, as Linux has them (QP-01)") {
  // Rows from qpstate.json of the Soft-RoCE captures: 1 allowed, for targets RESET, INIT, RTR, RTS,
  // SQD, SQE, ERR.
  const std::map<std::uint32_t, const char*> linux_matrix = {
      {kQpReset, "1100000"}, {kQpInit, "1110001"}, {kQpRtr, "1001001"},
      {kQpRts, "1001101"},   {kQpSqd, "1001101"},  {kQpErr, "1000001"}};
  for (const std::uint32_t from : kStates) {
    for (std::uint32_t to = kQpReset; to <= kQpErr; ++to) {
      CAPTURE(from);
      CAPTURE(to);
      QpBench bench;
      bench.bring(from);
      const bool allowed = linux_matrix.at(from)[to] == '1';
      if (allowed) {
        bench.go(to, needs(from, to));
      } else {
        bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, to, needs(from, to)),
                     kAdminStatusBadState, body::state);
        CHECK(bench.nic.states[bench.qpn] == from);
      }
    }
  }
  QpBench bench;
  bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, 7, 0), kAdminStatusBadState, body::state);
  bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, kSqe, 0), kAdminStatusBadState, body::state);
}

TEST_CASE("ModifyQp: each missing attribute is refused (QP-02, QP-03, QP-04)") {
  const std::pair<std::uint32_t, std::uint32_t> steps[] = {
      {kQpReset, kQpInit}, {kQpInit, kQpRtr}, {kQpRtr, kQpRts}};
  for (const auto& step : steps) {
    const std::uint32_t from = step.first;
    const std::uint32_t to = step.second;
    const std::uint32_t all = needs(from, to);
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((all & mask_of(bit)) == 0) continue;
      CAPTURE(to);
      CAPTURE(bit);
      QpBench bench;
      bench.bring(from);
      bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, to, all & ~mask_of(bit)),
                   kAdminStatusBadState, body::attr_mask);
    }
  }
}

TEST_CASE(
    "ModifyQp: attributes that do not belong are refused, optional ones taken (QP-05, QP-06)") {
  // What each transition may have besides what it needs (core/verbs.c).
  const std::uint32_t while_up = set(kQpMaskCurState, kQpMaskAccessFlags, kQpMaskMinRnrTimer);
  const struct {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t optional;
  } cases[] = {
      {kQpReset, kQpInit, 0},
      {kQpInit, kQpInit, kInitNeeds},
      {kQpInit, kQpRtr, set(kQpMaskPkeyIndex, kQpMaskAccessFlags)},
      {kQpRtr, kQpRts, while_up},
      {kQpRts, kQpRts, while_up},
      {kQpRts, kQpSqd, set(kQpMaskEnSqdAsyncNotify)},
      {kQpSqd, kQpRts, while_up},
      {kQpSqd, kQpSqd,
       kInitNeeds | set(kQpMaskAv, kQpMaskTimeout, kQpMaskRetryCnt, kQpMaskRnrRetry,
                        kQpMaskMaxQpRdAtomic, kQpMaskMaxDestRdAtomic, kQpMaskMinRnrTimer)},
      {kQpRts, kQpErr, 0},
      {kQpRts, kQpReset, 0},
  };
  const std::uint32_t known[] = {kQpMaskEnSqdAsyncNotify, kQpMaskCurState, kQpMaskAccessFlags,
                                 kQpMaskPkeyIndex,        kQpMaskPort,     kQpMaskAv,
                                 kQpMaskPathMtu,          kQpMaskTimeout,  kQpMaskRetryCnt,
                                 kQpMaskRnrRetry,         kQpMaskRqPsn,    kQpMaskMaxQpRdAtomic,
                                 kQpMaskMinRnrTimer,      kQpMaskSqPsn,    kQpMaskDestQpn,
                                 kQpMaskMaxDestRdAtomic};
  for (const auto& one : cases) {
    for (const std::uint32_t bit : known) {
      const std::uint32_t base = needs(one.from, one.to);
      if ((base & mask_of(bit)) != 0) continue;
      CAPTURE(one.from);
      CAPTURE(one.to);
      CAPTURE(bit);
      QpBench bench;
      bench.bring(one.from);
      const Body command =
          attributes(bench.qpn, one.to, base | mask_of(bit)).put(body::cur_state, one.from);
      if ((one.optional & mask_of(bit)) != 0) {
        CHECK(bench.run(kAdminOpModifyQp, command).status == kAdminStatusOk);
      } else {
        bench.refuse(kAdminOpModifyQp, command, kAdminStatusBadState, body::attr_mask);
      }
    }
  }
  QpBench bench;
  for (const unsigned bit : {6u, 14u, 18u, 19u, 21u, 31u}) {  // Q_Key, alternate path, ...
    bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, kQpInit, kInitNeeds | mask_of(bit)),
                 kAdminStatusBadParameter, body::attr_mask);
  }
}

TEST_CASE("ModifyQp: values out of range are refused and change nothing (QP-07)") {
  const struct {
    std::uint32_t from;
    std::uint32_t to;
    Place field;
    std::uint64_t value;
    std::uint32_t status;
  } cases[] = {
      {kQpReset, kQpInit, body::pkey_index, 1, kAdminStatusBadParameter},
      {kQpReset, kQpInit, body::port, 0, kAdminStatusBadParameter},
      {kQpReset, kQpInit, body::port, 2, kAdminStatusBadParameter},
      {kQpReset, kQpInit, body::access, 0x10, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::path_mtu, 0, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::path_mtu, 6, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::min_rnr_timer, 32, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::max_dest_rd_atomic, 17, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::dest_qpn, 0x1000000, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::sgid_index, 2, kAdminStatusBadHandle},
      {kQpInit, kQpRtr, body::sgid_index, 16, kAdminStatusBadHandle},
      {kQpInit, kQpRtr, body::flow_label, 0x100000, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::sl, 8, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::dgid_lo, 0xFFFFE0000001, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::dgid_hi, 0xFD00ull << 48, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::dst_mac, 0x010000000000, kAdminStatusBadParameter},
      {kQpRtr, kQpRts, body::timeout, 32, kAdminStatusBadParameter},
      {kQpRtr, kQpRts, body::retry_cnt, 8, kAdminStatusBadParameter},
      {kQpRtr, kQpRts, body::rnr_retry, 8, kAdminStatusBadParameter},
      {kQpRtr, kQpRts, body::max_rd_atomic, 17, kAdminStatusBadParameter},
  };
  for (const auto& one : cases) {
    CAPTURE(one.field.offset);
    CAPTURE(one.value);
    QpBench bench;
    bench.bring(one.from);
    const Body command =
        attributes(bench.qpn, one.to, needs(one.from, one.to)).put(one.field, one.value);
    // A GID of the wrong family is blamed on its first byte.
    Place blamed = one.field;
    if (one.field.offset == body::dgid_lo.offset) blamed = body::dgid_hi;
    bench.refuse(kAdminOpModifyQp, command, one.status, blamed);
  }
  QpBench bench;
  bench.bring(kQpRts);
  bench.refuse(kAdminOpModifyQp,
               attributes(bench.qpn, kQpRts, set(kQpMaskCurState)).put(body::cur_state, kQpRtr),
               kAdminStatusBadState, body::cur_state);
  bench.refuse(kAdminOpModifyQp, attributes(bench.qpn + 1, kQpErr, 0), kAdminStatusBadHandle,
               body::qpn);
  bench.refuse(kAdminOpModifyQp, attributes(0, kQpErr, 0), kAdminStatusBadHandle, body::qpn);
}

TEST_CASE("ModifyQp: without a new state it changes attributes in place") {
  QpBench bench;
  bench.bring(kQpRts);
  Body command = attributes(bench.qpn, 0, 0);
  command.put(body::attr_mask, set(kQpMaskMinRnrTimer)).put(body::min_rnr_timer, 1);
  const std::size_t before = bench.nic.actions.size();
  CHECK(bench.run(kAdminOpModifyQp, command).status == kAdminStatusOk);
  CHECK(bench.nic.states[bench.qpn] == kQpRts);
  CHECK(bench.nic.actions.size() == before + 1);
  CHECK(bench.attr().get(qp_attr::min_rnr_timer) == 1);
  CHECK(bench.query().get(body::min_rnr_timer) == 1);
}
