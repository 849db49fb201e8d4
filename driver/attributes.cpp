// SPDX-License-Identifier: Apache-2.0
#include "driver/attributes.hpp"

namespace roci::driver {
namespace {

constexpr std::uint64_t kFlagNotify = 1;
constexpr std::uint64_t kFlagDraining = 2;

}  // namespace

Body body_of(std::uint32_t qpn, const QpAttributes& a, std::uint32_t mask) {
  std::uint64_t gid_hi = 0;
  std::uint64_t gid_lo = 0;
  for (unsigned i = 0; i < 8; ++i) {
    gid_hi = gid_hi << 8 | a.dgid[i];
    gid_lo = gid_lo << 8 | a.dgid[8 + i];
  }
  return Body()
      .put(place_of(spec::kQpAttributes, "qpn"), qpn)
      .put(place_of(spec::kQpAttributes, "attr_mask"), mask)
      .put(place_of(spec::kQpAttributes, "state"), static_cast<std::uint64_t>(a.state))
      .put(place_of(spec::kQpAttributes, "cur_state"), static_cast<std::uint64_t>(a.cur_state))
      .put(place_of(spec::kQpAttributes, "path_mtu"), a.path_mtu)
      .put(place_of(spec::kQpAttributes, "access"), a.access)
      .put(place_of(spec::kQpAttributes, "pkey_index"), a.pkey_index)
      .put(place_of(spec::kQpAttributes, "port"), a.port)
      .put(place_of(spec::kQpAttributes, "timeout"), a.timeout)
      .put(place_of(spec::kQpAttributes, "retry_cnt"), a.retry_cnt)
      .put(place_of(spec::kQpAttributes, "rnr_retry"), a.rnr_retry)
      .put(place_of(spec::kQpAttributes, "min_rnr_timer"), a.min_rnr_timer)
      .put(place_of(spec::kQpAttributes, "max_rd_atomic"), a.max_rd_atomic)
      .put(place_of(spec::kQpAttributes, "max_dest_rd_atomic"), a.max_dest_rd_atomic)
      .put(place_of(spec::kQpAttributes, "sgid_index"), a.sgid_index)
      .put(place_of(spec::kQpAttributes, "hop_limit"), a.hop_limit)
      .put(place_of(spec::kQpAttributes, "traffic_class"), a.traffic_class)
      .put(place_of(spec::kQpAttributes, "dest_qpn"), a.dest_qpn)
      .put(place_of(spec::kQpAttributes, "sq_psn"), a.sq_psn)
      .put(place_of(spec::kQpAttributes, "rq_psn"), a.rq_psn)
      .put(place_of(spec::kQpAttributes, "flow_label"), a.flow_label)
      .put(place_of(spec::kQpAttributes, "dgid_hi"), gid_hi)
      .put(place_of(spec::kQpAttributes, "dgid_lo"), gid_lo)
      .put(place_of(spec::kQpAttributes, "dst_mac"), a.dst_mac)
      .put(place_of(spec::kQpAttributes, "sl"), a.sl)
      .put(place_of(spec::kQpAttributes, "flags"), a.sqd_notify ? kFlagNotify : 0);
}

QpAttributes attributes_of(const Body& body) {
  const auto byte = [&](spec::Place place) { return static_cast<std::uint8_t>(body.get(place)); };
  const auto word = [&](spec::Place place) { return static_cast<std::uint32_t>(body.get(place)); };
  QpAttributes a;
  a.state = static_cast<QpState>(byte(place_of(spec::kQpAttributes, "state")));
  a.cur_state = a.state;
  a.path_mtu = byte(place_of(spec::kQpAttributes, "path_mtu"));
  a.access = byte(place_of(spec::kQpAttributes, "access"));
  a.pkey_index = static_cast<std::uint16_t>(body.get(place_of(spec::kQpAttributes, "pkey_index")));
  a.port = byte(place_of(spec::kQpAttributes, "port"));
  a.timeout = byte(place_of(spec::kQpAttributes, "timeout"));
  a.retry_cnt = byte(place_of(spec::kQpAttributes, "retry_cnt"));
  a.rnr_retry = byte(place_of(spec::kQpAttributes, "rnr_retry"));
  a.min_rnr_timer = byte(place_of(spec::kQpAttributes, "min_rnr_timer"));
  a.max_rd_atomic = byte(place_of(spec::kQpAttributes, "max_rd_atomic"));
  a.max_dest_rd_atomic = byte(place_of(spec::kQpAttributes, "max_dest_rd_atomic"));
  a.sgid_index = byte(place_of(spec::kQpAttributes, "sgid_index"));
  a.hop_limit = byte(place_of(spec::kQpAttributes, "hop_limit"));
  a.traffic_class = byte(place_of(spec::kQpAttributes, "traffic_class"));
  a.sl = byte(place_of(spec::kQpAttributes, "sl"));
  a.dest_qpn = word(place_of(spec::kQpAttributes, "dest_qpn"));
  a.sq_psn = word(place_of(spec::kQpAttributes, "sq_psn"));
  a.rq_psn = word(place_of(spec::kQpAttributes, "rq_psn"));
  a.flow_label = word(place_of(spec::kQpAttributes, "flow_label"));
  a.sq_draining = (byte(place_of(spec::kQpAttributes, "flags")) & kFlagDraining) != 0;
  a.dst_mac = body.get(place_of(spec::kQpAttributes, "dst_mac"));
  const std::uint64_t gid_hi = body.get(place_of(spec::kQpAttributes, "dgid_hi"));
  const std::uint64_t gid_lo = body.get(place_of(spec::kQpAttributes, "dgid_lo"));
  for (unsigned i = 0; i < 8; ++i) {
    a.dgid[i] = static_cast<std::uint8_t>(gid_hi >> (56 - 8 * i));
    a.dgid[8 + i] = static_cast<std::uint8_t>(gid_lo >> (56 - 8 * i));
  }
  return a;
}

}  // namespace roci::driver
