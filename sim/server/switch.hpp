// The switch between the nodes: forwards whole frames by destination MAC address.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "testbench/link/channel.hpp"

namespace roci::sim {

/// What joins the nodes: the way of a frame from a node to the switch has delay and faults, the way
/// back has the rate alone. Frames to a group go to all others; frames to the sender's own address
/// come back to it.
class Switch {
 public:
  /// `uplink`: of every node; `node` and `seed` are set here.
  Switch(unsigned nodes, const testbench::ChannelConfig& uplink);

  testbench::Channel& from(unsigned node) { return *up_[node]; }
  testbench::Channel& to(unsigned node) { return *down_[node]; }
  /// Whose frames leave by which port.
  void set_mac(unsigned node, std::uint64_t mac) { macs_[node] = mac; }

  /// Forwards what has arrived by `now_ns`.
  void forward(std::uint64_t now_ns);
  std::uint64_t next_ns() const;

  /// Frames for addresses that nobody has, and for ports with too much waiting.
  struct Drops {
    std::uint64_t unknown = 0, congested = 0;
  };
  const Drops& drops() const { return drops_; }

 private:
  void send(unsigned port, std::uint64_t now_ns, const packet::Bytes& frame);

  std::vector<std::unique_ptr<testbench::Channel>> up_, down_;
  packet::Bytes frame_;  ///< being forwarded
  std::vector<std::uint64_t> macs_;
  Drops drops_;
};

}  // namespace roci::sim
