// SPDX-License-Identifier: Apache-2.0
// Joins a node to a port of the real world: moves frames between the port and the two channels of
// the node, and holds simulated time back while someone real is at the other end.
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
  double pace = 1;  ///< simulated time per real time, at most, while the port is live; 0: any
};

class PortBridge {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  using ToEthernet = std::function<void(const packet::Bytes&)>;

  /// `out` carries what the node sends, `in` what it gets. Frames of the TAP go to `to_ethernet`.
  PortBridge(const NodePorts& ports, LinkDirection& out, LinkDirection& in, ToEthernet to_ethernet)
      : ports_(ports),
        out_(out),
        in_(in),
        to_ethernet_(std::move(to_ethernet)),
        live_((ports.port != nullptr && ports.port->live()) || ports.tap != nullptr),
        pace_(live_ ? ports.pace : 0) {}

  bool live() const { return live_; }
  const NodePorts& ports() const { return ports_; }

  /// Moves all frames that are there.
  void pump(std::uint64_t now_ns);
  /// While clocks are evaluated: as above, now and then, since asking costs as much as a clock.
  void pump_sometimes(std::uint64_t now_ns) {
    constexpr unsigned kEvery = 16;
    if (++clocks_ % kEvery == 0 || (!held_ && out_.next_ns() <= now_ns)) pump(now_ns);
  }
  /// When the next frame has to be moved, as far as that is known.
  std::uint64_t next_ns() const;

  /// Descriptors that become readable when a frame comes; -1: none.
  std::array<int, 2> descriptors() const;
  /// Must be polled now and then, whatever the descriptors signal.
  bool needs_asking() const {
    return held_ || (ports_.port != nullptr && ports_.port->descriptor() < 0);
  }
  static constexpr std::uint64_t kAskingNs = 50'000;  ///< how often, in real time

  /// Nothing happens in the adapter before `until`: waits in real time as the pace requires, and
  /// returns the simulated time reached, earlier when a frame has come.
  std::uint64_t wait(std::uint64_t now_ns, std::uint64_t until);

  /// A frame came out of the Ethernet path; false when there is no TAP.
  bool from_ethernet(std::uint64_t now_ns, const packet::Bytes& frame) {
    if (ports_.tap == nullptr) return false;
    ports_.tap->send(now_ns, frame);
    return true;
  }

 private:
  /// For frames that come: the peer is held back where its port can do that, not the simulation.
  bool room() const;
  /// True when there is something to move.
  bool sleep(std::uint64_t real_ns) const;

  NodePorts ports_;
  LinkDirection& out_;
  LinkDirection& in_;
  ToEthernet to_ethernet_;
  bool live_;
  Pace pace_;
  unsigned clocks_ = 0;
  packet::Bytes frame_, leaving_;
  bool held_ = false;  ///< `leaving_` waits for the port to take it
};

}  // namespace roci::testbench::ports
