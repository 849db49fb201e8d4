// SPDX-License-Identifier: Apache-2.0
#include "firmware/commands/keys.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kAllRights = 0xF | layout::access::kMwBind;
constexpr uint32_t kLocalWrite = layout::access::kLocalWrite;
constexpr uint32_t kNeedsLocalWrite = layout::access::kRemoteWrite | layout::access::kRemoteAtomic;
constexpr uint32_t kVariantMask = mask_of(kVariantBits) - 1;

constexpr bool wraps(uint64_t first, uint64_t length) { return first > ~uint64_t{0} - length; }

}  // namespace

Result check_range(const Range& range, const RangePlaces& places) {
  if ((range.access & ~kAllRights) != 0) return bad_parameter(places.access);
  if ((range.access & kNeedsLocalWrite) != 0 && (range.access & kLocalWrite) == 0) {
    return bad_parameter(places.access);  // MR-04
  }
  if (wraps(range.iova, range.length)) return bad_parameter(places.iova);
  if (wraps(range.addr, range.length)) return bad_parameter(places.addr);
  return ok();
}

Result find_key(Device* device, uint32_t value, Place field, uint32_t* index, Block* row) {
  *index = value >> kVariantBits;
  if (*index >= kMaxKeys || !device->objects.key[*index].used) return bad_handle(field);
  if (!device->port.read_row(layout::Table::kKey, *index, row)) return hardware_error();
  const MemoryKey& key = device->objects.key[*index];
  const uint32_t variant = value & kVariantMask;
  const bool changes = key.kind != number(layout::KeyKind::kRegion);
  if (variant != key.variant && !(changes && variant == row->get(layout::key::variant))) {
    return bad_handle(field);
  }
  return ok();
}

Result make_key(Device* device, uint32_t kind, Block* row, uint32_t* value) {
  Objects& objects = device->objects;
  const bool window = is_window(kind);
  uint32_t& count = window ? objects.windows : objects.regions;
  if (count >= (window ? objects.max_windows() : objects.max_regions())) return no_resource();
  const uint32_t index = objects.free_keys.take();
  MemoryKey& key = objects.key[index];
  const auto variant = static_cast<uint8_t>(key.variant + 1);
  const auto pd = static_cast<uint16_t>(row->get(layout::key::pd));
  row->put(layout::key::variant, variant);
  row->put(layout::key::kind, kind);
  if (!device->port.write_row(layout::Table::kKey, index, *row)) {
    objects.free_keys.give(index);
    return hardware_error();
  }
  key = {true, variant, pd, static_cast<uint8_t>(kind)};
  ++objects.pd[pd].users;
  ++count;
  *value = index << kVariantBits | variant;
  return ok();
}

Result drop_key(Device* device, uint32_t index, const Block& row) {
  if (!device->port.write_row(layout::Table::kKey, index, Block()) || !device->port.fence()) {
    return hardware_error();
  }
  Objects& objects = device->objects;
  MemoryKey& key = objects.key[index];
  --objects.pd[key.pd].users;
  --(is_window(key.kind) ? objects.windows : objects.regions);
  key.used = false;
  key.variant = static_cast<uint8_t>(row.get(layout::key::variant));  // the next key differs
  objects.free_keys.give(index);
  return ok();
}

}  // namespace roci::fw
