// SPDX-License-Identifier: Apache-2.0
// roci up: starts a simulator in the background.
#include <fmt/format.h>

#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/peer/attach.hpp"
#include "sim/report/files.hpp"
#include "sim/server/daemon.hpp"
#include "sim/time_options.hpp"

namespace roci::sim {
namespace {

constexpr unsigned kMostNodes = 16, kMostAdapters = 8;
constexpr unsigned kMostGbps = 800;
constexpr unsigned kHosts = 255;  // host addresses of 10.0.0.0/24

int run(const UpOptions& options) {
  if (options.host + options.nodes.nodes > kHosts) {
    throw UserError(fmt::format("--host {}: too many nodes", options.host), 2);
  }
  if (options.time.simulated && !options.external_ports.wires.empty()) {
    throw UserError("--time simulated: what is at the end of a --wire has real time", 2);
  }
  const int pid = start_in_background(options);
  const std::string name = options.name == "default" ? "" : " --name " + options.name;
  const Nodes& nodes = options.nodes;
  const std::string adapters =
      nodes.adapters_each == 1
          ? ""
          : fmt::format(" with roci0 to {}", verbs::device_name(nodes.adapters_each - 1));
  fmt::print(
      "{} is up: {}{}, engine {}, {} bits, process {}\n"
      "try: roci exec n0{} -- ibv_devinfo    end it: roci down{}\n",
      options.name, nodes.nodes == 1 ? "node n0" : fmt::format("nodes n0 to n{}", nodes.nodes - 1),
      adapters, name_of(options.world.engine), options.world.width, pid, name, name);
  return 0;
}

}  // namespace

void add_instance_name(Command program, std::string& name) {
  program.add_option("--name", name, "name of the simulator").type_name("X").show_default();
}

void add_up(Command program, Action& action) {
  auto options = std::make_shared<UpOptions>();
  const Command command = program.add_command("up", "start a simulator in the background");
  add_instance_name(command, options->name);
  command.add_option("--nodes", options->nodes.nodes, "nodes, joined by a switch")
      .range(1u, kMostNodes)
      .type_name("N")
      .show_default();
  command
      .add_option("--adapters", options->nodes.adapters_each, "adapters of each node: roci0, ...")
      .range(1u, kMostAdapters)
      .type_name("N")
      .show_default();
  ExternalPortOptions& external_ports = options->external_ports;
  command
      .add_option("--wire", external_ports.wires,
                  "external port of a node: n0=dgram:LOCAL,REMOTE, "
                  "n0=pcap:IN[,OUT], n0=dpdk:DEVARGS")
      .type_name("NODE=WIRE")
      .repeated();
  command
      .add_option("--netdev", external_ports.netdevs,
                  "TAP interface that joins the host's IP stack to a node's Ethernet path")
      .type_name("NODE=NAME")
      .repeated();
  command.add_flag("--host-devices", options->host_devices,
                   "programs see the RDMA devices of the host beside roci0");
  add_time_options(command, options->time);
  command.add_option("--faults", options->faults, "script of faults (TOML): docs/live_faults.md")
      .type_name("FILE");
  add_pace_options(command, external_ports.eal, external_ports.pace, external_ports.clock,
                   options->host);
  command
      .add_option("--rate", options->rate_gbps,
                  "rate of the links in Gb/s [100; 10, 25 or 50 with --width 64, 128 or 256]")
      .range(1u, kMostGbps)
      .type_name("G");
  add_link_options(command, options->world);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
