// SPDX-License-Identifier: Apache-2.0
// Commands QueryDevice, QueryPort and QueryCounters.
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kMaxQueueLog = 15;
constexpr uint32_t kMaxCqLog = 16;
constexpr uint32_t kPortActive = 4;    // as ibv_port_state
constexpr uint32_t kMtu4096 = 5;       // path MTU code
constexpr uint32_t kHeaderBytes = 84;  // IPv6 40, UDP 8, BTH 12, RETH 16, Imm 4, ICRC 4

}  // namespace

uint32_t active_mtu(const Device& device) {
  uint32_t code = 1;
  while (code < kMtu4096 && (mask_of(code + 8) + kHeaderBytes) <= device.port_mtu) ++code;
  return code;
}

Result query_device(Device* device, const Command&, Reply* reply) {
  namespace body = layout::query_device_reply;
  const Objects& objects = device->objects;
  reply->put(body::max_qp, objects.num_qps - kFirstQpn);
  reply->put(body::max_cq, objects.num_cqs);
  reply->put(body::max_mr, objects.max_regions());
  reply->put(body::max_pd, kMaxPds - kFirstPd);
  reply->put(body::max_qp_wr, mask_of(kMaxQueueLog));
  reply->put(body::max_cqe, mask_of(kMaxCqLog));
  reply->put(body::max_sge, layout::kMaxSge);
  reply->put(body::max_inline, layout::kMaxInline);
  reply->put(body::max_rd_atomic, kMaxRdAtomic);
  reply->put(body::max_gid, kMaxGids);
  reply->put(body::max_message, layout::kMaxMessage);
  reply->put(body::fw_version, kFirmwareVersion);
  reply->put(body::max_srq, objects.lacks(layout::Option::kSrq) ? 0 : objects.num_srqs);
  reply->put(body::max_srq_wr, mask_of(kMaxQueueLog));
  reply->put(body::max_pkeys, kMaxPkeys);
  reply->put(body::max_mw, objects.max_windows());
  reply->put(body::services, objects.services);
  reply->put(body::max_ah, objects.num_ahs);
  reply->put(body::absent, objects.absent);
  reply->put(body::max_attachments, objects.num_attachments);
  return ok();
}

Result query_port(Device* device, const Command&, Reply* reply) {
  namespace body = layout::query_port_reply;
  reply->put(body::state, kPortActive);
  reply->put(body::max_mtu, kMtu4096);
  reply->put(body::active_mtu, active_mtu(*device));
  reply->put(body::pkey, device->objects.pkey[0]);
  reply->put(body::mac, device->neighbours.mac());
  return ok();
}

Result query_counters(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::query_counters;
  constexpr uint32_t kPortCounters = number(layout::PortCounter::kDiscards) + 1;
  constexpr uint32_t kOfRc = number(layout::PortCounter::kRxEthernet) + 1;
  constexpr Place kFirstOfPort = layout::port_counters_reply::drop_icrc;
  constexpr Place kFirstOfQp = layout::qp_counters_reply::tx_packets;
  static_assert(layout::port_counters_reply::kBytes * 8 == kPortCounters * kFirstOfPort.bits);
  static_assert(layout::qp_counters_reply::kBytes == layout::kBlockBytes);
  const uint32_t of_qp = command.get32(body::of_qp);
  const uint32_t qpn = command.get32(body::qpn);
  if (of_qp > 1) return bad_parameter(body::of_qp);
  if (of_qp == 0) {
    if (qpn != 0) return bad_parameter(body::qpn);
    const bool rc_only = device->objects.services == mask_of(number(layout::Service::kRc));
    for (uint32_t i = 0; i < (rc_only ? kOfRc : kPortCounters); ++i) {
      reply->put({kFirstOfPort.offset + i * kFirstOfPort.bits, kFirstOfPort.bits},
                 device->port.port_counter(i));
    }
    return ok();
  }
  if (device->objects.lacks(layout::Option::kQpCounters)) return unsupported(body::of_qp);
  if (!device->objects.has_qp(qpn)) return bad_handle(body::qpn);
  Block row = {};
  if (!device->port.read_row(layout::Table::kQpCounters, qpn, &row)) return hardware_error();
  for (uint32_t i = 0; i <= number(layout::QpCounter::kNaksReceived); ++i) {
    const Place place = {kFirstOfQp.offset + i * kFirstOfQp.bits, kFirstOfQp.bits};
    reply->put(place, row.get(place));
  }
  return ok();
}

}  // namespace roci::fw
