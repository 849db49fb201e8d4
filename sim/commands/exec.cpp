// SPDX-License-Identifier: Apache-2.0
// roci exec: runs a program on a node of a simulator in the background.
#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "sim/commands/commands.hpp"
#include "sim/report/files.hpp"
#include "sim/server/environment.hpp"
#include "sim/server/status.hpp"

namespace roci::sim {
namespace {

constexpr int kNotFound = 127, kNotExecutable = 126;  // exit statuses of shells

struct ExecOptions {
  std::string name = "default";
  std::string node;
  bool env = false, host_devices = false;
  std::vector<std::string> command;
};

/// Quotes the text as one word of a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

int run(const ExecOptions& options) {
  if (options.env != options.command.empty()) {
    throw UserError("give either --env or a command: roci exec NODE -- CMD ...", 2);
  }
  const Instance instance(options.name);
  const nlohmann::json status = status_of(instance);
  adapters_of(status, options.node);
  if (options.node.find('/') != std::string::npos) {
    throw UserError("a program runs on a node and sees all of its adapters: roci exec n0 ...", 2);
  }
  const auto variables = environment_of(
      instance, options.node,
      {options.host_devices || status.at("host_devices"), status.at("simulated_time")});
  if (variables.back().first != "LD_PRELOAD") {
    fmt::print(stderr,
               "roci: libroci-verbs.so is not built; programs of libibverbs will not find "
               "the adapter\n");
  }
  if (options.env) {
    for (const auto& [name, value] : variables) fmt::print("export {}={}\n", name, quoted(value));
    return 0;
  }
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  // The adapter sees the addresses of the program, and some of its timing depends on them.
  constexpr unsigned long kQuery = 0xFFFFFFFF;
  if (status.at("simulated_time")) {
    personality(static_cast<unsigned long>(personality(kQuery)) | ADDR_NO_RANDOMIZE);
  }
  std::vector<char*> arguments;
  for (const std::string& word : options.command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  std::fflush(stdout);
  execvp(arguments[0], arguments.data());
  throw UserError(fmt::format("{}: {}", options.command[0], std::strerror(errno)),
                  errno == ENOENT ? kNotFound : kNotExecutable);
}

}  // namespace

void add_exec(Command program, Action& action) {
  auto options = std::make_shared<ExecOptions>();
  const Command command = program.add_command(
      "exec", "run a program on a node of a simulator in the background: roci exec n0 -- CMD ...");
  add_instance_name(command, options->name);
  command.add_option("NODE", options->node, "node, such as n0").required();
  command.add_flag("--env", options->env, "print the environment for a shell instead");
  command.add_flag("--host-devices", options->host_devices,
                   "show the RDMA devices of the host beside roci0");
  command.add_option("CMD", options->command, "program and its arguments, after --");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
