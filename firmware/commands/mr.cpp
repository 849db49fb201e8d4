// RegMr, DeregMr.
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kVariantBits = 8;
constexpr uint32_t kAllRights = 0xF;
constexpr uint32_t kLocalWrite = mask_of(layout::kAccessLocalWrite);
constexpr uint32_t kNeedsLocalWrite =
    mask_of(layout::kAccessRemoteWrite) | mask_of(layout::kAccessRemoteAtomic);

constexpr bool wraps(uint64_t first, uint64_t length) { return first > ~uint64_t{0} - length; }

}  // namespace

Result reg_mr(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::reg_mr;
  Objects& objects = device->objects;
  const uint32_t pd = command.get32(body::pd);
  const uint32_t access = command.get32(body::access);
  const uint32_t pasid = command.get32(body::pasid);
  const uint64_t iova = command.get(body::iova);
  const uint64_t length = command.get(body::length);
  const uint64_t addr = command.get(body::addr);
  if (!objects.has_pd(pd)) return bad_handle(body::pd);
  if ((access & ~kAllRights) != 0) return bad_parameter(body::access);
  if ((access & kNeedsLocalWrite) != 0 && (access & kLocalWrite) == 0) {
    return bad_parameter(body::access);  // MR-04
  }
  if (!is_pasid(pasid)) return bad_parameter(body::pasid);
  if (length == 0) return bad_parameter(body::length);
  if (wraps(iova, length)) return bad_parameter(body::iova);
  if (wraps(addr, length)) return bad_parameter(body::addr);
  if (objects.free_keys.empty()) return no_resource();

  namespace row = layout::key;
  const uint32_t index = objects.free_keys.take();
  MemoryKey& key = objects.key[index];
  const auto variant = static_cast<uint8_t>(key.variant + 1);
  Block block = {};
  block.put(row::valid, 1);
  block.put(row::variant, variant);
  block.put(row::pd, pd);
  block.put(row::access, access);
  block.put(row::pasid, pasid);
  block.put(row::iova, iova);
  block.put(row::length, length);
  block.put(row::addr, addr);
  if (!device->port.write_row(layout::kTableKey, index, block)) {
    objects.free_keys.give(index);
    return hardware_error();
  }
  key = {true, variant, static_cast<uint16_t>(pd)};
  ++objects.pd[pd].users;
  reply->put(layout::reg_mr_reply::key, index << kVariantBits | variant);
  return ok();
}

Result dereg_mr(Device* device, const Command& command, Reply*) {
  namespace body = layout::dereg_mr;
  Objects& objects = device->objects;
  const uint32_t value = command.get32(body::key);
  const uint32_t index = value >> kVariantBits;
  if (index >= kMaxKeys || !objects.key[index].used ||
      objects.key[index].variant != (value & 0xFF)) {
    return bad_handle(body::key);
  }
  if (!device->port.write_row(layout::kTableKey, index, Block()) || !device->port.fence()) {
    return hardware_error();
  }
  MemoryKey& key = objects.key[index];
  --objects.pd[key.pd].users;
  key.used = false;
  objects.free_keys.give(index);
  return ok();
}

}  // namespace roci::fw
