// SPDX-License-Identifier: Apache-2.0
// The commands of the program `roci`.
#include "sim/commands/commands.hpp"

namespace roci::sim {

void add_commands(CLI::App& app, Action& action) {
  add_demo(app, action);
  add_transfer(app, action);
  add_bench(app, action);
  add_devices(app, action);
  add_verify(app, action);
  add_up(app, action);
  add_exec(app, action);
  add_link(app, action);
  add_status(app, action);
  add_down(app, action);
  add_peer(app, action);
  add_interop(app, action);
}

}  // namespace roci::sim
