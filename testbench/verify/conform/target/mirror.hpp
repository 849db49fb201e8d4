// SPDX-License-Identifier: Apache-2.0
// Memory of the agent's process as the tests see it: a copy here, kept equal in both directions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "driver/device/device.hpp"

namespace roci::conform {

class Mirror {
 public:
  /// Writes `count` bytes into the agent's memory.
  using Write =
      std::function<void(std::uint64_t address, const std::uint8_t* data, std::size_t count)>;

  /// The agent has `bytes` of zeroed memory at `address`, a multiple of the page size. `host`: its
  /// first byte, when it is in this process; then there is no copy.
  Mirror(std::uint64_t address, std::size_t bytes, std::uint8_t* host = nullptr);

  /// Throws std::bad_alloc.
  driver::DmaMemory allocate(std::size_t bytes, std::size_t alignment);
  void release(const driver::DmaMemory& memory);
  std::uint8_t* host(std::uint64_t address);

  /// A region begins to use, or no longer uses, this range, which is in the agent's memory.
  void watch(std::uint64_t address, std::size_t bytes) { ++watched_[{address, bytes}]; }
  void unwatch(std::uint64_t address, std::size_t bytes);

  /// Passes to `write` what the test changed in the regions since the last push.
  void push(const Write& write);
  /// The agent's memory has these bytes now. Throws TargetLost when it has no such range.
  void pull(std::uint64_t address, const std::uint8_t* data, std::size_t count);

 private:
  std::size_t offset_of(std::uint64_t address, std::size_t bytes) const;

  std::uint64_t address_;
  std::size_t bytes_;
  bool shared_;
  // Pages that no test uses cost nothing.
  using Pages = std::unique_ptr<std::uint8_t, void (*)(void*)>;
  Pages here_;                               ///< what the test reads and writes
  Pages agreed_;                             ///< what the agent's memory has, as far as known
  std::map<std::size_t, std::size_t> free_;  ///< bytes by offset
  std::map<std::pair<std::uint64_t, std::size_t>, unsigned> watched_;
};

}  // namespace roci::conform
