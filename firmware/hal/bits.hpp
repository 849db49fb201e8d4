// SPDX-License-Identifier: Apache-2.0
// Fields of layouts, by their places in hal/layout.h.
#pragma once

#include <stdint.h>

#include "firmware/hal/layout.h"

namespace roci::fw {

using layout::Place;

/// Reads a field of at most 64 bits from little-endian words.
uint64_t get_bits(const uint32_t* words, Place place);
/// Writes a field of at most 64 bits; higher bits of `value` are cut off.
void put_bits(uint32_t* words, Place place, uint64_t value);

/// The same for big-endian bytes, as on the wire.
uint64_t get_wire(const uint8_t* bytes, Place place);
void put_wire(uint8_t* bytes, Place place, uint64_t value);

/// Bit `bit` of a mask.
constexpr uint32_t mask_of(uint32_t bit) { return uint32_t{1} << bit; }

}  // namespace roci::fw
