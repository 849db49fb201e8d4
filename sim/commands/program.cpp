// SPDX-License-Identifier: Apache-2.0
#include "sim/commands/commands.hpp"

namespace roci::sim {

void add_program_commands(CLI::App& app, Action& action) {
  add_demo(app, action);
  add_transfer(app, action);
  add_bench(app, action);
  add_devices(app, action);
  add_up(app, action);
  add_exec(app, action);
  add_fault(app, action);
  add_link(app, action);
  add_status(app, action);
  add_top(app, action);
  add_down(app, action);
  add_peer(app, action);
  add_interop(app, action);
}

}  // namespace roci::sim
