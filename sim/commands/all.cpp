// SPDX-License-Identifier: Apache-2.0
// The commands of the program `roci`.
#include "sim/commands/commands.hpp"

extern const char* const kVersion;  // cmake/version.cmake

namespace roci::sim {

void add_commands(CLI::App& app, Action& action) {
  app.set_version_flag("--version", std::string("roci ") + kVersion);
  add_program_commands(app, action);
  add_verify(app, action);
}

}  // namespace roci::sim
