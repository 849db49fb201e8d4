// SPDX-License-Identifier: Apache-2.0
// Records of the completion queues.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

/// A doorbell of a completion queue: its consumer index, or an arm.
inline constexpr Field kCqDoorbell[] = {
    {"index", 16, "Consumer index; of an arm: the entry after the newest one seen"},
    {"solicited", 1, "Arm: an event for solicited entries and errors only"},
    {"arm", 1, "Arm; else a consumer index"},
    {"cqn", 16, "Completion queue"},
};

/// The moving state of a completion queue's ring.
inline constexpr Field kCqRing[] = {
    {"waiting", 16, "Entries held back by moderation"},
    {"since", 16, "Entries after the last one that satisfies a solicited arm, up to the limit"},
    {"broken", 1, "An entry was lost"},
    {"armed", 2, "CqArmed"},
    {"consumer", 16, "Consumer index"},
    {"producer", 16, "Producer index"},
    {"pass", 1, "Parity of the producer's pass through a ring of 2^16 entries"},
};

}  // namespace roci::spec
