// SPDX-License-Identifier: Apache-2.0
// Status of a simulator in the background.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/server/descriptor.hpp"
#include "sim/server/instance.hpp"

namespace roci::sim {

/// Requests the status. Throws UserError when the simulator is not running.
nlohmann::json status_of(const Instance& instance, bool queue_pairs = false);

/// The JSON in a file that came with a reply. Throws UserError.
nlohmann::json json_of(const Descriptor& file);

/// Indices of the adapters that a name means: of a node ("n0") or one of it ("n0/roci1"). Throws
/// UserError when there is none.
std::vector<unsigned> adapters_of(const nlohmann::json& status, const std::string& name);

}  // namespace roci::sim
