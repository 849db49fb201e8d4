// SPDX-License-Identifier: Apache-2.0
// Reference of a region: the value that each of its bytes must have (I3 to I6, I8).
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "testbench/connection/pattern.hpp"

namespace roci::testbench {

class ReferenceMemory {
 public:
  /// Expects the present contents of the region.
  ReferenceMemory(std::uint8_t* data, std::size_t bytes)
      : data_(data), expected_(data, data + bytes) {}

  /// Writes a pattern into the region, and expects it to stay.
  void put(std::size_t at, std::size_t bytes, std::uint64_t key) {
    fill(data_ + at, bytes, key);
    adopt(at, bytes);
  }
  /// Expects the present contents to stay.
  void adopt(std::size_t at, std::size_t bytes) {
    std::memcpy(expected_.data() + at, data_ + at, bytes);
  }
  /// Permits for each byte the former value or that of the pattern, for a message that completed in
  /// error.
  void adopt_either(std::size_t at, std::size_t bytes, std::uint64_t key) {
    for (std::size_t i = 0; i < bytes; ++i) {
      if (data_[at + i] == pattern(key, i)) expected_[at + i] = data_[at + i];
    }
  }
  std::uint64_t word(std::size_t at) const {
    std::uint64_t value;
    std::memcpy(&value, expected_.data() + at, 8);
    return value;
  }
  std::size_t size() const { return expected_.size(); }
  /// Returns the index of the first byte that differs; size() when none does.
  std::size_t first_difference() const {
    const auto differs = std::mismatch(expected_.begin(), expected_.end(), data_);
    return static_cast<std::size_t>(differs.first - expected_.begin());
  }

 private:
  std::uint8_t* data_;
  std::vector<std::uint8_t> expected_;
};

}  // namespace roci::testbench
