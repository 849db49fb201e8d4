// SPDX-License-Identifier: Apache-2.0
// The switch between the nodes: forwards whole frames by destination MAC address.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "testbench/link/link_direction.hpp"

namespace roci::sim {

/// The switch of all nodes: the direction from a node to the switch has delay and faults, the
/// opposite direction has the rate alone. Frames to a group address go to all other nodes; frames
/// to the sender's own address return to it.
///
/// A node may have an external port: its frames to a group address, or to an address of no node,
/// leave there, and frames received there go to this node alone, with the same faults.
class Switch {
 public:
  /// `uplink`: parameters of every node; `node` and `seed` are set here.
  Switch(unsigned nodes, const testbench::LinkConfig& uplink);

  testbench::LinkDirection& from(unsigned node) { return *up_[node]; }
  testbench::LinkDirection& to(unsigned node) { return *down_[node]; }
  /// Gives a node an external port. Frames received there have the sender `nodes` + `node`.
  void add_external_port(unsigned node);
  bool has_external_port(unsigned node) const { return external_ports_[node].leaving != nullptr; }
  testbench::LinkDirection& leaving(unsigned node) { return *external_ports_[node].leaving; }
  testbench::LinkDirection& arriving(unsigned node) { return *external_ports_[node].arriving; }

  /// The direction by which the frames of a sender enter: of a node, or from its external port.
  testbench::LinkDirection& entry(unsigned sender) {
    return sender < up_.size() ? *up_[sender]
                               : arriving(sender - static_cast<unsigned>(up_.size()));
  }
  /// The node of a MAC address; the number of nodes: none.
  unsigned owner(std::uint64_t mac) const;

  /// Calls a function at a simulated time.
  void at(std::uint64_t at_ns, std::function<void()> call) {
    later_.emplace(at_ns, std::move(call));
  }

  /// Ports by which the frames of each node leave.
  void set_mac(unsigned node, std::uint64_t mac) { macs_[node] = mac; }

  /// Sets the link of a node up or down; while it is down, frames are lost in both directions.
  void set_link(unsigned node, bool up) { linked_[node] = up; }
  bool linked(unsigned node) const { return linked_[node]; }

  /// While this returns true for a node, its NAKs for failing memory are dropped: after a process
  /// exited, its peers see no response, as if the host were gone, until its queue pairs are
  /// destroyed.
  void set_silence(std::function<bool(unsigned node)> silent) { silent_ = std::move(silent); }

  /// Asked of every frame for a node: true when it is taken out, as a datagram of QP1 is.
  void set_datagrams(std::function<bool(unsigned node, const packet::Bytes&)> take) {
    take_ = std::move(take);
  }

  /// Forwards what has arrived by `now_ns`.
  void forward(std::uint64_t now_ns);
  std::uint64_t next_ns() const;

  /// Frames to unknown addresses, to full ports, and on links that are down.
  struct Drops {
    std::uint64_t unknown = 0, congested = 0, unplugged = 0, silenced = 0;
  };
  const Drops& drops() const { return drops_; }

 private:
  struct ExternalPort {
    std::unique_ptr<testbench::LinkDirection> leaving, arriving;
  };

  void call_due(std::uint64_t now_ns);
  void forward_from(unsigned node, std::uint64_t now_ns);
  /// Drops the frame when the link of the node is down.
  void to_node(unsigned node, std::uint64_t now_ns, packet::Bytes frame);
  void send(testbench::LinkDirection& to, std::uint64_t now_ns, packet::Bytes frame);

  testbench::LinkConfig uplink_;
  std::vector<std::unique_ptr<testbench::LinkDirection>> up_, down_;
  std::vector<ExternalPort> external_ports_;
  packet::Bytes frame_;  ///< being forwarded
  std::multimap<std::uint64_t, std::function<void()>> later_;
  std::vector<std::uint64_t> macs_;
  std::vector<bool> linked_;
  std::function<bool(unsigned)> silent_;
  std::function<bool(unsigned, const packet::Bytes&)> take_;
  Drops drops_;
};

}  // namespace roci::sim
