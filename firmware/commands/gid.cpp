// SPDX-License-Identifier: Apache-2.0
// Commands SetGid, QueryGid and ResolveAddress.
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kMaxVid = 4094;
constexpr uint32_t kControlFramesToFirmware = mask_of(1);

bool gid_in_use(const Objects& objects, uint32_t index) {
  for (const QueuePair& qp : objects.qp) {
    if (qp.used && qp.has_av && qp.attributes.sgid_index == index) return true;
  }
  for (const AddressHandle& ah : objects.ah) {
    if (ah.used && ah.sgid_index == index) return true;
  }
  return false;
}

/// Row of the table Gid: datagrams to the entry are accepted.
Block gid_row(const GidEntry& entry) {
  namespace row = layout::gid;
  Block block = {};
  block.put({row::gid.offset, 64}, entry.gid.lo);
  block.put({row::gid.offset + 64, 64}, entry.gid.hi);
  block.put(row::valid, !entry.gid.is_zero());
  block.put(row::roce_v1, entry.roce_v1);
  block.put(row::vlan, entry.lan.tagged);
  block.put(row::vid, entry.lan.vid);
  return block;
}

}  // namespace

Result set_gid(Device* device, const Command& command, Reply*) {
  namespace body = layout::set_gid;
  const uint32_t index = command.get32(body::index);
  const Gid gid = {command.get(body::gid_hi), command.get(body::gid_lo)};
  const bool vlan = command.get(body::vlan) != 0;
  const uint32_t vid = command.get32(body::vid);
  if (index >= kMaxGids) return bad_handle(body::index);
  if (gid.is_multicast()) return bad_parameter(body::gid_hi);
  if (vlan ? vid == 0 || vid > kMaxVid : vid != 0) return bad_parameter(body::vid);
  const bool other = !gid.is_ipv4() || vlan || command.get(body::roce_v1) != 0;
  if (device->objects.lacks(layout::Option::kNetworks) && other && !gid.is_zero()) {
    return unsupported(body::gid_hi);
  }
  GidEntry next = {gid, {vlan, static_cast<uint16_t>(vid)}, command.get(body::roce_v1) != 0};
  if (gid.is_zero()) next = GidEntry();
  GidEntry& entry = device->gids.entry[index];
  if (entry.gid == next.gid && entry.lan == next.lan && entry.roce_v1 == next.roce_v1) return ok();
  if (gid_in_use(device->objects, index)) return busy(body::index);
  if (device->objects.has_service(layout::Service::kUd) &&
      !device->port.write_row(layout::Table::kGid, index, gid_row(next))) {
    return hardware_error();
  }
  entry = next;
  return ok();
}

Result query_gid(Device* device, const Command& command, Reply* reply) {
  const uint32_t index = command.get32(layout::query_gid::index);
  if (index >= kMaxGids) return bad_handle(layout::query_gid::index);
  namespace body = layout::query_gid_reply;
  const GidEntry& entry = device->gids.entry[index];
  reply->put(body::vlan, entry.lan.tagged);
  reply->put(body::vid, entry.lan.vid);
  reply->put(body::roce_v1, entry.roce_v1);
  reply->put(body::gid_hi, entry.gid.hi);
  reply->put(body::gid_lo, entry.gid.lo);
  return ok();
}

Result next_hop(Device* device, uint32_t sgid_index, const Gid& dgid, Place field, Mac* mac) {
  const GidEntry& own = device->gids.entry[sgid_index];
  switch (device->neighbours.resolve(own, dgid, mac)) {
    case Resolution::kDone:
      return ok();
    case Resolution::kFailed:
      return failed(layout::AdminStatus::kUnreachable, field);
    default:
      // Replies that go to an operating system never reach the firmware.
      if ((device->port.read(layout::reg::kControl) & kControlFramesToFirmware) == 0) {
        return failed(layout::AdminStatus::kUnreachable, field);
      }
      return {kStatusWaiting, 0};
  }
}

Result resolve_address(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::resolve_address;
  const uint32_t index = command.get32(body::sgid_index);
  const Gid dgid = {command.get(body::dgid_hi), command.get(body::dgid_lo)};
  if (!device->gids.valid(index)) return bad_handle(body::sgid_index);
  if (dgid.is_zero() || dgid.is_multicast() ||
      dgid.is_ipv4() != device->gids.entry[index].gid.is_ipv4()) {
    return bad_parameter(body::dgid_hi);
  }
  Mac mac = 0;
  const Result result = next_hop(device, index, dgid, body::dgid_hi, &mac);
  if (result.status == layout::AdminStatus::kOk)
    reply->put(layout::resolve_address_reply::mac, mac);
  return result;
}

}  // namespace roci::fw
