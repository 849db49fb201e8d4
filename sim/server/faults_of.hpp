// SPDX-License-Identifier: Apache-2.0
// Requests about the faults of a simulator in the background. All throw UserError.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/server/descriptor.hpp"
#include "sim/server/instance.hpp"

namespace roci::sim {

/// The list of faults (docs/live_faults.md).
nlohmann::json faults_of(const Instance& instance);
nlohmann::json faults_of(const Descriptor& socket);
/// Adds the faults of a script; `source` names it in messages.
nlohmann::json add_faults(const Instance& instance, const std::string& script,
                          const std::string& source);
/// Removes a fault, or all with 0.
void clear_faults(const Instance& instance, unsigned number);

/// Number, name, place and action of a fault, in one text.
std::string fault_text(const nlohmann::json& fault);
/// Prints a line for each fault that never fired.
void print_silent_faults(const nlohmann::json& faults);

}  // namespace roci::sim
