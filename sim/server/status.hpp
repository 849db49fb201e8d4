// What a simulator in the background tells of itself.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/server/instance.hpp"

namespace roci::sim {

/// Throws UserError when it is not up.
nlohmann::json status_of(const Instance& instance);

}  // namespace roci::sim
