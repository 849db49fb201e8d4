// SPDX-License-Identifier: Apache-2.0
// Two nodes that respond to each other's messages, as the programs ib_send_lat and ib_write_lat do.
#pragma once

#include "sim/options.hpp"

namespace roci::sim {

/// Half of the time of a round trip in microseconds, median of `rounds`: of a SEND until the
/// completion of its receive, or of a WRITE until its last byte is in memory.
double half_round_trip_us(const WorldOptions& options, Operation operation, std::uint32_t bytes,
                          unsigned rounds);

}  // namespace roci::sim
