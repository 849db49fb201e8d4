// SPDX-License-Identifier: Apache-2.0
// Commands RegMr, DeregMr, ReregMr and AllocFastMr.
#include "firmware/commands/keys.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kChangeRange = mask_of(0);
constexpr uint32_t kChangeDomain = mask_of(1);
constexpr uint32_t kChangeRights = mask_of(2);

/// Whether a window is bound to the region in row `region`. False result: the adapter does not
/// respond.
bool any_window(Device* device, uint32_t region, bool* found) {
  *found = false;
  Objects& objects = device->objects;
  for (uint32_t index = kFirstKey; index < objects.num_keys; ++index) {
    const MemoryKey& key = objects.key[index];
    if (!key.used || !is_window(key.kind) || key.pd != objects.key[region].pd) continue;
    Block row = {};
    if (!device->port.read_row(layout::Table::kKey, index, &row)) return false;
    *found |= row.get(layout::key::valid) != 0 && row.get(layout::key::parent) == region;
  }
  return true;
}

/// Prevents new uses of the region, unless windows are bound to it (MR-08). A region without MwBind
/// has no windows.
Result retire(Device* device, uint32_t index, const Block& row, Place field) {
  Port& port = device->port;
  const uint64_t rights = row.get(layout::key::access);
  if ((rights & layout::access::kMwBind) == 0) return ok();
  // From here on no bind succeeds; windows bound before are in the table.
  Block no_binds = row;
  no_binds.put(layout::key::access, rights & ~layout::access::kMwBind);
  bool found = false;
  if (!port.write_row(layout::Table::kKey, index, no_binds) || !any_window(device, index, &found)) {
    return hardware_error();
  }
  if (!found) return ok();
  return port.write_row(layout::Table::kKey, index, row) ? busy(field) : hardware_error();
}

}  // namespace

Result reg_mr(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::reg_mr;
  const uint32_t pd = command.get32(body::pd);
  const uint32_t pasid = command.get32(body::pasid);
  const Range range = {command.get32(body::access), command.get(body::iova),
                       command.get(body::length), command.get(body::addr)};
  if (!device->objects.has_pd(pd)) return bad_handle(body::pd);
  if (!is_pasid(pasid)) return bad_parameter(body::pasid);
  Result result = check_range(range, {body::access, body::iova, body::addr});
  if (result.status != layout::AdminStatus::kOk) return result;

  namespace row = layout::key;
  Block block = {};
  block.put(row::valid, 1);
  block.put(row::pd, pd);
  block.put(row::access, range.access);
  block.put(row::pasid, pasid);
  block.put(row::iova, range.iova);
  block.put(row::length, range.length);
  block.put(row::addr, range.addr);
  uint32_t key = 0;
  result = make_key(device, number(layout::KeyKind::kRegion), &block, &key);
  if (result.status == layout::AdminStatus::kOk) reply->put(layout::reg_mr_reply::key, key);
  return result;
}

Result dereg_mr(Device* device, const Command& command, Reply*) {
  namespace body = layout::dereg_mr;
  uint32_t index = 0;
  Block row = {};
  Result result = find_key(device, command.get32(body::key), body::key, &index, &row);
  if (result.status != layout::AdminStatus::kOk) return result;
  if (is_window(device->objects.key[index].kind)) return bad_handle(body::key);
  result = retire(device, index, row, body::key);
  return result.status == layout::AdminStatus::kOk ? drop_key(device, index, row) : result;
}

Result rereg_mr(Device* device, const Command& command, Reply*) {
  namespace body = layout::rereg_mr;
  namespace row = layout::key;
  Objects& objects = device->objects;
  const uint32_t what = command.get32(body::what);
  uint32_t index = 0;
  Block old = {};
  Result result = find_key(device, command.get32(body::key), body::key, &index, &old);
  if (result.status != layout::AdminStatus::kOk) return result;
  MemoryKey& key = objects.key[index];
  if (key.kind != number(layout::KeyKind::kRegion)) return bad_handle(body::key);
  if (what == 0 || (what & ~(kChangeRange | kChangeDomain | kChangeRights)) != 0) {
    return bad_parameter(body::what);
  }
  const uint32_t pd = (what & kChangeDomain) != 0 ? command.get32(body::pd) : key.pd;
  if (!objects.has_pd(pd)) return bad_handle(body::pd);
  Range range = {static_cast<uint32_t>(old.get(row::access)), old.get(row::iova),
                 old.get(row::length), old.get(row::addr)};
  if ((what & kChangeRights) != 0) range.access = command.get32(body::access);
  if ((what & kChangeRange) != 0) {
    range.iova = command.get(body::iova);
    range.length = command.get(body::length);
    range.addr = command.get(body::addr);
  }
  result = check_range(range, {body::access, body::iova, body::addr});
  if (result.status != layout::AdminStatus::kOk) return result;
  result = retire(device, index, old, body::key);
  if (result.status != layout::AdminStatus::kOk) return result;

  Block next = old;
  next.put(row::pd, pd);
  next.put(row::access, range.access);
  next.put(row::iova, range.iova);
  next.put(row::length, range.length);
  next.put(row::addr, range.addr);
  // The key is invalid between the two writes, so that no request sees a mix of both.
  Block dead = old;
  dead.put(row::valid, 0);
  Port& port = device->port;
  if (!port.write_row(layout::Table::kKey, index, dead) || !port.fence() ||
      !port.write_row(layout::Table::kKey, index, next)) {
    return hardware_error();
  }
  --objects.pd[key.pd].users;
  ++objects.pd[pd].users;
  key.pd = static_cast<uint16_t>(pd);
  return ok();
}

Result alloc_fast_mr(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::alloc_fast_mr;
  if (device->objects.lacks(layout::Option::kKeyOps)) return unsupported();
  const uint32_t pd = command.get32(body::pd);
  const uint32_t pasid = command.get32(body::pasid);
  if (!device->objects.has_pd(pd)) return bad_handle(body::pd);
  if (!is_pasid(pasid)) return bad_parameter(body::pasid);
  Block row = {};  // not valid: a free region
  row.put(layout::key::pd, pd);
  row.put(layout::key::pasid, pasid);
  uint32_t key = 0;
  const Result result = make_key(device, number(layout::KeyKind::kFastRegion), &row, &key);
  if (result.status == layout::AdminStatus::kOk) reply->put(layout::alloc_fast_mr_reply::key, key);
  return result;
}

}  // namespace roci::fw
