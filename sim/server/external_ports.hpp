// SPDX-License-Identifier: Apache-2.0
// External ports of the nodes of a simulator in the background, from --wire and --netdev.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "testbench/ports/port_bridge.hpp"

namespace roci::sim {

struct ExternalPortOptions {
  std::vector<std::string> wires;    ///< "n1=dgram:..."
  std::vector<std::string> netdevs;  ///< "n1=tap0"
  std::string eal;                   ///< words for DPDK
  double pace = 1;                   ///< simulated time per real time, at most; 0: any
};

/// The ports of one node; empty: none.
struct ExternalPortPlan {
  std::string wire, netdev;
};

/// The ports of each node. Throws UserError when an option names no node, or a node twice.
std::vector<ExternalPortPlan> plan_external_ports(const ExternalPortOptions& options,
                                                  unsigned nodes);

/// The ports and interfaces of all nodes, open while a simulator runs.
class ExternalPorts {
 public:
  /// Throws UserError when one cannot be opened.
  ExternalPorts(const ExternalPortOptions& options, unsigned nodes, unsigned first_host);

  const ExternalPortPlan& plan(unsigned node) const { return plans_[node]; }
  double pace() const { return pace_; }
  testbench::ports::NodePorts ports(unsigned node) const {
    return {ports_[node].get(), taps_[node].get(), pace_};
  }

 private:
  std::vector<ExternalPortPlan> plans_;
  double pace_;
  std::vector<std::unique_ptr<testbench::ports::ExternalPort>> ports_, taps_;
};

}  // namespace roci::sim
