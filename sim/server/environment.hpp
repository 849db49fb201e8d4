// SPDX-License-Identifier: Apache-2.0
// The environment that makes the adapter of a node visible to a program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/server/instance.hpp"

namespace roci::sim {

/// Variables to set for programs on `node`, which see the RDMA devices of the host as well with
/// `host_devices`. LD_PRELOAD is missing when the library for programs of libibverbs is not built.
std::vector<std::pair<std::string, std::string>> environment_of(const Instance& instance,
                                                                const std::string& node,
                                                                bool host_devices);

}  // namespace roci::sim
