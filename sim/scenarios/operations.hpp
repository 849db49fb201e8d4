// SPDX-License-Identifier: Apache-2.0
// Clocks for each operation and size, alone and in a stream of its kind.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/options.hpp"

namespace roci::sim {

/// Measures and prints a row for each operation and size; `quick` takes fewer messages.
nlohmann::json operations(const WorldOptions& world, bool quick);

}  // namespace roci::sim
