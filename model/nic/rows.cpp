// SPDX-License-Identifier: Apache-2.0
#include "model/nic/rows.hpp"

#include <algorithm>

#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/transport/rules.hpp"

namespace roci::nic {
namespace {

using layout::Place;

packet::Gid address(const Row& row, Place place, bool ipv6) {
  const std::uint64_t low = layout::get_memory(row.data(), {place.offset, 64});
  if (!ipv6) return packet::gid_from_ipv4(static_cast<std::uint32_t>(low));
  const std::uint64_t high = layout::get_memory(row.data(), {place.offset + 64, 64});
  packet::Gid gid;
  layout::put_wire(gid.data(), {0, 64}, high);
  layout::put_wire(gid.data(), {64, 64}, low);
  return gid;
}

constexpr unsigned kMostPmtuCode = 5;

}  // namespace

QpAttr decode_qp_attr(const Row& row) {
  QpAttr r;
  r.pd = get(row.data(), layout::qp_attr::pd);
  r.pasid = get(row.data(), layout::qp_attr::pasid);
  r.access = get(row.data(), layout::qp_attr::access);
  r.pmtu = transport::pmtu_bytes(
      std::clamp<unsigned>(get(row.data(), layout::qp_attr::pmtu), 1, kMostPmtuCode));
  r.retry_cnt = get(row.data(), layout::qp_attr::retry_cnt);
  r.rnr_retry = get(row.data(), layout::qp_attr::rnr_retry);
  r.timeout = get(row.data(), layout::qp_attr::timeout);
  r.min_rnr_timer = get(row.data(), layout::qp_attr::min_rnr_timer);
  r.max_rd_atomic = get(row.data(), layout::qp_attr::max_rd_atomic);
  r.max_dest_rd_atomic = get(row.data(), layout::qp_attr::max_dest_rd_atomic);
  r.send_cqn = get(row.data(), layout::qp_attr::send_cqn);
  r.recv_cqn = get(row.data(), layout::qp_attr::recv_cqn);
  r.sq_base = get(row.data(), layout::qp_attr::sq_base);
  r.sq_log = get(row.data(), layout::qp_attr::sq_log);
  r.sq_stride_log =
      std::min<unsigned>(get(row.data(), layout::qp_attr::sq_stride_log), layout::kMaxStrideLog);
  r.rq_base = get(row.data(), layout::qp_attr::rq_base);
  r.rq_log = get(row.data(), layout::qp_attr::rq_log);
  r.rq_stride_log =
      std::min<unsigned>(get(row.data(), layout::qp_attr::rq_stride_log), layout::kMaxStrideLog);
  r.sq_psn = transport::Psn(get(row.data(), layout::qp_attr::sq_psn));
  r.rq_psn = transport::Psn(get(row.data(), layout::qp_attr::rq_psn));
  r.srq = get(row.data(), layout::qp_attr::srq);
  r.srqn = get(row.data(), layout::qp_attr::srqn);
  r.credits = get(row.data(), layout::qp_attr::credits);
  return r;
}

Av decode_av(const Row& row) {
  Av r;
  r.dst_mac = get(row.data(), layout::av::dst_mac);
  r.src_mac = get(row.data(), layout::av::src_mac);
  r.ipv6 = get(row.data(), layout::av::ipv6);
  r.dst = address(row, layout::av::dst_ip, r.ipv6);
  r.src = address(row, layout::av::src_ip, r.ipv6);
  r.vlan = get(row.data(), layout::av::vlan);
  r.vlan_tci = get(row.data(), layout::av::vlan_tci);
  r.traffic_class = get(row.data(), layout::av::traffic_class);
  r.hop_limit = get(row.data(), layout::av::hop_limit);
  r.flow_label = get(row.data(), layout::av::flow_label);
  r.src_port = get(row.data(), layout::av::src_port);
  r.pkey = get(row.data(), layout::av::pkey);
  r.dest_qpn = get(row.data(), layout::av::dest_qpn);
  r.roce_v1 = get(row.data(), layout::av::roce_v1);
  return r;
}

Ah decode_ah(const Row& row) {
  static_assert(layout::ah::av.offset == 0);
  Ah r;
  r.valid = get(row.data(), layout::ah::valid);
  r.pd = get(row.data(), layout::ah::pd);
  r.av = decode_av(row);
  return r;
}

OwnGid decode_gid(const Row& row) {
  OwnGid r;
  r.valid = get(row.data(), layout::gid::valid);
  r.roce_v1 = get(row.data(), layout::gid::roce_v1);
  r.vlan = get(row.data(), layout::gid::vlan);
  r.vid = get(row.data(), layout::gid::vid);
  r.gid = address(row, layout::gid::gid, true);
  return r;
}

Attachment decode_attachment(const Row& row) {
  Attachment r;
  r.valid = get(row.data(), layout::multicast::valid);
  r.more = get(row.data(), layout::multicast::more);
  r.qpn = get(row.data(), layout::multicast::qpn);
  r.group = address(row, layout::multicast::gid, true);
  return r;
}

Key decode_key(const Row& row) {
  Key r;
  r.valid = get(row.data(), layout::key::valid);
  r.variant = get(row.data(), layout::key::variant);
  r.pd = get(row.data(), layout::key::pd);
  r.access = get(row.data(), layout::key::access);
  r.pasid = get(row.data(), layout::key::pasid);
  r.iova = get(row.data(), layout::key::iova);
  r.length = get(row.data(), layout::key::length);
  r.addr = get(row.data(), layout::key::addr);
  r.kind = static_cast<KeyKind>(get(row.data(), layout::key::kind));
  r.remote_only = get(row.data(), layout::key::remote_only);
  r.qpn = get(row.data(), layout::key::qpn);
  r.parent = get(row.data(), layout::key::parent);
  return r;
}

Row encode(const Key& key) {
  Row row{};
  const auto put = [&](auto field, auto value) { layout::put(row.data(), field, value); };
  put(layout::key::valid, key.valid);
  put(layout::key::variant, key.variant);
  put(layout::key::pd, key.pd);
  put(layout::key::access, key.access);
  put(layout::key::pasid, key.pasid);
  put(layout::key::iova, key.iova);
  put(layout::key::length, key.length);
  put(layout::key::addr, key.addr);
  put(layout::key::kind, key.kind);
  put(layout::key::remote_only, key.remote_only);
  put(layout::key::qpn, key.qpn);
  put(layout::key::parent, key.parent);
  return row;
}

Cq decode_cq(const Row& row) {
  Cq r;
  r.valid = get(row.data(), layout::cq::valid);
  r.pasid = get(row.data(), layout::cq::pasid);
  r.base = get(row.data(), layout::cq::base);
  r.log = get(row.data(), layout::cq::log);
  r.moderation_count = get(row.data(), layout::cq::moderation_count);
  r.moderation_period_us = layout::get(row.data(), layout::cq::moderation_period);
  r.resize = get(row.data(), layout::cq::resize);
  return r;
}

Srq decode_srq(const Row& row) {
  Srq r;
  r.valid = get(row.data(), layout::srq::valid);
  r.pd = get(row.data(), layout::srq::pd);
  r.pasid = get(row.data(), layout::srq::pasid);
  r.base = get(row.data(), layout::srq::base);
  r.log = get(row.data(), layout::srq::log);
  r.stride_log =
      std::min<unsigned>(get(row.data(), layout::srq::stride_log), layout::kMaxStrideLog);
  r.limit = get(row.data(), layout::srq::limit);
  return r;
}

Wqe decode_wqe(const std::uint8_t* block) {
  Wqe wqe;
  const auto field = [&](auto place) { return get(block, place); };
  wqe.opcode = field(layout::wqe::opcode);
  wqe.signaled = field(layout::wqe::signaled);
  wqe.solicited = field(layout::wqe::solicited);
  wqe.fence = field(layout::wqe::fence);
  wqe.inline_data = field(layout::wqe::inline_data);
  wqe.num_sge = field(layout::wqe::num_sge);
  wqe.imm = field(layout::wqe::imm);
  wqe.length = field(layout::wqe::length);
  wqe.rkey = field(layout::wqe::rkey);
  wqe.remote_addr = field(layout::wqe::remote_addr);
  wqe.swap_add = field(layout::wqe::swap_add);
  wqe.compare = field(layout::wqe::compare);
  wqe.qkey = field(layout::ud_wqe::qkey);
  wqe.dest_qpn = field(layout::ud_wqe::dest_qpn);
  wqe.ah = field(layout::ud_wqe::ah);
  wqe.sge[0] = {field(layout::wqe::sge0_addr), field(layout::wqe::sge0_length),
                field(layout::wqe::sge0_lkey)};
  return wqe;
}

void decode_list(const std::uint8_t* blocks, Wqe* wqe) {
  for (unsigned i = 1; i < std::min(wqe->num_sge, layout::kMaxSge); ++i) {
    const std::uint8_t* entry = blocks + (i - 1) * layout::kSgeBytes;
    wqe->sge[i] = {layout::get(entry, layout::sge::addr), layout::get(entry, layout::sge::length),
                   layout::get(entry, layout::sge::lkey)};
  }
}

}  // namespace roci::nic
