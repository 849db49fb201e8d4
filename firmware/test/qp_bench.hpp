// SPDX-License-Identifier: Apache-2.0
// A queue pair on the mock adapter, brought into any state with good values for every attribute.
#pragma once

#include <doctest/doctest.h>

#include "firmware/test/mock_nic.hpp"

namespace roci::fw::test {

using namespace roci::layout;

namespace body = layout::qp_attributes;

inline constexpr std::uint32_t kStates[] = {kQpReset, kQpInit, kQpRtr, kQpRts, kQpSqd, kQpErr};

/// A good value for every attribute.
inline Body attributes(std::uint32_t qpn, std::uint32_t state, std::uint32_t mask) {
  return Body()
      .put(body::qpn, qpn)
      .put(body::attr_mask, mask | mask_of(kQpMaskState))
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
  return (0u | ... | mask_of(bits));
}

inline const std::uint32_t kInitNeeds = set(kQpMaskPkeyIndex, kQpMaskPort, kQpMaskAccessFlags);
inline const std::uint32_t kRtrNeeds = set(kQpMaskAv, kQpMaskPathMtu, kQpMaskDestQpn, kQpMaskRqPsn,
                                           kQpMaskMaxDestRdAtomic, kQpMaskMinRnrTimer);
inline const std::uint32_t kRtsNeeds =
    set(kQpMaskSqPsn, kQpMaskTimeout, kQpMaskRetryCnt, kQpMaskRnrRetry, kQpMaskMaxQpRdAtomic);

inline std::uint32_t needs(std::uint32_t from, std::uint32_t to) {
  if (from == kQpReset && to == kQpInit) return kInitNeeds;
  if (from == kQpInit && to == kQpRtr) return kRtrNeeds;
  if (from == kQpRtr && to == kQpRts) return kRtsNeeds;
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
  Answer modify(std::uint32_t to, std::uint32_t mask) {
    return run(kAdminOpModifyQp, attributes(qpn, to, mask));
  }
  void bring(std::uint32_t state) {
    if (state == kQpReset) return;
    go(kQpInit, kInitNeeds);
    if (state == kQpErr) return go(kQpErr, 0);
    if (state == kQpInit) return;
    go(kQpRtr, kRtrNeeds);
    if (state == kQpRtr) return;
    go(kQpRts, kRtsNeeds);
    if (state == kQpRts) return;
    go(kQpSqd, 0);
    drained(true);
  }
  void go(std::uint32_t to, std::uint32_t mask) {
    REQUIRE(modify(to, mask).status == kAdminStatusOk);
    REQUIRE(nic.states[qpn] == to);
  }
  void drained(bool yes) { nic.row(kTableQpLive, qpn).put(qp_live::sq_idle, yes); }
  Answer query() { return run(kAdminOpQueryQp, Body().put(query_qp::qpn, qpn)); }
  Block& av() { return nic.row(kTableAv, qpn); }
  Block& attr() { return nic.row(kTableQpAttr, qpn); }

  std::uint32_t domain = 0;
  std::uint32_t queue = 0;
  std::uint32_t qpn = 0;
};

}  // namespace roci::fw::test
