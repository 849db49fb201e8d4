// SPDX-License-Identifier: Apache-2.0
// Memory that the simulator shares with a process.
#pragma once

#include <cstddef>

#include "sim/server/descriptor.hpp"

namespace roci::sim {

/// Zeroed memory of that many bytes, mapped here; `file` is for the process. nullptr: there is
/// none. The file is sealed: truncation by the process would end the simulator with SIGBUS.
void* share_memory(const char* name, std::size_t bytes, Descriptor& file);

}  // namespace roci::sim
