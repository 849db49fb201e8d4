// SPDX-License-Identifier: Apache-2.0
// Halves of 64-bit registers.
#pragma once

#include <cstdint>

namespace roci::nic {

constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}
constexpr void set_low(std::uint64_t* to, std::uint32_t value) { *to = (*to >> 32 << 32) | value; }
constexpr void set_high(std::uint64_t* to, std::uint32_t value) {
  *to = (*to & 0xFFFFFFFF) | std::uint64_t{value} << 32;
}

}  // namespace roci::nic
