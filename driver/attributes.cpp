// SPDX-License-Identifier: Apache-2.0
#include "driver/attributes.hpp"

#include "model/spec/layout/commands.hpp"

namespace roci::driver {
namespace {

constexpr std::uint64_t kFlagNotify = 1;
constexpr std::uint64_t kFlagDraining = 2;

}  // namespace

Body body_of(std::uint32_t qpn, const QpAttributes& a, std::uint32_t mask) {
  return Body()
      .put(layout::qp_attributes::qpn, qpn)
      .put(layout::qp_attributes::attr_mask, mask)
      .put(layout::qp_attributes::state, a.state)
      .put(layout::qp_attributes::cur_state, a.cur_state)
      .put(layout::qp_attributes::path_mtu, a.path_mtu)
      .put(layout::qp_attributes::access, a.access)
      .put(layout::qp_attributes::pkey_index, a.pkey_index)
      .put(layout::qp_attributes::port, a.port)
      .put(layout::qp_attributes::timeout, a.timeout)
      .put(layout::qp_attributes::retry_cnt, a.retry_cnt)
      .put(layout::qp_attributes::rnr_retry, a.rnr_retry)
      .put(layout::qp_attributes::min_rnr_timer, a.min_rnr_timer)
      .put(layout::qp_attributes::max_rd_atomic, a.max_rd_atomic)
      .put(layout::qp_attributes::max_dest_rd_atomic, a.max_dest_rd_atomic)
      .put(layout::qp_attributes::sgid_index, a.sgid_index)
      .put(layout::qp_attributes::hop_limit, a.hop_limit)
      .put(layout::qp_attributes::traffic_class, a.traffic_class)
      .put(layout::qp_attributes::dest_qpn, a.dest_qpn)
      .put(layout::qp_attributes::sq_psn, a.sq_psn)
      .put(layout::qp_attributes::rq_psn, a.rq_psn)
      .put(layout::qp_attributes::flow_label, a.flow_label)
      .put(layout::qp_attributes::dgid_hi, high_half(a.dgid))
      .put(layout::qp_attributes::dgid_lo, low_half(a.dgid))
      .put(layout::qp_attributes::dst_mac, a.dst_mac)
      .put(layout::qp_attributes::sl, a.sl)
      .put(layout::qp_attributes::flags, a.sqd_notify ? kFlagNotify : 0)
      .put(layout::qp_attributes::qkey, a.qkey);
}

QpAttributes attributes_of(const Body& body) {
  QpAttributes a;
  a.state = static_cast<QpState>(body.get(layout::qp_attributes::state));
  a.cur_state = a.state;
  a.path_mtu = body.get(layout::qp_attributes::path_mtu);
  a.access = body.get(layout::qp_attributes::access);
  a.pkey_index = body.get(layout::qp_attributes::pkey_index);
  a.port = body.get(layout::qp_attributes::port);
  a.timeout = body.get(layout::qp_attributes::timeout);
  a.retry_cnt = body.get(layout::qp_attributes::retry_cnt);
  a.rnr_retry = body.get(layout::qp_attributes::rnr_retry);
  a.min_rnr_timer = body.get(layout::qp_attributes::min_rnr_timer);
  a.max_rd_atomic = body.get(layout::qp_attributes::max_rd_atomic);
  a.max_dest_rd_atomic = body.get(layout::qp_attributes::max_dest_rd_atomic);
  a.sgid_index = body.get(layout::qp_attributes::sgid_index);
  a.hop_limit = body.get(layout::qp_attributes::hop_limit);
  a.traffic_class = body.get(layout::qp_attributes::traffic_class);
  a.sl = body.get(layout::qp_attributes::sl);
  a.dest_qpn = body.get(layout::qp_attributes::dest_qpn);
  a.sq_psn = body.get(layout::qp_attributes::sq_psn);
  a.rq_psn = body.get(layout::qp_attributes::rq_psn);
  a.flow_label = body.get(layout::qp_attributes::flow_label);
  a.sq_draining = (body.get(layout::qp_attributes::flags) & kFlagDraining) != 0;
  a.dst_mac = body.get(layout::qp_attributes::dst_mac);
  a.qkey = body.get(layout::qp_attributes::qkey);
  a.dgid = gid_of_halves(body.get(layout::qp_attributes::dgid_hi),
                         body.get(layout::qp_attributes::dgid_lo));
  return a;
}

}  // namespace roci::driver
