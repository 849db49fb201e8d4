// SPDX-License-Identifier: Apache-2.0
// Reading and writing the layouts of model/spec in memory that is shared with the adapter.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "model/spec/codes.hpp"
#include "model/spec/field.hpp"
#include "model/spec/registers.hpp"

namespace roci::driver {

using spec::code_of;

/// Offset of the register called `name`.
constexpr std::uint32_t register_offset(std::string_view name) {
  for (const spec::Register& r : spec::kRegisters) {
    if (r.name == name) return r.offset;
  }
  throw "no such register";
}

/// First offset of the window called `name`.
constexpr std::uint32_t window_offset(std::string_view name) {
  return spec::window_of(name).offset;
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the queues are little-endian and are written by plain copies"
#endif

/// spec::get_memory with a short way for fields of whole bytes.
inline std::uint64_t get(const std::uint8_t* bytes, spec::Place place) {
  if (place.offset % 8 != 0 || place.bits % 8 != 0) return spec::get_memory(bytes, place);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes + place.offset / 8, place.bits / 8);
  return value;
}

/// spec::put_memory with a short way for fields of whole bytes.
inline void put(std::uint8_t* bytes, spec::Place place, std::uint64_t value) {
  if (place.offset % 8 != 0 || place.bits % 8 != 0) {
    spec::put_memory(bytes, place, value);
  } else {
    std::memcpy(bytes + place.offset / 8, &value, place.bits / 8);
  }
}

/// Between writing queue entries and ringing the doorbell that hands them over: the adapter that
/// reads the entry sees all of it.
inline void entries_before_doorbell() { std::atomic_thread_fence(std::memory_order_release); }

/// Between seeing the owner bit of an entry and reading the rest of it: the adapter wrote the
/// owner bit last.
inline void owner_before_entry() { std::atomic_thread_fence(std::memory_order_acquire); }

}  // namespace roci::driver
