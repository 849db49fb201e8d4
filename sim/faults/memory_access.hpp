// SPDX-License-Identifier: Apache-2.0
// An access of an adapter to the memory of a process, and what a fault does to it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roci::sim::faults {

struct MemoryAccess {
  unsigned adapter;
  std::uint32_t pasid;
  std::uint64_t address;
  std::size_t bytes;
  const std::uint8_t* written;  ///< nullptr: a read
};

struct MemoryEffect {
  bool fails = false;
  std::size_t held = 0;  ///< bytes at the end of a write that are not written now
};

}  // namespace roci::sim::faults
