// SPDX-License-Identifier: Apache-2.0
// Rows of the key table, for the commands on regions and windows.
#pragma once

#include "firmware/commands/commands.hpp"

namespace roci::fw {

constexpr uint32_t kVariantBits = 8;

/// Attributes that RegMr and ReregMr give a region.
struct Range {
  uint32_t access;
  uint64_t iova;
  uint64_t length;
  uint64_t addr;
};

/// Fields that an error names.
struct RangePlaces {
  Place access;
  Place iova;
  Place addr;
};

/// Checks the rights (MR-04) and the bounds. A region of length 0 permits no access.
Result check_range(const Range& range, const RangePlaces& places);

/// Reads the row of an existing key from the adapter, which changes windows and fast regions
/// without the firmware. `value` is the key as allocated or as the last work request set it. The
/// error for an unknown key names `field`.
Result find_key(Device* device, uint32_t value, Place field, uint32_t* index, Block* row);

/// Creates a key whose row is `row` with `variant` filled in; its number is in the table's users.
Result make_key(Device* device, uint32_t kind, Block* row, uint32_t* value);

/// Clears the row and waits until no access through it is in progress.
Result drop_key(Device* device, uint32_t index, const Block& row);

}  // namespace roci::fw
