// SPDX-License-Identifier: Apache-2.0
// The programs `roci` and `roci-verify`.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "sim/commands/commands.hpp"
#include "sim/numbers.hpp"
#include "sim/report/files.hpp"

namespace {

/// The first line of a message, without trailing stops of lists.
std::string one_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int run(int argc, char** argv) {
  CLI::App app{roci::sim::kProgramText};
  app.name("roci");
  app.require_subcommand(1);
  app.footer("'roci COMMAND --help' prints the options of a command. 'roci test' runs the tests.");
  roci::sim::Action action;
  roci::sim::add_commands(app, action);
  const auto is_first_word = [&](const CLI::App* command) {
    return argc > 1 && command->check_name(argv[1]);
  };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_first_word).empty()) {
    throw roci::sim::UserError(fmt::format("no command '{}'; see 'roci --help'", argv[1]), 2);
  }
  roci::sim::reject_numbers_that_wrap(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "roci: {}; see --help\n", one_line(error.what()));
    return 2;
  }
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
