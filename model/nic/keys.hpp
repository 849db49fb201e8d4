// SPDX-License-Identifier: Apache-2.0
// The key table: regions and windows, and which bytes of host memory they give access to.
#pragma once

#include <vector>

#include "model/nic/rows.hpp"

namespace roci::nic {

/// Where a range lies in host memory.
struct Place {
  bool ok = false;
  std::uint64_t addr = 0;
  std::uint32_t pasid = 0;
};

/// Row of a key and its variant.
constexpr std::uint32_t row_of(std::uint32_t key) { return key >> 8; }
constexpr std::uint8_t variant_of(std::uint32_t key) { return static_cast<std::uint8_t>(key); }

class KeyTable {
 public:
  explicit KeyTable(std::size_t rows) : keys_(rows) {}

  bool has(std::uint32_t row) const { return row < keys_.size(); }
  const Key& at(std::uint32_t row) const { return keys_[row]; }
  void set(std::uint32_t row, const Key& key) { keys_[row] = key; }

  /// Looks up a range that a work request names by local key. All `rights` are required; 0:
  /// reading.
  Place local(std::uint32_t key, std::uint64_t va, std::uint64_t bytes, std::uint16_t pd,
              unsigned rights) const;
  /// Looks up a range that the peer of queue pair `qpn` names.
  Place remote(std::uint32_t key, std::uint64_t va, std::uint64_t bytes, std::uint16_t pd,
               unsigned rights, std::uint32_t qpn) const;

  // Operations of work requests and of SEND with invalidate (10.6.7). False: the operation was
  // rejected, and nothing changed.
  /// Frees a type 2 window or a fast region (MR-14, RSP-46).
  bool invalidate(std::uint32_t key, std::uint16_t pd, std::uint32_t qpn);
  struct Range {
    std::uint64_t va = 0, length = 0;
    unsigned access = 0;
  };
  /// Binds the window of `key` to a range of the region `lkey`; length 0 unbinds (MR-09 to MR-12).
  bool bind(std::uint32_t key, std::uint32_t lkey, const Range& range, std::uint16_t pd,
            std::uint32_t qpn);
  /// Gives a free fast region its range (MR-15).
  bool register_region(std::uint32_t key, const Range& range, std::uint64_t addr, std::uint16_t pd);

 private:
  const Key* find(std::uint32_t key) const;

  std::vector<Key> keys_;
};

}  // namespace roci::nic
