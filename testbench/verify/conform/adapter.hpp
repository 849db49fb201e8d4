// SPDX-License-Identifier: Apache-2.0
// An adapter under test: a driver on one side, and the test itself as the peer at the other end of
// its link.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/context.hpp"
#include "model/packet/parser.hpp"
#include "testbench/firmware/management.hpp"

namespace roci::conform {

/// A frame that the adapter sent.
struct Frame {
  std::uint64_t time_ns = 0;  ///< its first byte on the link
  packet::Bytes bytes;
  packet::Parsed parsed() const { return packet::parse(bytes); }
};

/// A frame of a test, in a report of it.
struct Exchanged {
  bool from_peer = false;     ///< the test sent it; else the adapter
  std::uint64_t time_ns = 0;  ///< as Frame::time_ns, and of Device::now_ns() for a peer's
  packet::Bytes bytes;
  std::string note;  ///< what was wrong with it
};

/// The adapter under test, or what reaches it, cannot do what a test asks for. The text completes
/// "not testable here: ...".
class NotTestable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Adapter {
 public:
  virtual ~Adapter() = default;

  /// Runs a program in the adapter's time. Throws its exception, or the violated invariant of the
  /// test bench; after the latter the adapter is unusable.
  virtual void run(const std::function<void()>& program) = 0;

  // For programs.
  virtual driver::Context& context() = 0;  ///< opened, GIDs set
  virtual driver::Gid gid(unsigned index) = 0;
  virtual std::uint64_t mac() = 0;
  /// Puts a frame on the link towards the adapter.
  virtual void inject(const packet::Bytes& frame) = 0;
  /// Frames the adapter sent since it was made, oldest first. Device::wait evaluates its condition
  /// again when one was added.
  virtual const std::vector<Frame>& sent() const = 0;
  /// Frames received from the ordinary Ethernet path.
  virtual std::size_t ethernet_frames() = 0;
  /// Makes DMA to these bytes fail from here on.
  virtual void poison(std::uint64_t dma_address, std::size_t bytes) = 0;

  // What differs for an adapter that is not in the test bench but at a real wire.
  /// What it is, for a report.
  virtual std::string text() const { return {}; }
  /// Whether its counters are visible and its time is simulated: whatever is due has happened.
  virtual bool in_bench() const { return true; }
  /// Error of a time between two frames.
  virtual std::uint64_t jitter_ns() const { return 0; }
  /// Code of the transport timer for a test that has `code` in mind; `calm` is what tests have that
  /// do not wait for it.
  virtual std::uint8_t timeout_code(std::uint8_t code, std::uint8_t /*calm*/) const { return code; }
  /// Throws TargetLost when the adapter was lost, possibly by a destructor, which does not throw.
  virtual void confirm() {}
  /// From now on completions stay in the queues of the device until they are polled, or not.
  virtual void keep_completions(bool /*keep*/) {}
  /// Waits as Device::wait for something that should not happen.
  virtual bool wait_quietly(const std::function<bool()>& ready, std::uint64_t ns) {
    return context().device().wait(ready, ns);
  }
};

struct AdapterOptions {
  std::string engine = "rtl";
  testbench::FirmwareOn firmware = testbench::FirmwareOn::kHost;
  unsigned width = 64;
  std::uint64_t seed = 1;
  unsigned port_mtu = 4200;  ///< bytes that an Ethernet frame of the port may carry
  bool thorough = false;     ///< tests use the counts that the statements require
  std::string target;        ///< place of a foreign adapter; empty: an engine
};

/// Engines that make_engine supports.
const std::vector<std::string>& engines();

/// Creates an engine in the test bench; at most one at a time in a process.
std::unique_ptr<Adapter> make_engine(const AdapterOptions& options);

}  // namespace roci::conform
