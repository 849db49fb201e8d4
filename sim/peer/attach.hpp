// SPDX-License-Identifier: Apache-2.0
// The connections of a node to the outside world, as options of a command describe them.
#pragma once

#include <memory>
#include <string>

#include "sim/command_line.hpp"
#include "testbench/world.hpp"

namespace roci::sim {

struct WireOptions {
  std::string wire;  ///< port, as testbench/ports/port.hpp names them
  std::string eal;   ///< words for DPDK
  std::string
      netdev;  ///< TAP interface; empty: the firmware replies to ARP and neighbour discovery
  double pace = 1;
  std::string clock;  ///< file that shows the other end's time; empty: real time
  unsigned host = 1;  ///< last byte of the node's addresses
};

/// Adds --wire, --eal, --netdev, --pace, --clock and --host.
void add_wire_options(Command command, WireOptions& options);
/// Adds --eal, --pace, --clock and --host alone.
void add_pace_options(Command command, std::string& eal, double& pace, std::string& clock,
                      unsigned& host);

/// Keeps the ports open while a simulation runs.
class Attachment {
 public:
  /// Opens what the options name. Throws UserError.
  explicit Attachment(const WireOptions& options);

  /// One node at these connections.
  void apply(testbench::Config& config) const;
  /// MAC address of a neighbour when the host's IP stack resolves; 0: the firmware does. Throws
  /// UserError when it is not found.
  std::uint64_t resolve(testbench::Node& node, const driver::Gid& gid) const;

  const testbench::ports::ExternalPort& port() const { return *port_; }

 private:
  WireOptions options_;
  testbench::ports::PeerClock clock_;
  std::unique_ptr<testbench::ports::ExternalPort> port_, tap_;
};

}  // namespace roci::sim
