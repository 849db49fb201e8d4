// SPDX-License-Identifier: Apache-2.0
// Rows of the key table as the commands for regions and windows see them.
#pragma once

#include "firmware/commands/commands.hpp"

namespace roci::fw {

constexpr uint32_t kVariantBits = 8;

/// What RegMr and ReregMr give a region.
struct Range {
  uint32_t access;
  uint64_t iova;
  uint64_t length;
  uint64_t addr;
};

/// Places of the fields to blame.
struct RangePlaces {
  Place access;
  Place iova;
  Place length;
  Place addr;
};

/// MR-04 and the bounds.
Result check_range(const Range& range, const RangePlaces& places);

/// The row of a key that exists, read from the adapter, which changes windows and fast regions by
/// itself. `value` is the key as it was allocated or as a work request last made it. `field` is
/// blamed for a key that is not there.
Result find_key(Device* device, uint32_t value, Place field, uint32_t* index, Block* row);

/// Makes a key whose row is `row` with `variant` filled in; its number is in the table's users.
Result make_key(Device* device, uint32_t kind, Block* row, uint32_t* value);

/// Clears the row and waits until no access through it is under way.
Result drop_key(Device* device, uint32_t index, const Block& row);

}  // namespace roci::fw
