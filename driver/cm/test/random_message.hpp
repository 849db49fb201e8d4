// SPDX-License-Identifier: Apache-2.0
// Messages with random values in all fields, for tests.
#pragma once

#include <random>

#include "driver/cm/mad/message.hpp"

namespace roci::cm {

/// Gives each field a random value of its width.
class Filler {
 public:
  explicit Filler(std::mt19937_64& random) : random_(random) {}

  template <typename T>
  void field(const char*, T& value, unsigned width) {
    value = static_cast<T>(random_() >> (64 - width));
  }
  template <typename Bytes>
  void bytes(const char*, Bytes& data) {
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random_());
  }
  void reserved(unsigned) {}
  template <typename Group>
  void group(const char*, Group& group) {
    Group::layout(*this, group);
  }

 private:
  std::mt19937_64& random_;
};

/// A datagram with a message of this kind that encode() accepts.
template <typename M>
Mad random_mad(std::mt19937_64& random) {
  for (;;) {
    M message;
    Filler filler(random);
    M::layout(filler, message);
    Mad mad{random(), static_cast<std::uint32_t>(random()), message};
    if (std::holds_alternative<MadBytes>(encode(mad))) return mad;
  }
}

template <std::size_t kIndex = 0>
Mad random_mad_of(std::size_t index, std::mt19937_64& random) {
  if constexpr (kIndex + 1 < std::variant_size_v<Message>) {
    if (index != kIndex) return random_mad_of<kIndex + 1>(index, random);
  }
  return random_mad<std::variant_alternative_t<kIndex, Message>>(random);
}

}  // namespace roci::cm
