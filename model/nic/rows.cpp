// SPDX-License-Identifier: Apache-2.0
#include "model/nic/rows.hpp"

#include <algorithm>

#include "model/transport/rules.hpp"

namespace roci::nic {
namespace {

using spec::Place;
using spec::place_of;

packet::Gid address(const Row& row, Place place, bool ipv6) {
  const std::uint64_t low = spec::get_memory(row.data(), {place.offset, 64});
  if (!ipv6) return packet::gid_from_ipv4(static_cast<std::uint32_t>(low));
  const std::uint64_t high = spec::get_memory(row.data(), {place.offset + 64, 64});
  packet::Gid gid;
  spec::put_wire(gid.data(), {0, 64}, high);
  spec::put_wire(gid.data(), {64, 64}, low);
  return gid;
}

constexpr unsigned kMostPmtuCode = 5;

}  // namespace

#define ROCI_FROM(table, name) \
  static_cast<decltype(r.name)>(spec::get_memory(row.data(), place_of(spec::table, #name)))

QpAttr decode_qp_attr(const Row& row) {
  QpAttr r;
  const auto field = [&](Place place) {
    return static_cast<unsigned>(spec::get_memory(row.data(), place));
  };
  r.pd = ROCI_FROM(kQpAttr, pd);
  r.pasid = ROCI_FROM(kQpAttr, pasid);
  r.access = ROCI_FROM(kQpAttr, access);
  r.pmtu =
      transport::pmtu_bytes(std::clamp(field(place_of(spec::kQpAttr, "pmtu")), 1u, kMostPmtuCode));
  r.retry_cnt = ROCI_FROM(kQpAttr, retry_cnt);
  r.rnr_retry = ROCI_FROM(kQpAttr, rnr_retry);
  r.timeout = ROCI_FROM(kQpAttr, timeout);
  r.min_rnr_timer = ROCI_FROM(kQpAttr, min_rnr_timer);
  r.max_rd_atomic = ROCI_FROM(kQpAttr, max_rd_atomic);
  r.max_dest_rd_atomic = ROCI_FROM(kQpAttr, max_dest_rd_atomic);
  r.send_cqn = ROCI_FROM(kQpAttr, send_cqn);
  r.recv_cqn = ROCI_FROM(kQpAttr, recv_cqn);
  r.sq_base = ROCI_FROM(kQpAttr, sq_base);
  r.sq_log = ROCI_FROM(kQpAttr, sq_log);
  r.sq_stride_log = std::min(ROCI_FROM(kQpAttr, sq_stride_log), spec::kMaxStrideLog);
  r.rq_base = ROCI_FROM(kQpAttr, rq_base);
  r.rq_log = ROCI_FROM(kQpAttr, rq_log);
  r.rq_stride_log = std::min(ROCI_FROM(kQpAttr, rq_stride_log), spec::kMaxStrideLog);
  r.sq_psn = transport::Psn(field(place_of(spec::kQpAttr, "sq_psn")));
  r.rq_psn = transport::Psn(field(place_of(spec::kQpAttr, "rq_psn")));
  r.srq = ROCI_FROM(kQpAttr, srq);
  r.srqn = ROCI_FROM(kQpAttr, srqn);
  r.credits = ROCI_FROM(kQpAttr, credits);
  return r;
}

Av decode_av(const Row& row) {
  Av r;
  r.dst_mac = ROCI_FROM(kAv, dst_mac);
  r.src_mac = ROCI_FROM(kAv, src_mac);
  r.ipv6 = ROCI_FROM(kAv, ipv6);
  r.dst = address(row, place_of(spec::kAv, "dst_ip"), r.ipv6);
  r.src = address(row, place_of(spec::kAv, "src_ip"), r.ipv6);
  r.vlan = ROCI_FROM(kAv, vlan);
  r.vlan_tci = ROCI_FROM(kAv, vlan_tci);
  r.traffic_class = ROCI_FROM(kAv, traffic_class);
  r.hop_limit = ROCI_FROM(kAv, hop_limit);
  r.flow_label = ROCI_FROM(kAv, flow_label);
  r.src_port = ROCI_FROM(kAv, src_port);
  r.pkey = ROCI_FROM(kAv, pkey);
  r.dest_qpn = ROCI_FROM(kAv, dest_qpn);
  r.roce_v1 = ROCI_FROM(kAv, roce_v1);
  return r;
}

Key decode_key(const Row& row) {
  Key r;
  r.valid = ROCI_FROM(kKey, valid);
  r.variant = ROCI_FROM(kKey, variant);
  r.pd = ROCI_FROM(kKey, pd);
  r.access = ROCI_FROM(kKey, access);
  r.pasid = ROCI_FROM(kKey, pasid);
  r.iova = ROCI_FROM(kKey, iova);
  r.length = ROCI_FROM(kKey, length);
  r.addr = ROCI_FROM(kKey, addr);
  r.kind = ROCI_FROM(kKey, kind);
  r.remote_only = ROCI_FROM(kKey, remote_only);
  r.qpn = ROCI_FROM(kKey, qpn);
  r.parent = ROCI_FROM(kKey, parent);
  return r;
}

Row encode(const Key& key) {
  Row row{};
  const auto put = [&](Place place, std::uint64_t value) {
    spec::put_memory(row.data(), place, value);
  };
  put(place_of(spec::kKey, "valid"), key.valid);
  put(place_of(spec::kKey, "variant"), key.variant);
  put(place_of(spec::kKey, "pd"), key.pd);
  put(place_of(spec::kKey, "access"), key.access);
  put(place_of(spec::kKey, "pasid"), key.pasid);
  put(place_of(spec::kKey, "iova"), key.iova);
  put(place_of(spec::kKey, "length"), key.length);
  put(place_of(spec::kKey, "addr"), key.addr);
  put(place_of(spec::kKey, "kind"), static_cast<std::uint64_t>(key.kind));
  put(place_of(spec::kKey, "remote_only"), key.remote_only);
  put(place_of(spec::kKey, "qpn"), key.qpn);
  put(place_of(spec::kKey, "parent"), key.parent);
  return row;
}

Cq decode_cq(const Row& row) {
  Cq r;
  r.valid = ROCI_FROM(kCq, valid);
  r.pasid = ROCI_FROM(kCq, pasid);
  r.base = ROCI_FROM(kCq, base);
  r.log = ROCI_FROM(kCq, log);
  r.moderation_count = ROCI_FROM(kCq, moderation_count);
  r.moderation_period_us =
      static_cast<unsigned>(spec::get_memory(row.data(), place_of(spec::kCq, "moderation_period")));
  r.resize = ROCI_FROM(kCq, resize);
  return r;
}

Srq decode_srq(const Row& row) {
  Srq r;
  r.valid = ROCI_FROM(kSrq, valid);
  r.pd = ROCI_FROM(kSrq, pd);
  r.pasid = ROCI_FROM(kSrq, pasid);
  r.base = ROCI_FROM(kSrq, base);
  r.log = ROCI_FROM(kSrq, log);
  r.stride_log = std::min(ROCI_FROM(kSrq, stride_log), spec::kMaxStrideLog);
  r.limit = ROCI_FROM(kSrq, limit);
  return r;
}

#undef ROCI_FROM

Wqe decode_wqe(const std::uint8_t* block) {
  Wqe wqe;
  const auto field = [&](Place place) { return spec::get_memory(block, place); };
  const auto number = [&](Place place) { return static_cast<std::uint32_t>(field(place)); };
  wqe.opcode = static_cast<std::uint8_t>(field(place_of(spec::kWqe, "opcode")));
  wqe.signaled = field(place_of(spec::kWqe, "signaled")) != 0;
  wqe.solicited = field(place_of(spec::kWqe, "solicited")) != 0;
  wqe.fence = field(place_of(spec::kWqe, "fence")) != 0;
  wqe.inline_data = field(place_of(spec::kWqe, "inline_data")) != 0;
  wqe.num_sge = number(place_of(spec::kWqe, "num_sge"));
  wqe.imm = number(place_of(spec::kWqe, "imm"));
  wqe.length = number(place_of(spec::kWqe, "length"));
  wqe.rkey = number(place_of(spec::kWqe, "rkey"));
  wqe.remote_addr = field(place_of(spec::kWqe, "remote_addr"));
  wqe.swap_add = field(place_of(spec::kWqe, "swap_add"));
  wqe.compare = field(place_of(spec::kWqe, "compare"));
  wqe.sge[0] = {field(place_of(spec::kWqe, "sge0_addr")),
                number(place_of(spec::kWqe, "sge0_length")),
                number(place_of(spec::kWqe, "sge0_lkey"))};
  return wqe;
}

void decode_list(const std::uint8_t* blocks, Wqe* wqe) {
  for (unsigned i = 1; i < std::min(wqe->num_sge, spec::kMaxSge); ++i) {
    const std::uint8_t* entry = blocks + (i - 1) * spec::kSgeBytes;
    wqe->sge[i] = {
        spec::get_memory(entry, place_of(spec::kSge, "addr")),
        static_cast<std::uint32_t>(spec::get_memory(entry, place_of(spec::kSge, "length"))),
        static_cast<std::uint32_t>(spec::get_memory(entry, place_of(spec::kSge, "lkey")))};
  }
}

}  // namespace roci::nic
