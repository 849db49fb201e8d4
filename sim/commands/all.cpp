// SPDX-License-Identifier: Apache-2.0
// The commands of the program `roci`.
#include "sim/commands/commands.hpp"

extern const char* const kVersion;  // cmake/version.cmake

namespace roci::sim {

void add_commands(Command program, Action& action) {
  program.set_version(std::string("roci ") + kVersion);
  add_program_commands(program, action);
  add_verify(program, action);
}

}  // namespace roci::sim
