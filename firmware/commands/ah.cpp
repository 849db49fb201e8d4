// SPDX-License-Identifier: Apache-2.0
// Commands CreateAh and DestroyAh.
#include "firmware/commands/commands.hpp"
#include "firmware/commands/qp_rows.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kMaxServiceLevel = 7;
constexpr uint32_t kMaxFlowLabel = 0xFFFFF;

}  // namespace

Result create_ah(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::create_ah;
  Objects& objects = device->objects;
  const uint32_t pd = command.get32(body::pd);
  const uint32_t sgid_index = command.get32(body::sgid_index);
  QpAttributes address = {};
  address.sgid_index = static_cast<uint8_t>(sgid_index);
  address.hop_limit = static_cast<uint8_t>(command.get32(body::hop_limit));
  address.traffic_class = static_cast<uint8_t>(command.get32(body::traffic_class));
  address.sl = static_cast<uint8_t>(command.get32(body::sl));
  address.flow_label = command.get32(body::flow_label);
  address.dgid = {command.get(body::dgid_hi), command.get(body::dgid_lo)};
  Mac mac = command.get(body::dst_mac);
  if (!objects.has_service(layout::Service::kUd)) {
    return {layout::AdminStatus::kUnsupported, 0};
  }
  if (!objects.has_pd(pd)) return bad_handle(body::pd);
  if (!device->gids.valid(sgid_index)) return bad_handle(body::sgid_index);
  if (address.sl > kMaxServiceLevel) return bad_parameter(body::sl);
  if (address.flow_label > kMaxFlowLabel) return bad_parameter(body::flow_label);
  const bool group = address.dgid.is_group();
  const GidEntry& own = device->gids.entry[sgid_index];
  // A group of RoCE v1 has a GID of InfiniBand, whatever the own address is.
  const bool same_family = address.dgid.is_ipv4() == own.gid.is_ipv4() || (group && own.roce_v1);
  if (address.dgid.is_zero() || (address.dgid.is_multicast() && !group) || !same_family) {
    return bad_parameter(body::dgid_hi);
  }
  if (group) mac = mac_of_group(address.dgid);
  if (!group && mac != 0 && !is_unicast(mac)) return bad_parameter(body::dst_mac);
  if (objects.free_ahs.empty()) return no_resource();
  if (mac == 0) {
    const Result result = next_hop(device, sgid_index, address.dgid, body::dgid_hi, &mac);
    if (result.status != layout::AdminStatus::kOk) return result;
  }
  const uint32_t number = objects.free_ahs.take();
  Block row = address_row(*device, number, address, mac);
  row.put(layout::ah::pd, pd);
  row.put(layout::ah::valid, 1);
  if (!device->port.write_row(layout::Table::kAh, number, row)) {
    objects.free_ahs.give(number);
    return hardware_error();
  }
  objects.ah[number] = {true, address.sgid_index, static_cast<uint16_t>(pd)};
  ++objects.pd[pd].users;
  reply->put(layout::create_ah_reply::ah, number);
  return ok();
}

Result destroy_ah(Device* device, const Command& command, Reply*) {
  namespace body = layout::destroy_ah;
  Objects& objects = device->objects;
  const uint32_t number = command.get32(body::ah);
  if (!objects.has_ah(number)) return bad_handle(body::ah);
  if (!device->port.write_row(layout::Table::kAh, number, Block()) || !device->port.fence()) {
    return hardware_error();
  }
  --objects.pd[objects.ah[number].pd].users;
  objects.ah[number] = AddressHandle();
  objects.free_ahs.give(number);
  return ok();
}

}  // namespace roci::fw
