// SPDX-License-Identifier: Apache-2.0
// The commands of the program `roci-verify`.
#include "sim/commands/commands.hpp"

namespace roci::sim {

void add_commands(Command program, Action& action) {
  add_conform(program, action);
  add_soak(program, action);
}

}  // namespace roci::sim
