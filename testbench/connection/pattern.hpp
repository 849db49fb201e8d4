// SPDX-License-Identifier: Apache-2.0
// Payload as a function of a key and an offset (I3): with the key, any part of it can be checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace roci::testbench {

inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}
inline std::uint64_t pattern_word(std::uint64_t key, std::uint64_t word) {
  return mix(key * 0x9E3779B97F4A7C15u + word * 0xD6E8FEB86659FD93u + 1);
}

/// Returns the byte at `offset` of the pattern of `key`.
inline std::uint8_t pattern(std::uint64_t key, std::uint64_t offset) {
  return static_cast<std::uint8_t>(pattern_word(key, offset / 8) >> 8 * (offset % 8));
}

/// Writes the bytes from `offset` on of the pattern of `key`.
inline void fill(std::uint8_t* at, std::size_t bytes, std::uint64_t key, std::uint64_t offset = 0) {
  for (std::size_t i = 0; i < bytes;) {
    const std::uint64_t word = pattern_word(key, (offset + i) / 8);
    for (unsigned lane = (offset + i) % 8; lane < 8 && i < bytes; ++lane, ++i) {
      at[i] = static_cast<std::uint8_t>(word >> 8 * lane);
    }
  }
}

/// Returns the index of the first wrong byte; `bytes` when none is wrong.
inline std::size_t first_wrong(const std::uint8_t* at, std::size_t bytes, std::uint64_t key,
                               std::uint64_t offset = 0) {
  for (std::size_t i = 0; i < bytes;) {
    const std::uint64_t word = pattern_word(key, (offset + i) / 8);
    for (unsigned lane = (offset + i) % 8; lane < 8 && i < bytes; ++lane, ++i) {
      if (at[i] != static_cast<std::uint8_t>(word >> 8 * lane)) return i;
    }
  }
  return bytes;
}

}  // namespace roci::testbench
