// SPDX-License-Identifier: Apache-2.0
// What a simulator in the background tells of itself.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/server/instance.hpp"

namespace roci::sim {

/// Throws UserError when it is not up.
nlohmann::json status_of(const Instance& instance);

/// Index of the node of this name; throws UserError when there is none.
unsigned index_of(const nlohmann::json& status, const std::string& node);

}  // namespace roci::sim
