// SPDX-License-Identifier: Apache-2.0
// External ports of the nodes of a simulator in the background, from --wire and --netdev.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/server/node_names.hpp"
#include "testbench/ports/port_bridge.hpp"

namespace roci::sim {

struct ExternalPortOptions {
  std::vector<std::string> wires;    ///< "n1=dgram:..."
  std::vector<std::string> netdevs;  ///< "n1=tap0"
  std::string eal;                   ///< words for DPDK
  double pace = 1;                   ///< simulated time per time of the other end, at most; 0: any
  std::string clock;                 ///< file that shows that time; empty: it is real time
};

/// The ports of one adapter; empty: none.
struct ExternalPortPlan {
  std::string wire, netdev;
};

/// The ports of each adapter. Throws UserError when an option names none of them, or one twice.
std::vector<ExternalPortPlan> plan_external_ports(const ExternalPortOptions& options,
                                                  const Nodes& nodes);

/// The ports and interfaces of all nodes, open while a simulator runs.
class ExternalPorts {
 public:
  /// Throws UserError when one cannot be opened.
  ExternalPorts(const ExternalPortOptions& options, const Nodes& nodes, unsigned first_host);

  const ExternalPortPlan& plan(unsigned adapter) const { return plans_[adapter]; }
  double pace() const { return pace_; }
  const testbench::ports::PeerClock& clock() const { return clock_; }
  testbench::ports::NodePorts ports(unsigned adapter) const {
    return {ports_[adapter].get(), taps_[adapter].get(), pace_, clock_};
  }

 private:
  std::vector<ExternalPortPlan> plans_;
  double pace_;
  testbench::ports::PeerClock clock_;
  std::vector<std::unique_ptr<testbench::ports::ExternalPort>> ports_, taps_;
};

}  // namespace roci::sim
