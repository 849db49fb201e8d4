// SPDX-License-Identifier: Apache-2.0
// A connection from a node to the outside: frames leave and enter the simulation.
//
//   auto port = ports::make_port("dgram:127.0.0.1:5000,127.0.0.1:5001");
//   port->send(now_ns, frame);
//   while (port->receive(now_ns, frame)) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "model/packet/bytes.hpp"

namespace roci::testbench::ports {

/// A port or interface that cannot be opened; the text is one line with the reason.
class PortError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Longest frame without FCS: path MTU 4096 with all headers, or a frame of an ordinary host.
inline constexpr std::size_t kMaxFrame = 9216;

/// Frames are without preamble, FCS and padding. No function waits.
class ExternalPort {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  virtual ~ExternalPort() = default;

  /// False: the receiver is busy; try again soon. A frame that cannot be delivered is lost and
  /// counted, as on any link.
  virtual bool send(std::uint64_t now_ns, const packet::Bytes& frame) = 0;
  /// Takes the next frame that has arrived by `now_ns`.
  virtual bool receive(std::uint64_t now_ns, packet::Bytes& frame) = 0;

  /// Whether the other end runs in real time.
  virtual bool live() const { return true; }
  /// Descriptor that becomes readable when a frame has arrived; -1: the port must be polled.
  virtual int descriptor() const { return -1; }
  /// Simulated time at which the next frame arrives, if known.
  virtual std::uint64_t next_ns() const { return kNever; }

  struct Counts {
    std::uint64_t sent = 0, received = 0;
    std::uint64_t send_failures = 0;  ///< no receiver for the frame
    std::uint64_t malformed = 0;      ///< received, but not an Ethernet frame
  };
  const Counts& counts() const { return counts_; }

 protected:
  /// Whether the frame has the size of an Ethernet frame; counts the others.
  bool sound(std::size_t bytes) {
    constexpr std::size_t kEthernetHeader = 14;
    if (bytes >= kEthernetHeader && bytes <= kMaxFrame) return true;
    ++counts_.malformed;
    return false;
  }

  Counts counts_;
};

/// A port on a descriptor, which it closes; each read takes one frame.
class DescriptorPort : public ExternalPort {
 public:
  ~DescriptorPort() override;
  bool receive(std::uint64_t now_ns, packet::Bytes& frame) override;
  int descriptor() const override { return fd_; }

 protected:
  /// Whether a read may be tried at once after this error.
  virtual bool passing(int error) const;

  int fd_ = -1;  ///< opened by the derived class
};

/// Opens the port that `spec` names:
///   dgram:LOCAL,REMOTE   one frame per datagram; an end is HOST:PORT, PORT of 127.0.0.1, or the
///                        path of a Unix socket
///   pcap:FILE[,OUT]      replays a capture at its times; sent frames are written to OUT
///   dpdk:DEVARGS         a DPDK port; `eal` are further words for its EAL
/// Throws PortError.
std::unique_ptr<ExternalPort> make_port(const std::string& spec, const std::string& eal = {});

std::unique_ptr<ExternalPort> make_dgram_port(const std::string& arguments);
std::unique_ptr<ExternalPort> make_pcap_port(const std::string& arguments);
std::unique_ptr<ExternalPort> make_dpdk_port(const std::string& arguments, const std::string& eal);

/// Opens a TAP interface `name` of this host, created if missing, up, with the adapter's address
/// `mac`. Throws PortError.
std::unique_ptr<ExternalPort> make_tap(const std::string& name, std::uint64_t mac);

}  // namespace roci::testbench::ports
