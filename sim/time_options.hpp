// SPDX-License-Identifier: Apache-2.0
// The options of `roci up` about the time that programs see.
#pragma once

#include "sim/command_line.hpp"
#include "sim/server/simulated_time.hpp"

namespace roci::sim {

void add_time_options(Command command, TimeOptions& options);

}  // namespace roci::sim
