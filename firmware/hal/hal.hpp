// SPDX-License-Identifier: Apache-2.0
// The only access of firmware to the adapter: 32-bit registers by their byte offset.
#pragma once

#include <stdint.h>

namespace roci::fw {

/// Two functions and their context, which selects the adapter. On a board they are loads and
/// stores; in simulation each call takes the time of a bus access.
struct Hal {
  void* context;
  uint32_t (*read32)(void* context, uint32_t offset);
  void (*write32)(void* context, uint32_t offset, uint32_t value);
};

}  // namespace roci::fw
