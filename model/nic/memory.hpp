// SPDX-License-Identifier: Apache-2.0
// Host memory as the adapter reaches it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roci::nic {

/// Accesses by address and address space (PASID). False: the access failed, and nothing of it may
/// be relied on.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  virtual bool read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to,
                    std::size_t bytes) = 0;
  virtual bool write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* from,
                     std::size_t bytes) = 0;
};

}  // namespace roci::nic
