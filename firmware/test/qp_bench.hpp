// SPDX-License-Identifier: Apache-2.0
// A queue pair on the mock adapter, brought into any state with valid values of every attribute.
#pragma once

#include <doctest/doctest.h>

#include "firmware/test/bench.hpp"

namespace roci::fw::test {

using namespace roci::layout;

namespace body = layout::qp_attributes;

inline constexpr QpState kStates[] = {QpState::kReset, QpState::kInit, QpState::kRtr,
                                      QpState::kRts,   QpState::kSqd,  QpState::kErr};

/// Returns a valid value of every attribute.
inline Body attributes(std::uint32_t qpn, QpState state, std::uint32_t mask) {
  return Body()
      .put(body::qpn, qpn)
      .put(body::attr_mask, mask | qp_mask::kState)
      .put(body::state, state)
      .put(body::path_mtu, 3)
      .put(body::access, 0xE)
      .put(body::pkey_index, 0)
      .put(body::port, 1)
      .put(body::timeout, 14)
      .put(body::retry_cnt, 6)
      .put(body::rnr_retry, 7)
      .put(body::min_rnr_timer, 12)
      .put(body::max_rd_atomic, 5)
      .put(body::max_dest_rd_atomic, 16)
      .put(body::sgid_index, 0)
      .put(body::hop_limit, 7)
      .put(body::traffic_class, 0x6A)
      .put(body::dest_qpn, 0xABCDEF)
      .put(body::sq_psn, 0xFFFFFD)
      .put(body::rq_psn, 0x123456)
      .put(body::flow_label, 0)
      .put(body::dgid_hi, kPeerIpv4.hi)
      .put(body::dgid_lo, kPeerIpv4.lo)
      .put(body::dst_mac, kPeerMac)
      .put(body::sl, 3);
}

template <typename... Bits>
std::uint32_t set(Bits... bits) {
  return (0u | ... | bits);
}

inline const std::uint32_t kInitNeeds =
    set(qp_mask::kPkeyIndex, qp_mask::kPort, qp_mask::kAccessFlags);
inline const std::uint32_t kRtrNeeds =
    set(qp_mask::kAv, qp_mask::kPathMtu, qp_mask::kDestQpn, qp_mask::kRqPsn,
        qp_mask::kMaxDestRdAtomic, qp_mask::kMinRnrTimer);
inline const std::uint32_t kRtsNeeds = set(qp_mask::kSqPsn, qp_mask::kTimeout, qp_mask::kRetryCnt,
                                           qp_mask::kRnrRetry, qp_mask::kMaxQpRdAtomic);

inline std::uint32_t needs(QpState from, QpState to) {
  if (from == QpState::kReset && to == QpState::kInit) return kInitNeeds;
  if (from == QpState::kInit && to == QpState::kRtr) return kRtrNeeds;
  if (from == QpState::kRtr && to == QpState::kRts) return kRtsNeeds;
  return 0;
}

/// A bench with a queue pair in any state.
class QpBench : public Bench {
 public:
  explicit QpBench(const Config& config = Bench::config()) : Bench(config) {
    set_gid(0, kOwnIpv4);
    set_gid(1, kOwnIpv6, 100);
    domain = pd();
    queue = cq();
    qpn = qp(domain, queue);
  }
  CommandReply modify(QpState to, std::uint32_t mask) {
    return run(AdminOp::kModifyQp, attributes(qpn, to, mask));
  }
  void bring(QpState state) {
    if (state == QpState::kReset) return;
    go(QpState::kInit, kInitNeeds);
    if (state == QpState::kErr) return go(QpState::kErr, 0);
    if (state == QpState::kInit) return;
    go(QpState::kRtr, kRtrNeeds);
    if (state == QpState::kRtr) return;
    go(QpState::kRts, kRtsNeeds);
    if (state == QpState::kRts) return;
    go(QpState::kSqd, 0);
    drained(true);
  }
  void go(QpState to, std::uint32_t mask) {
    REQUIRE(modify(to, mask).status == AdminStatus::kOk);
    REQUIRE(nic.states[qpn] == to);
  }
  void drained(bool yes) { nic.row(Table::kQpLive, qpn).put(qp_live::sq_idle, yes); }
  CommandReply query() { return run(AdminOp::kQueryQp, Body().put(query_qp::qpn, qpn)); }
  Block& av() { return nic.row(Table::kAv, qpn); }
  Block& attr() { return nic.row(Table::kQpAttr, qpn); }

  std::uint32_t domain = 0;
  std::uint32_t queue = 0;
  std::uint32_t qpn = 0;
};

}  // namespace roci::fw::test
