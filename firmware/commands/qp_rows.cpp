// SPDX-License-Identifier: Apache-2.0
#include "firmware/commands/qp_rows.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kPortBase = 0xC000;
constexpr unsigned kPortBits = 14;
constexpr uint32_t kPortMask = mask_of(kPortBits) - 1;
constexpr uint32_t kGoldenRatio = 0x9E3779B1;  // 2^32 / phi: spreads consecutive numbers
constexpr uint32_t kDefaultHopLimit = 64;
constexpr unsigned kPcpShift = 13;  // position in the VLAN TCI

/// Sets the addresses of RoCE v1, which carries whole GIDs, also of IPv4 addresses.
void put_address(Block* block, Place place, const Gid& gid, bool whole) {
  const bool ipv4 = gid.is_ipv4() && !whole;
  block->put({place.offset, 64}, ipv4 ? gid.ipv4() : gid.lo);
  block->put({place.offset + 64, 64}, ipv4 ? 0 : gid.hi);
}

}  // namespace

uint32_t source_port(uint32_t spread, uint32_t flow_label) {
  if (flow_label != 0) return kPortBase | ((flow_label & kPortMask) ^ flow_label >> kPortBits);
  return kPortBase | spread * kGoldenRatio >> (32 - kPortBits);
}

Block attribute_row(const QueuePair& qp, const QpAttributes& attributes) {
  namespace row = layout::qp_attr;
  Block block = {};
  block.put(row::pd, qp.pd);
  block.put(row::pasid, qp.pasid);
  block.put(row::access, attributes.access);
  block.put(row::pmtu, attributes.path_mtu);
  block.put(row::retry_cnt, attributes.retry_cnt);
  block.put(row::rnr_retry, attributes.rnr_retry);
  block.put(row::timeout, attributes.timeout);
  block.put(row::min_rnr_timer, attributes.min_rnr_timer);
  block.put(row::max_rd_atomic, attributes.max_rd_atomic);
  block.put(row::max_dest_rd_atomic, attributes.max_dest_rd_atomic);
  block.put(row::send_cqn, qp.send_cqn);
  block.put(row::recv_cqn, qp.recv_cqn);
  block.put(row::sq_base, qp.sq_base);
  block.put(row::sq_log, qp.sq_log);
  block.put(row::sq_stride_log, qp.sq_stride_log);
  block.put(row::rq_base, qp.rq_base);
  block.put(row::rq_log, qp.rq_log);
  block.put(row::rq_stride_log, qp.rq_stride_log);
  block.put(row::sq_psn, attributes.sq_psn);
  block.put(row::rq_psn, attributes.rq_psn);
  block.put(row::srq, qp.srq);
  block.put(row::srqn, qp.srqn);
  block.put(row::credits, qp.credits);
  return block;
}

Block service_row(const QueuePair& qp, const QpAttributes& attributes) {
  Block block = {};
  block.put(layout::qp_service::service, qp.service);
  block.put(layout::qp_service::qkey, attributes.qkey);
  return block;
}

Block partition_row(const Device& device, const QpAttributes& attributes) {
  Block block = {};
  block.put(layout::av::pkey, device.objects.pkey[attributes.pkey_index]);
  return block;
}

Block address_row(const Device& device, uint32_t spread, const QpAttributes& attributes,
                  Mac dst_mac) {
  namespace row = layout::av;
  const GidEntry& own = device.gids.entry[attributes.sgid_index];
  Block block = {};
  block.put(row::dst_mac, dst_mac);
  block.put(row::src_mac, device.neighbours.mac());
  put_address(&block, row::dst_ip, attributes.dgid, own.roce_v1);
  put_address(&block, row::src_ip, own.gid, own.roce_v1);
  block.put(row::ipv6, own.gid.is_ipv4() && !own.roce_v1 ? 0 : 1);
  block.put(row::roce_v1, own.roce_v1);
  block.put(row::vlan, own.lan.tagged);
  if (own.lan.tagged) {
    block.put(row::vlan_tci, static_cast<uint32_t>(attributes.sl) << kPcpShift | own.lan.vid);
  }
  block.put(row::traffic_class, attributes.traffic_class);
  block.put(row::hop_limit, attributes.hop_limit != 0 ? attributes.hop_limit : kDefaultHopLimit);
  block.put(row::flow_label, attributes.flow_label);
  block.put(row::src_port, source_port(spread, attributes.flow_label));
  block.put(row::pkey, device.objects.pkey[attributes.pkey_index]);
  block.put(row::dest_qpn, attributes.dest_qpn);
  return block;
}

}  // namespace roci::fw
