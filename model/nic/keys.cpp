// SPDX-License-Identifier: Apache-2.0
#include "model/nic/keys.hpp"

namespace roci::nic {
namespace {

bool is_window(const Key& key) {
  return key.kind == KeyKind::kWindowType1 || key.kind == KeyKind::kWindowType2;
}

/// [va, va + bytes) lies in the range of the key, without wrap (MR-03).
bool holds(const Key& key, std::uint64_t va, std::uint64_t bytes) {
  return va >= key.iova && bytes <= key.length && va - key.iova <= key.length - bytes;
}

}  // namespace

const Key* KeyTable::find(std::uint32_t key) const {
  if (!has(row_of(key))) return nullptr;
  const Key& found = keys_[row_of(key)];
  return found.valid && found.variant == variant_of(key) ? &found : nullptr;
}

Place KeyTable::local(std::uint32_t key, std::uint64_t va, std::uint64_t bytes, std::uint16_t pd,
                      unsigned rights) const {
  const Key* found = find(key);
  if (found == nullptr || found->remote_only || found->pd != pd) return {};
  if ((rights & ~found->access) != 0 || !holds(*found, va, bytes)) return {};
  return {true, found->addr + (va - found->iova), found->pasid};
}

Place KeyTable::remote(std::uint32_t key, std::uint64_t va, std::uint64_t bytes, std::uint16_t pd,
                       unsigned rights, std::uint32_t qpn) const {
  const Key* found = find(key);
  if (found == nullptr || found->pd != pd) return {};
  if (found->kind == KeyKind::kWindowType2 && found->qpn != qpn) return {};
  if ((rights & ~found->access) != 0 || !holds(*found, va, bytes)) return {};
  return {true, found->addr + (va - found->iova), found->pasid};
}

bool KeyTable::invalidate(std::uint32_t key, std::uint16_t pd, std::uint32_t qpn) {
  const Key* found = find(key);
  if (found == nullptr || found->pd != pd) return false;
  const bool own_window = found->kind == KeyKind::kWindowType2 && found->qpn == qpn;
  if (!own_window && found->kind != KeyKind::kFastRegion) return false;
  keys_[row_of(key)].valid = false;
  return true;
}

bool KeyTable::bind(std::uint32_t key, std::uint32_t lkey, const Range& range, std::uint16_t pd,
                    std::uint32_t qpn) {
  if (!has(row_of(key))) return false;
  Key& window = keys_[row_of(key)];
  if (!is_window(window) || window.pd != pd) return false;
  const bool type2 = window.kind == KeyKind::kWindowType2;
  if (type2 && window.valid) return false;
  Key bound = window;
  bound.variant = variant_of(key);
  if (range.length == 0) {
    if (type2) return false;  // a type 2 window is freed by an invalidate
    bound.valid = false;
    window = bound;
    return true;
  }
  const Key* region = find(lkey);
  if (region == nullptr || region->remote_only || is_window(*region) || region->pd != pd) {
    return false;
  }
  if ((region->access & access::kMwBind) == 0) return false;
  constexpr unsigned kChanging = access::kRemoteWrite | access::kRemoteAtomic;
  if ((range.access & kChanging) != 0 && (region->access & access::kLocalWrite) == 0) return false;
  if (!holds(*region, range.va, range.length)) return false;
  bound.valid = true;
  bound.access = range.access;
  bound.pasid = region->pasid;
  bound.iova = (range.access & access::kZeroBased) != 0 ? 0 : range.va;
  bound.length = range.length;
  bound.addr = region->addr + (range.va - region->iova);
  bound.remote_only = true;
  bound.qpn = qpn;
  bound.parent = row_of(lkey);
  window = bound;
  return true;
}

bool KeyTable::register_region(std::uint32_t key, const Range& range, std::uint64_t addr,
                               std::uint16_t pd) {
  if (!has(row_of(key))) return false;
  Key& region = keys_[row_of(key)];
  if (region.kind != KeyKind::kFastRegion || region.valid || region.pd != pd) return false;
  constexpr unsigned kChanging = access::kRemoteWrite | access::kRemoteAtomic;
  if ((range.access & kChanging) != 0 && (range.access & access::kLocalWrite) == 0) return false;
  if (range.length == 0 || range.va > ~std::uint64_t{0} - range.length ||
      addr > ~std::uint64_t{0} - range.length) {
    return false;
  }
  region.valid = true;
  region.variant = variant_of(key);
  region.access = range.access;
  region.iova = range.va;
  region.length = range.length;
  region.addr = addr;
  return true;
}

}  // namespace roci::nic
