// SPDX-License-Identifier: Apache-2.0
// Legal changes of a queue pair's state, with their attributes (10.3.1, 11.2.5.2).
#pragma once

#include <stdint.h>

#include "firmware/hal/bits.hpp"

namespace roci::fw {

/// The attributes of a legal transition; masks consist of QpMask bits.
struct Attributes {
  uint32_t required;
  uint32_t optional;
};

/// Returns nullptr when the transition is illegal.
const Attributes* find_transition(layout::Service service, layout::QpState from,
                                  layout::QpState to);

/// All defined bits of attr_mask.
extern const uint32_t kKnownAttributes;

}  // namespace roci::fw
