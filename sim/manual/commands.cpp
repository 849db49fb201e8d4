// SPDX-License-Identifier: Apache-2.0
// The commands of `roci` with those that it leaves to `roci-verify`.
#include "sim/commands/commands.hpp"

namespace roci::sim {

void add_commands(CLI::App& app, Action& action) {
  add_program_commands(app, action);
  add_conform(app, action);
  add_soak(app, action);
}

}  // namespace roci::sim
