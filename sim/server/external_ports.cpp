// SPDX-License-Identifier: Apache-2.0
#include "sim/server/external_ports.hpp"

#include <fmt/format.h>

#include "sim/report/files.hpp"
#include "sim/server/node.hpp"
#include "sim/server/node_names.hpp"

namespace roci::sim {
namespace {

/// Stores the value of each "n1=VALUE" with its node.
void distribute(const char* option, const std::vector<std::string>& texts, const char* example,
                std::string ExternalPortPlan::*member, std::vector<ExternalPortPlan>& plans) {
  constexpr int kUsageError = 2;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const unsigned node = node_of(text.substr(0, equals), static_cast<unsigned>(plans.size()));
    if (equals == std::string::npos || equals + 1 == text.size() || node == plans.size()) {
      throw UserError(fmt::format("{}: '{}' names none of the {} nodes; write n0={}", option, text,
                                  plans.size(), example),
                      kUsageError);
    }
    std::string& value = plans[node].*member;
    if (!value.empty()) {
      throw UserError(fmt::format("{}: n{} has one already", option, node), kUsageError);
    }
    value = text.substr(equals + 1);
  }
}

}  // namespace

std::vector<ExternalPortPlan> plan_external_ports(const ExternalPortOptions& options,
                                                  unsigned nodes) {
  std::vector<ExternalPortPlan> plans(nodes);
  distribute("--wire", options.wires, "dgram:LOCAL,REMOTE", &ExternalPortPlan::wire, plans);
  distribute("--netdev", options.netdevs, "NAME", &ExternalPortPlan::netdev, plans);
  return plans;
}

ExternalPorts::ExternalPorts(const ExternalPortOptions& options, unsigned nodes,
                             unsigned first_host)
    : plans_(plan_external_ports(options, nodes)),
      pace_(options.pace),
      ports_(nodes),
      taps_(nodes) {
  using namespace testbench;
  for (unsigned i = 0; i < nodes; ++i) {
    try {
      if (!plans_[i].wire.empty()) ports_[i] = ports::make_port(plans_[i].wire, options.eal);
      if (!plans_[i].netdev.empty()) {
        taps_[i] = ports::make_tap(plans_[i].netdev, FabricNode::mac_of(first_host + i));
      }
    } catch (const ports::PortError& error) {
      throw UserError(fmt::format("n{}: {}", i, error.what()));
    }
  }
}

}  // namespace roci::sim
