// SPDX-License-Identifier: Apache-2.0
// Fields of layouts in 32-bit words, the unit of the register interface.
#pragma once

#include <stdint.h>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/headers.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::fw {

using layout::get_wire;
using layout::number;
using layout::Place;
using layout::put_wire;

/// Reads a field of at most 64 bits from little-endian words.
uint64_t get_bits(const uint32_t* words, Place place);
/// Writes a field of at most 64 bits; higher bits of `value` are dropped.
void put_bits(uint32_t* words, Place place, uint64_t value);

/// Returns a mask with bit `bit` set.
constexpr uint32_t mask_of(uint32_t bit) { return uint32_t{1} << bit; }

}  // namespace roci::fw
