// SPDX-License-Identifier: Apache-2.0
// Where registers lie, for the files that serve them.
#pragma once

#include "model/spec/registers.hpp"

namespace roci::nic {

/// Offset of the register called `name`. A name that is not in the map does not compile.
constexpr std::uint32_t reg(std::string_view name) {
  for (const spec::Register& r : spec::kRegisters) {
    if (r.name == name) return r.offset;
  }
  throw "no such register";
}
constexpr std::uint32_t reset_of(std::string_view name) {
  for (const spec::Register& r : spec::kRegisters) {
    if (r.name == name) return r.reset;
  }
  throw "no such register";
}

// Halves of 64-bit numbers.
constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}
constexpr void set_low(std::uint64_t* to, std::uint32_t value) { *to = (*to >> 32 << 32) | value; }
constexpr void set_high(std::uint64_t* to, std::uint32_t value) {
  *to = (*to & 0xFFFFFFFF) | std::uint64_t{value} << 32;
}

}  // namespace roci::nic
