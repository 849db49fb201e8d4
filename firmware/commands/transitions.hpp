// SPDX-License-Identifier: Apache-2.0
// Which changes of state a queue pair may make, and with which attributes (10.3.1, 11.2.5.2).
#pragma once

#include <stdint.h>

#include "firmware/hal/bits.hpp"

namespace roci::fw {

/// One allowed transition; masks are of QpMask bits.
struct Transition {
  layout::QpState from;
  layout::QpState to;
  uint32_t required;
  uint32_t optional;
};

/// nullptr when the transition is not allowed.
const Transition* find_transition(layout::QpState from, layout::QpState to);

/// All bits of attr_mask that have a meaning.
extern const uint32_t kKnownAttributes;

}  // namespace roci::fw
