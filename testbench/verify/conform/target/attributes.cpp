// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/target/attributes.hpp"

#include "driver/context.hpp"

namespace roci::conform {

driver::QpAttributes attributes_of(const agent_attributes& is) {
  driver::QpAttributes a;
  a.state = static_cast<driver::QpState>(is.state);
  a.cur_state = static_cast<driver::QpState>(is.cur_state);
  a.path_mtu = static_cast<std::uint8_t>(is.path_mtu);
  a.access = static_cast<std::uint32_t>(is.access);
  a.pkey_index = static_cast<std::uint16_t>(is.pkey_index);
  a.port = static_cast<std::uint8_t>(is.port);
  a.timeout = static_cast<std::uint8_t>(is.timeout);
  a.retry_cnt = static_cast<std::uint8_t>(is.retry_cnt);
  a.rnr_retry = static_cast<std::uint8_t>(is.rnr_retry);
  a.min_rnr_timer = static_cast<std::uint8_t>(is.min_rnr_timer);
  a.max_rd_atomic = static_cast<std::uint8_t>(is.max_rd_atomic);
  a.max_dest_rd_atomic = static_cast<std::uint8_t>(is.max_dest_rd_atomic);
  a.dest_qpn = static_cast<std::uint32_t>(is.dest_qpn);
  a.sq_psn = static_cast<std::uint32_t>(is.sq_psn);
  a.rq_psn = static_cast<std::uint32_t>(is.rq_psn);
  a.qkey = static_cast<std::uint32_t>(is.qkey);
  a.dgid = driver::gid_of_halves(is.path.dgid_high, is.path.dgid_low);
  a.sgid_index = static_cast<std::uint8_t>(is.path.sgid_index);
  a.hop_limit = static_cast<std::uint8_t>(is.path.hop_limit);
  a.traffic_class = static_cast<std::uint8_t>(is.path.traffic_class);
  a.sl = static_cast<std::uint8_t>(is.path.sl);
  a.flow_label = static_cast<std::uint32_t>(is.path.flow_label);
  return a;
}

}  // namespace roci::conform
