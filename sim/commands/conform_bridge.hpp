// SPDX-License-Identifier: Apache-2.0
// Options of roci conform --bridge.
#pragma once

#include "sim/bridge/bridge.hpp"
#include "sim/command_line.hpp"

namespace roci::sim {

/// Adds --bridge and what belongs to it; --json and --eal are those of the command.
void add_bridge(Command command, BridgeOptions& options);

}  // namespace roci::sim
