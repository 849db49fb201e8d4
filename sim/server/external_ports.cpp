// SPDX-License-Identifier: Apache-2.0
#include "sim/server/external_ports.hpp"

#include <fmt/format.h>

#include "sim/report/files.hpp"
#include "sim/server/node.hpp"

namespace roci::sim {
namespace {

/// Stores the value of each "n1=VALUE" with its node.
void distribute(const char* option, const std::vector<std::string>& texts, const char* example,
                std::string ExternalPortPlan::*member, const Nodes& nodes,
                std::vector<ExternalPortPlan>& plans) {
  constexpr int kUsageError = 2;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const unsigned adapter = nodes.index_of(text.substr(0, equals));
    if (equals == std::string::npos || equals + 1 == text.size() || adapter == plans.size()) {
      throw UserError(fmt::format("{}: '{}' names none of the {} nodes; write n0={}", option, text,
                                  nodes.nodes, example),
                      kUsageError);
    }
    std::string& value = plans[adapter].*member;
    if (!value.empty()) {
      throw UserError(fmt::format("{}: {} has one already", option, nodes.name_of(adapter)),
                      kUsageError);
    }
    value = text.substr(equals + 1);
  }
}

}  // namespace

std::vector<ExternalPortPlan> plan_external_ports(const ExternalPortOptions& options,
                                                  const Nodes& nodes) {
  std::vector<ExternalPortPlan> plans(nodes.adapters());
  distribute("--wire", options.wires, "dgram:LOCAL,REMOTE", &ExternalPortPlan::wire, nodes, plans);
  distribute("--netdev", options.netdevs, "NAME", &ExternalPortPlan::netdev, nodes, plans);
  return plans;
}

ExternalPorts::ExternalPorts(const ExternalPortOptions& options, const Nodes& nodes,
                             unsigned first_host)
    : plans_(plan_external_ports(options, nodes)),
      pace_(options.pace),
      ports_(nodes.adapters()),
      taps_(nodes.adapters()) {
  using namespace testbench;
  try {
    if (!options.clock.empty()) clock_ = ports::PeerClock(options.clock);
  } catch (const ports::PortError& error) {
    throw UserError(error.what());
  }
  for (unsigned i = 0; i < nodes.adapters(); ++i) {
    const AdapterAddress address{first_host + nodes.node_of(i), nodes.place_of(i)};
    try {
      if (!plans_[i].wire.empty()) ports_[i] = ports::make_port(plans_[i].wire, options.eal);
      if (!plans_[i].netdev.empty()) {
        taps_[i] = ports::make_tap(plans_[i].netdev, address.mac());
      }
    } catch (const ports::PortError& error) {
      throw UserError(fmt::format("{}: {}", nodes.name_of(i), error.what()));
    }
  }
}

}  // namespace roci::sim
