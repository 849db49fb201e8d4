// SPDX-License-Identifier: Apache-2.0
// roci link: sets the links of a node, or of one of its adapters, of a simulator in the background
// up or down.
#include <fmt/format.h>

#include <memory>

#include "driver/device/protocol.hpp"
#include "sim/commands/commands.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/instance.hpp"
#include "sim/server/status.hpp"

namespace roci::sim {
namespace {

struct LinkOptions {
  std::string name = "default";
  std::string node;
  std::string state;
};

int run(const LinkOptions& options) {
  const Instance instance(options.name);
  for (const unsigned adapter : adapters_of(status_of(instance), options.node)) {
    driver::protocol::SetLink message{};
    message.header = {static_cast<std::uint32_t>(driver::protocol::Kind::kSetLink), 1};
    message.adapter = adapter;
    message.up = options.state == "up" ? 1 : 0;
    const Descriptor socket(instance.connect());
    exchange(socket.get(), &message, sizeof message);
  }
  fmt::print("the link of {} is {}\n", options.node, options.state);
  return 0;
}

}  // namespace

void add_link(Command program, Action& action) {
  auto options = std::make_shared<LinkOptions>();
  const Command command =
      program.add_command("link",
                          "set the links of a node, or of one of its adapters, of a "
                          "simulator in the background up or down");
  add_instance_name(command, options->name);
  command.add_option("NODE", options->node, "node or adapter, such as n0 or n0/roci1").required();
  command.add_option("STATE", options->state, "up or down").required().one_of({"up", "down"});
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
