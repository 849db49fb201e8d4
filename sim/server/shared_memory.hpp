// SPDX-License-Identifier: Apache-2.0
// Memory that the simulator shares with a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/server/descriptor.hpp"

namespace roci::sim {

/// Zeroed memory of that many bytes, mapped here; `file` is for the process. nullptr: there is
/// none. The file is sealed: truncation by the process would end the simulator with SIGBUS.
void* share_memory(const char* name, std::size_t bytes, Descriptor& file);

/// Memory that is mapped here, until the end of the object.
class SharedBlock {
 public:
  SharedBlock() = default;
  SharedBlock(void* at, std::size_t bytes) : at_(static_cast<std::uint8_t*>(at)), bytes_(bytes) {}
  SharedBlock(SharedBlock&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  SharedBlock& operator=(SharedBlock&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedBlock();

  std::uint8_t* at() const { return at_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint8_t* at_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace roci::sim
