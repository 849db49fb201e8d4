// SPDX-License-Identifier: Apache-2.0
// Payload that waits for the rest of its message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roci::sim {

/// Bytes in a row, so that a system call writes a message and not a packet. When they cannot be
/// written, the write that follows has to fail.
class PayloadRun {
 public:
  static constexpr std::size_t kMost = 65536;

  bool empty() const { return bytes_ == 0; }
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + bytes_; }
  std::size_t bytes() const { return bytes_; }
  std::uint8_t* data() { return data_.data(); }
  bool goes_on_at(std::uint64_t address) const { return !empty() && address == end(); }
  bool overlaps(std::uint64_t address, std::size_t bytes) const {
    return !empty() && address < end() && begin_ < address + bytes;
  }

  /// Whether bytes at `address` follow the last ones, and there is room for them.
  bool continues(std::uint64_t address, std::size_t bytes) const {
    return goes_on_at(address) && bytes <= kMost - bytes_;
  }
  /// Takes bytes, at most kMost, that continue the run or begin it when it is empty.
  void take(std::uint64_t address, const std::uint8_t* from, std::size_t bytes);
  void clear() { bytes_ = 0; }
  /// The bytes were not written: they are lost.
  void lose();
  /// Whether bytes that were lost end at `address`; they are reported once.
  bool lost_before(std::uint64_t address);
  /// These bytes are written anew: what was lost there belongs to no message in progress.
  void renew(std::uint64_t address, std::size_t bytes);

 private:
  static constexpr std::size_t kMostLost = 64;

  std::uint64_t begin_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::uint8_t> data_;
  std::vector<std::uint64_t> lost_;  ///< ends of what was lost, the oldest first
};

}  // namespace roci::sim
