// SPDX-License-Identifier: Apache-2.0
// Commands CreateQp, QueryQp and DestroyQp.
#include "firmware/commands/commands.hpp"
#include "firmware/commands/qp_rows.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kMaxLog = 15;
constexpr uint32_t kFlagDraining = mask_of(1);

bool is_queue(uint64_t base, uint32_t log, uint32_t stride_log) {
  return is_ring(base, uint64_t{layout::kBlockBytes} << (log + stride_log));
}

}  // namespace

bool write_service(Device* device, uint32_t qpn, const QueuePair& qp,
                   const QpAttributes& attributes) {
  const bool rc_only = device->objects.services == mask_of(number(layout::Service::kRc));
  return rc_only ||
         device->port.write_row(layout::Table::kQpService, qpn, service_row(qp, attributes));
}

Result create_qp(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::create_qp;
  Objects& objects = device->objects;
  const uint32_t pd = command.get32(body::pd);
  const uint32_t send_cqn = command.get32(body::send_cqn);
  const uint32_t recv_cqn = command.get32(body::recv_cqn);
  const uint32_t sq_log = command.get32(body::sq_log);
  const uint32_t sq_stride = command.get32(body::sq_stride_log);
  const uint32_t rq_log = command.get32(body::rq_log);
  const uint32_t rq_stride = command.get32(body::rq_stride_log);
  QueuePair qp = {};
  qp.used = true;
  qp.pasid = command.get32(body::pasid);
  qp.sq_base = command.get(body::sq_base);
  const uint32_t srq = command.get32(body::srq);
  const uint32_t srqn = command.get32(body::srqn);
  const uint32_t credits = command.get32(body::credits);
  const uint32_t service = command.get32(body::service);
  if (!objects.has_pd(pd)) return bad_handle(body::pd);
  if (!objects.has_cq(send_cqn)) return bad_handle(body::send_cqn);
  if (!objects.has_cq(recv_cqn)) return bad_handle(body::recv_cqn);
  if (!is_pasid(qp.pasid)) return bad_parameter(body::pasid);
  if (sq_log < 1 || sq_log > kMaxLog) return bad_parameter(body::sq_log);
  if (sq_stride > layout::kMaxStrideLog) return bad_parameter(body::sq_stride_log);
  if (!is_queue(qp.sq_base, sq_log, sq_stride)) return bad_parameter(body::sq_base);
  if (srq > 1) return bad_parameter(body::srq);
  if (credits > 1) return bad_parameter(body::credits);
  if (service > number(layout::Service::kUd)) return bad_parameter(body::service);
  qp.service = static_cast<layout::Service>(service);
  if (!objects.has_service(qp.service)) return unsupported(body::service);
  if (srq != 0) {
    if (!objects.has_srq(srqn)) return bad_handle(body::srqn);
    qp.srqn = static_cast<uint16_t>(srqn);
  } else {
    qp.rq_base = command.get(body::rq_base);
    if (rq_log < 1 || rq_log > kMaxLog) return bad_parameter(body::rq_log);
    if (rq_stride > layout::kMaxStrideLog) return bad_parameter(body::rq_stride_log);
    if (!is_queue(qp.rq_base, rq_log, rq_stride)) return bad_parameter(body::rq_base);
    qp.rq_log = static_cast<uint8_t>(rq_log);
    qp.rq_stride_log = static_cast<uint8_t>(rq_stride);
  }
  if (objects.free_qps.empty()) return no_resource();

  qp.pd = static_cast<uint16_t>(pd);
  qp.send_cqn = static_cast<uint16_t>(send_cqn);
  qp.recv_cqn = static_cast<uint16_t>(recv_cqn);
  qp.sq_log = static_cast<uint8_t>(sq_log);
  qp.sq_stride_log = static_cast<uint8_t>(sq_stride);
  qp.srq = srq != 0;
  qp.credits = credits != 0;
  const uint32_t qpn = objects.free_qps.take();
  if (!device->port.write_row(layout::Table::kQpAttr, qpn, attribute_row(qp, qp.attributes)) ||
      !write_service(device, qpn, qp, qp.attributes) ||
      !device->port.write_state(qpn, layout::QpState::kReset)) {
    objects.free_qps.give(qpn);
    return hardware_error();
  }
  objects.qp[qpn] = qp;
  ++objects.pd[pd].users;
  ++objects.cq[send_cqn].users;
  ++objects.cq[recv_cqn].users;
  if (qp.srq) ++objects.srq[srqn].users;
  reply->put(layout::create_qp_reply::qpn, qpn);
  return ok();
}

Result query_qp(Device* device, const Command& command, Reply* reply) {
  const uint32_t qpn = command.get32(layout::query_qp::qpn);
  if (!device->objects.has_qp(qpn)) return bad_handle(layout::query_qp::qpn);
  const QueuePair& qp = device->objects.qp[qpn];
  layout::QpState state = {};
  Block live = {};
  if (!device->port.read_state(qpn, &state) ||
      !device->port.read_row(layout::Table::kQpLive, qpn, &live)) {
    return hardware_error();
  }
  namespace body = layout::qp_attributes;
  const QpAttributes& attributes = qp.attributes;
  reply->put(body::qpn, qpn);
  reply->put(body::state, state);
  reply->put(body::cur_state, state);
  reply->put(body::path_mtu, attributes.path_mtu);
  reply->put(body::access, attributes.access);
  reply->put(body::pkey_index, attributes.pkey_index);
  reply->put(body::port, attributes.port);
  reply->put(body::timeout, attributes.timeout);
  reply->put(body::retry_cnt, attributes.retry_cnt);
  reply->put(body::rnr_retry, attributes.rnr_retry);
  reply->put(body::min_rnr_timer, attributes.min_rnr_timer);
  reply->put(body::max_rd_atomic, attributes.max_rd_atomic);
  reply->put(body::max_dest_rd_atomic, attributes.max_dest_rd_atomic);
  reply->put(body::sgid_index, attributes.sgid_index);
  reply->put(body::hop_limit, attributes.hop_limit);
  reply->put(body::traffic_class, attributes.traffic_class);
  reply->put(body::dest_qpn, attributes.dest_qpn);
  reply->put(body::sq_psn, qp.has_sq ? live.get(layout::qp_live::sq_psn) : attributes.sq_psn);
  reply->put(body::rq_psn, qp.has_av ? live.get(layout::qp_live::rq_psn) : attributes.rq_psn);
  reply->put(body::flow_label, attributes.flow_label);
  reply->put(body::qkey, attributes.qkey);
  reply->put(body::dgid_hi, attributes.dgid.hi);
  reply->put(body::dgid_lo, attributes.dgid.lo);
  reply->put(body::dst_mac, attributes.dst_mac);
  reply->put(body::sl, attributes.sl);
  const bool draining = state == layout::QpState::kSqd && live.get(layout::qp_live::sq_idle) == 0;
  reply->put(body::flags, draining ? kFlagDraining : 0);
  return ok();
}

Result destroy_qp(Device* device, const Command& command, Reply*) {
  namespace body = layout::destroy_qp;
  Objects& objects = device->objects;
  const uint32_t qpn = command.get32(body::qpn);
  if (!objects.has_qp(qpn)) return bad_handle(body::qpn);
  if (objects.qp[qpn].attachments != 0) return busy(body::qpn);
  if (!device->port.write_state(qpn, layout::QpState::kReset) || !device->port.fence()) {
    return hardware_error();
  }
  QueuePair& qp = objects.qp[qpn];
  --objects.pd[qp.pd].users;
  --objects.cq[qp.send_cqn].users;
  --objects.cq[qp.recv_cqn].users;
  if (qp.srq) --objects.srq[qp.srqn].users;
  forget_drain(&objects, &qp);
  qp = QueuePair();
  objects.free_qps.give(qpn);
  return ok();
}

}  // namespace roci::fw
