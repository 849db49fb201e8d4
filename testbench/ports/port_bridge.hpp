// SPDX-License-Identifier: Apache-2.0
// Joins a node to an external port: moves frames between the port and the two link directions of
// the node, and limits simulated time to that of the other end.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "testbench/link/link_direction.hpp"
#include "testbench/ports/pace.hpp"
#include "testbench/ports/port.hpp"

namespace roci::testbench::ports {

/// Connections of a node to the outside.
struct NodePorts {
  ExternalPort* port = nullptr;  ///< the link; with a TAP it may be missing
  ExternalPort* tap =
      nullptr;      ///< interface of the host's IP stack, at the adapter's Ethernet path; or none
  double pace = 1;  ///< simulated time per time of the other end, at most, if it is live; 0: any
  PeerClock clock = {};  ///< clock of the other end
};

class PortBridge {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  using ToEthernet = std::function<void(const packet::Bytes&)>;

  /// `out` carries frames from the node, `in` frames to it. Frames of the TAP go to `to_ethernet`.
  PortBridge(const NodePorts& ports, LinkDirection& out, LinkDirection& in, ToEthernet to_ethernet)
      : ports_(ports),
        out_(out),
        in_(in),
        to_ethernet_(std::move(to_ethernet)),
        live_((ports.port != nullptr && ports.port->live()) || ports.tap != nullptr),
        pace_(live_ ? ports.pace : 0, ports.clock) {}

  bool live() const { return live_; }
  const NodePorts& ports() const { return ports_; }

  /// Moves all frames that have arrived.
  void pump(std::uint64_t now_ns);
  /// Does the same while clocks are evaluated, at intervals, because a poll costs as much as a
  /// clock.
  void pump_sometimes(std::uint64_t now_ns) {
    constexpr unsigned kEvery = 16;
    if (++clocks_ % kEvery == 0 || (!held_ && out_.next_ns() <= now_ns)) pump(now_ns);
  }
  /// Time at which the next frame has to be moved, as far as known.
  std::uint64_t next_ns() const;

  /// Descriptors that become readable when a frame arrives; -1: none.
  std::array<int, 2> descriptors() const;
  /// Whether it must be polled at intervals, whatever the descriptors signal.
  bool needs_asking() const {
    return held_ || (ports_.port != nullptr && ports_.port->descriptor() < 0);
  }
  static constexpr std::uint64_t kAskingNs = 50'000;  ///< interval of the polls in real time

  /// Called when the adapter is idle until `until`: waits in real time as the pace requires, and
  /// returns the simulated time reached, earlier when a frame has arrived.
  std::uint64_t wait(std::uint64_t now_ns, std::uint64_t until);

  /// Sends a frame of the Ethernet path to the TAP; false when there is none.
  bool from_ethernet(std::uint64_t now_ns, const packet::Bytes& frame) {
    if (ports_.tap == nullptr) return false;
    ports_.tap->send(now_ns, frame);
    return true;
  }

 private:
  /// Takes received frames; a port that can applies back-pressure to the peer, not to the
  /// simulation.
  bool room() const;
  /// Whether there are frames to move.
  bool sleep(std::uint64_t real_ns) const;

  NodePorts ports_;
  LinkDirection& out_;
  LinkDirection& in_;
  ToEthernet to_ethernet_;
  bool live_;
  Pace pace_;
  unsigned clocks_ = 0;
  packet::Bytes frame_, leaving_;
  bool held_ = false;  ///< `leaving_` waits until the port accepts it
};

}  // namespace roci::testbench::ports
