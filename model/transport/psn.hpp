// SPDX-License-Identifier: Apache-2.0
// Packet sequence numbers: 24 bits, compared modulo 2^24 (9.7.1).
#pragma once

#include <cstdint>

namespace roci::transport {

/// A 24-bit packet sequence number. Arithmetic wraps; a number is before another when it is one of
/// the 2^23 numbers before it, so that the duplicate region of an expected PSN is exactly 2^23
/// numbers and the future 2^23 - 1.
class Psn {
 public:
  static constexpr unsigned kBits = 24;
  static constexpr std::uint32_t kModulus = std::uint32_t{1} << kBits;
  static constexpr std::uint32_t kHalf = kModulus / 2;

  constexpr Psn() = default;
  /// Takes the low 24 bits of `value`.
  constexpr explicit Psn(std::uint32_t value) : value_(value & (kModulus - 1)) {}

  constexpr std::uint32_t value() const { return value_; }

  constexpr Psn operator+(std::uint32_t count) const { return Psn(value_ + count); }
  constexpr Psn operator-(std::uint32_t count) const { return Psn(value_ - count); }
  constexpr Psn& operator+=(std::uint32_t count) { return *this = *this + count; }
  constexpr Psn& operator-=(std::uint32_t count) { return *this = *this - count; }
  constexpr Psn& operator++() { return *this += 1; }

  /// Returns the steps from `from` up to this, 0 to 2^24 - 1.
  constexpr std::uint32_t steps_from(Psn from) const { return (*this - from.value_).value_; }

  /// Returns the signed distance from `from` to this, -2^23 to 2^23 - 1.
  constexpr std::int32_t distance_from(Psn from) const {
    const std::uint32_t steps = steps_from(from);
    return steps < kHalf ? static_cast<std::int32_t>(steps)
                         : static_cast<std::int32_t>(steps) - static_cast<std::int32_t>(kModulus);
  }

  constexpr bool before(Psn other) const { return distance_from(other) < 0; }
  constexpr bool after(Psn other) const { return distance_from(other) > 0; }

  /// Whether this is one of the `size` numbers from `first` on.
  constexpr bool in_window(Psn first, std::uint32_t size) const { return steps_from(first) < size; }

  friend constexpr bool operator==(Psn a, Psn b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Psn a, Psn b) { return a.value_ != b.value_; }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace roci::transport
