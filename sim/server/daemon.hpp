// SPDX-License-Identifier: Apache-2.0
// The simulator as a process in the background.
#pragma once

#include <string>

#include "sim/options.hpp"
#include "sim/server/external_ports.hpp"
#include "sim/server/simulated_time.hpp"

namespace roci::sim {

struct UpOptions {
  std::string name = "default";
  Nodes nodes;
  unsigned host = 1;  ///< last byte of the addresses of n0
  ExternalPortOptions external_ports;
  unsigned rate_gbps = 0;  ///< rate of the links; 0: that of the width
  std::string faults;      ///< file of a script; empty: none
  TimeOptions time;
  bool host_devices = false;  ///< programs see the RDMA devices of the host as well
  WorldOptions world;
};

/// Starts a simulator and returns its process id when it accepts connections. Throws UserError
/// after removing all files and processes of it.
int start_in_background(const UpOptions& options);

}  // namespace roci::sim
