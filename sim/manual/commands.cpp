// SPDX-License-Identifier: Apache-2.0
// The commands of `roci` with those that it leaves to `roci-verify`.
#include "sim/commands/commands.hpp"

namespace roci::sim {

void add_commands(Command program, Action& action) {
  add_program_commands(program, action);
  add_conform(program, action);
  add_soak(program, action);
}

}  // namespace roci::sim
