// SPDX-License-Identifier: Apache-2.0
// Interface through which the adapter accesses host memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roci::nic {

/// What an access is for.
enum class MemoryUse : std::uint8_t {
  kPayload,
  /// Payload of a message that goes on at the next address. The memory may hold it back until the
  /// rest comes; a failure is then that of the write at that address.
  kPart,
  kBlock,  ///< a work request, or the operand of an atomic
  kCompletion,
  kEvent,
  kAtomic,  ///< the result of an atomic
  kFirmware
};

/// Accesses by address and address space (PASID). False: the access failed, and the bytes are
/// undefined.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  virtual bool read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to, std::size_t bytes,
                    MemoryUse use) = 0;
  virtual bool write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* from,
                     std::size_t bytes, MemoryUse use) = 0;
};

}  // namespace roci::nic
