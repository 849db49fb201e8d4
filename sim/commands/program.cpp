// SPDX-License-Identifier: Apache-2.0
#include "sim/commands/commands.hpp"

namespace roci::sim {

void add_program_commands(Command program, Action& action) {
  add_demo(program, action);
  add_transfer(program, action);
  add_bench(program, action);
  add_devices(program, action);
  add_up(program, action);
  add_exec(program, action);
  add_fault(program, action);
  add_link(program, action);
  add_status(program, action);
  add_top(program, action);
  add_down(program, action);
  add_peer(program, action);
  add_interop(program, action);
}

}  // namespace roci::sim
