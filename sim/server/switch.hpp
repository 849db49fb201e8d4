// SPDX-License-Identifier: Apache-2.0
// The switch between the nodes: forwards whole frames by destination MAC address.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "testbench/link/link_direction.hpp"

namespace roci::sim {

/// What joins the nodes: the way of a frame from a node to the switch has delay and faults, the way
/// back has the rate alone. Frames to a group go to all others; frames to the sender's own address
/// come back to it.
///
/// A node may have an external_port to the world outside: what it sends to a group, or to an
/// address that no node has, leaves there, and what comes in there is for this node alone, with the
/// same faults.
class Switch {
 public:
  /// `uplink`: of every node; `node` and `seed` are set here.
  Switch(unsigned nodes, const testbench::LinkConfig& uplink);

  testbench::LinkDirection& from(unsigned node) { return *up_[node]; }
  testbench::LinkDirection& to(unsigned node) { return *down_[node]; }
  /// Gives a node an external_port. Sender of what comes in there: `nodes` + `node`.
  void add_external_port(unsigned node);
  bool has_external_port(unsigned node) const { return external_ports_[node].leaving != nullptr; }
  testbench::LinkDirection& leaving(unsigned node) { return *external_ports_[node].leaving; }
  testbench::LinkDirection& arriving(unsigned node) { return *external_ports_[node].arriving; }

  /// Whose frames leave by which port.
  void set_mac(unsigned node, std::uint64_t mac) { macs_[node] = mac; }

  /// Pulls out the cable of a node, or plugs it in: without it frames are lost both ways.
  void set_link(unsigned node, bool up) { linked_[node] = up; }
  bool linked(unsigned node) const { return linked_[node]; }

  /// While this says so of a node, its NAKs of memory that fails are lost: where a process has
  /// died, its peers shall meet silence, as if the host had gone, until its queue pairs have.
  void set_silence(std::function<bool(unsigned node)> silent) { silent_ = std::move(silent); }

  /// Forwards what has arrived by `now_ns`.
  void forward(std::uint64_t now_ns);
  std::uint64_t next_ns() const;

  /// Frames for addresses that nobody has, for ports with too much waiting, and without a cable.
  struct Drops {
    std::uint64_t unknown = 0, congested = 0, unplugged = 0, silenced = 0;
  };
  const Drops& drops() const { return drops_; }

 private:
  struct ExternalPort {
    std::unique_ptr<testbench::LinkDirection> leaving, arriving;
  };

  void forward_from(unsigned node, std::uint64_t now_ns);
  /// Loses the frame when the cable of the node is out.
  void to_node(unsigned node, std::uint64_t now_ns, const packet::Bytes& frame);
  void send(testbench::LinkDirection& to, std::uint64_t now_ns, const packet::Bytes& frame);

  testbench::LinkConfig uplink_;
  std::vector<std::unique_ptr<testbench::LinkDirection>> up_, down_;
  std::vector<ExternalPort> external_ports_;
  packet::Bytes frame_;  ///< being forwarded
  std::vector<std::uint64_t> macs_;
  std::vector<bool> linked_;
  std::function<bool(unsigned)> silent_;
  Drops drops_;
};

}  // namespace roci::sim
