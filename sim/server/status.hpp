// SPDX-License-Identifier: Apache-2.0
// Status of a simulator in the background.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/server/instance.hpp"

namespace roci::sim {

/// Requests the status. Throws UserError when the simulator is not running.
nlohmann::json status_of(const Instance& instance);

/// Index of the node of this name; throws UserError when there is none.
unsigned index_of(const nlohmann::json& status, const std::string& node);

}  // namespace roci::sim
