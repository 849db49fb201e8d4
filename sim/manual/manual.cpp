// SPDX-License-Identifier: Apache-2.0
// Writes the manual page and the shell completion of `roci` from its option parser.
//
// usage: roci-manual man | completion
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "sim/commands/commands.hpp"

namespace {

/// Text in which roff sees no command and no escape.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '-') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  const bool is_command = !result.empty() && (result[0] == '.' || result[0] == '\'');
  return is_command ? "\\&" + result : result;
}

void print_options(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const bool positional = option->get_positional();
    std::string name = option->get_name(positional, !positional);
    if (!positional && !option->get_type_name().empty() && option->get_items_expected() != 0) {
      name += " " + option->get_type_name();
    }
    std::string text = option->get_description();
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    fmt::print(".TP\n.B {}\n{}\n", roff(name), roff(text));
  }
}

void print_man(const CLI::App& app) {
  fmt::print(
      ".TH ROCI 1 \"\" \"Rocinante {}\"\n.SH NAME\nroci \\- {}\n"
      ".SH SYNOPSIS\n.B roci\n.I COMMAND\n[\\fIOPTION\\fR ...]\n"
      ".SH DESCRIPTION\nErrors are one line on standard error. The exit status is 0 when the "
      "command "
      "did what was requested, 1 when something failed, and 2 when the command line is wrong.\n"
      ".SH COMMANDS\n",
      ROCI_VERSION, roff(app.get_description()));
  for (const CLI::App* command : app.get_subcommands({})) {
    fmt::print(".SS roci {}\n{}\n", command->get_name(), roff(command->get_description()));
    print_options(*command);
  }
}

void print_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += " " + command->get_name();
    std::string options;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) options += " --" + name;
    }
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), options.substr(1));
  }
  fmt::print(
      "# Completion of roci for bash.\n"
      "_roci() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} words=\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  ((COMP_CWORD == 1)) && words=\"{} --help --version\"\n"
      "  [[ $COMP_CWORD -gt 1 && $word != -* ]] && words=\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}}\n"
      "complete -o default -F _roci roci\n",
      cases, commands.substr(1));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{roci::sim::kProgramText};
  roci::sim::Action action;
  roci::sim::add_commands(roci::sim::Command(app), action);
  const std::string what = argc == 2 ? argv[1] : "";
  if (what == "man") {
    print_man(app);
  } else if (what == "completion") {
    print_completion(app);
  } else {
    fmt::print(stderr, "usage: roci-manual man | completion\n");
    return 2;
  }
  return 0;
}
