// SPDX-License-Identifier: Apache-2.0
// The commands of the program `roci-verify`.
#include "sim/commands/commands.hpp"

extern const char* const kVersion;  // cmake/version.cmake

namespace roci::sim {

void add_commands(Command program, Action& action) {
  add_conform(program, action, kVersion);
  add_soak(program, action);
}

}  // namespace roci::sim
