// SPDX-License-Identifier: Apache-2.0
// roci status: counters and processes of a simulator in the background.
#include "sim/server/status.hpp"

#include <fmt/format.h>

#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/faults_of.hpp"
#include "sim/server/instance.hpp"

namespace roci::sim {
namespace {

struct StatusOptions {
  std::string name = "default";
  bool json = false, queue_pairs = false;
};

/// Nothing for a node whose connection manager was never used.
void print_connection_manager(const nlohmann::json& counts) {
  if (counts.is_null()) return;  // shown with another adapter of the node
  const auto number = [&](const char* name) { return counts[name].get<std::uint64_t>(); };
  if (number("received") + number("sent") + number("dropped") == 0) return;
  fmt::print("  connection manager: {} connections, {} messages in, {} out", number("connections"),
             number("received"), number("sent"));
  for (const char* name : {"malformed", "unknown", "unexpected", "rejected", "stale", "dropped"}) {
    if (number(name) != 0) fmt::print(", {} {}", number(name), name);
  }
  fmt::print("\n");
}

void print(const nlohmann::json& all) {
  fmt::print("{}: process {}, engine {}, {} bits, {:.6f} s simulated, {} clocks evaluated\n",
             all["name"].get<std::string>(), all["pid"].get<int>(),
             all["engine"].get<std::string>(), all["width"].get<unsigned>(),
             static_cast<double>(all["simulated_ns"].get<std::uint64_t>()) / 1e9,
             all["clocks"].get<std::uint64_t>());
  if (const auto& time = all["time"]; time["simulated"]) {
    fmt::print("simulated time for {} processes: {} stops, {} graces\n",
               time["processes"].get<std::size_t>(), time["stops"].get<std::uint64_t>(),
               time["graces"].get<std::uint64_t>());
  }
  for (const auto& node : all["nodes"]) {
    const auto& port = node["port"];
    const auto& link = node["link"];
    fmt::print(
        "{}: {} frames in, {} out; on its link {} lost, {} corrupted, {} duplicated, {} late\n",
        node["name"].get<std::string>(), port["rx_frames"].get<std::uint64_t>(),
        port["tx_frames"].get<std::uint64_t>(), link["lost"].get<std::uint64_t>(),
        link["corrupted"].get<std::uint64_t>(), link["duplicated"].get<std::uint64_t>(),
        link["delayed"].get<std::uint64_t>());
    if (const auto& external_port = node["external_port"]; !external_port.is_null()) {
      for (const auto& [end, name] : {std::pair{"port", "wire"}, {"tap", "netdev"}}) {
        const auto& counts = external_port[end];
        if (counts.is_null()) continue;
        fmt::print("  {} {}: {} frames in, {} out, {} not sent, {} malformed\n", name,
                   external_port[name].get<std::string>(), counts["received"].get<std::uint64_t>(),
                   counts["sent"].get<std::uint64_t>(),
                   counts["send_failures"].get<std::uint64_t>(),
                   counts["malformed"].get<std::uint64_t>());
      }
    }
    print_connection_manager(node["connection_manager"]);
    if (!link["up"].get<bool>()) fmt::print("  its link is down\n");
    std::string drops;
    const auto add = [&](const std::string& cause, const nlohmann::json& count) {
      if (count != 0) drops += fmt::format(" {} {}", cause, count.get<std::uint64_t>());
    };
    for (const auto& [cause, count] : port["drops"].items()) add(cause, count);
    add("Qkey", port["qkey_violations"]);
    add("Discarded", port["discards"]);
    if (!drops.empty()) fmt::print("  dropped:{}\n", drops);
    for (const auto& process : node["processes"]) {
      fmt::print("  process {}: {} QP, {} CQ, {} MR, {} MW, {} SRQ, {} AH, {} PD{}\n",
                 process["pid"].get<int>(), process["queue_pairs"].get<unsigned>(),
                 process["completion_queues"].get<unsigned>(), process["regions"].get<unsigned>(),
                 process["windows"].get<unsigned>(),
                 process["shared_receive_queues"].get<unsigned>(),
                 process["address_handles"].get<unsigned>(), process["domains"].get<unsigned>(),
                 process["ended"].get<bool>() ? ", being destroyed" : "");
    }
  }
}

void print_faults(const nlohmann::json& faults) {
  for (const auto& fault : faults) {
    const auto fired = fault["fired"].get<std::uint64_t>();
    if (fired != 0) fmt::print("{} fired {} times\n", fault_text(fault), fired);
  }
  print_silent_faults(faults);
}

int run(const StatusOptions& options) {
  const nlohmann::json all = status_of(Instance(options.name), options.queue_pairs);
  if (options.json) {
    fmt::print("{}\n", all.dump(2));
  } else {
    print(all);
    print_faults(all["faults"]);
  }
  return 0;
}

}  // namespace

void add_status(Command program, Action& action) {
  auto options = std::make_shared<StatusOptions>();
  const Command command =
      program.add_command("status", "show the status of a simulator in the background");
  add_instance_name(command, options->name);
  command.add_flag("--json", options->json, "print as JSON");
  command.add_flag("--queue-pairs", options->queue_pairs,
                   "with --json: each queue pair with its counters too");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
