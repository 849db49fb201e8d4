// SPDX-License-Identifier: Apache-2.0
// The firmware of the adapter: set-up and rare events, never the data path.
//
// All state is in the object: several adapters in one process have one each. The object is large
// (about 200 KiB); put it into static or heap memory, not on a stack.
#pragma once

#include "firmware/commands/commands.hpp"
#include "firmware/hal/hal.hpp"

namespace roci::fw {

struct Config {
  Mac mac = 0;  ///< port MAC address; 0: that in MacLo and MacHi
  ResolveConfig resolve = {};
  /// Bytes that an Ethernet frame of the port may carry. A path MTU needs 84 more (WIRE-42).
  uint32_t port_mtu = 4200;
};

class Firmware {
 public:
  Firmware(const Hal& hal, const Config& config);

  /// Reads the adapter's size, sets its MAC address. Call it once, before `poll`.
  void start();

  /// Handles a received frame, an engine event or a command. False when there was nothing to do.
  bool poll();

  /// Time in ns from which `poll` has work even if the Attention register stays 0; all ones: none.
  /// Until then a caller may sleep while Attention does not change.
  uint64_t deadline() const {
    const uint64_t next_request = device_.neighbours.deadline();
    return device_.objects.drains != 0 && next_drain_ < next_request ? next_drain_ : next_request;
  }

  /// Whether a command waits for an address. Attention stays high meanwhile, although `poll` has
  /// nothing to do before a frame or the deadline comes.
  bool waiting() const { return waiting_; }

 private:
  bool poll_frame(uint32_t attention);
  bool poll_event(uint32_t attention);
  bool poll_command(uint32_t attention);
  bool poll_drains(uint64_t now);
  /// Fetches the oldest command, as many bytes as it has; false: the access failed.
  bool read_command();
  void write_reply(const Result& result, Message* reply);

  Config config_;
  Device device_;
  uint64_t next_drain_ = 0;  ///< time of the next poll of draining queue pairs
  // The command in progress, which may wait for an address, and the address of its reply.
  bool waiting_ = false;
  Message command_ = {};
  uint32_t done_ = 0;  ///< commands completed before it
  uint32_t pasid_ = 0;
  uint64_t reply_address_ = 0;
};

}  // namespace roci::fw
