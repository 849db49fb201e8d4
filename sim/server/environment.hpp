// SPDX-License-Identifier: Apache-2.0
// The environment that makes the adapter of a node visible to a program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/server/instance.hpp"

namespace roci::sim {

/// What programs see of the host and of the simulator.
struct ProgramView {
  bool host_devices;    ///< the RDMA devices of the host as well
  bool simulated_time;  ///< the simulator's clock
};

/// Variables to set for programs on `node`. LD_PRELOAD is missing when the library for programs of
/// libibverbs is not built.
std::vector<std::pair<std::string, std::string>> environment_of(const Instance& instance,
                                                                const std::string& node,
                                                                const ProgramView& view);

}  // namespace roci::sim
