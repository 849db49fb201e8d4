// SPDX-License-Identifier: Apache-2.0
// What makes the adapter of a node visible to a program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/server/instance.hpp"

namespace roci::sim {

/// Variables to set for programs on `node`. Without LD_PRELOAD when the library for stock programs
/// of libibverbs is not built.
std::vector<std::pair<std::string, std::string>> environment_of(const Instance& instance,
                                                                const std::string& node);

}  // namespace roci::sim
