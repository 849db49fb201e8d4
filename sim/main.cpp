// SPDX-License-Identifier: Apache-2.0
// The programs `roci` and `roci-verify`.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "sim/command_line.hpp"
#include "sim/commands/commands.hpp"
#include "sim/report/files.hpp"

namespace {

/// The first line of a message, without trailing stops of lists.
std::string one_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int run(int argc, char** argv) {
  const roci::sim::CommandLine line(roci::sim::kProgramText);
  roci::sim::Action action;
  roci::sim::add_commands(line.program(), action);
  if (const auto status = line.parse(argc, argv)) return *status;
  return action();
}

}  // namespace

/// SystemC brings a main of its own; this one is the program's.
int main(int argc, char** argv) {
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) != 0) throw roci::sim::UserError("cannot write to standard output");
    return status;
  } catch (const roci::sim::UserError& error) {
    fmt::print(stderr, "roci: {}\n", one_line(error.what()));
    return error.status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "roci: {}\n", one_line(error.what()));
    return 1;
  }
}
