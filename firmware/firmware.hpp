// SPDX-License-Identifier: Apache-2.0
// The firmware of the adapter: set-up and rare events. Data never waits for it.
//
// All state is in the object: several adapters in one process have one each. The object is large
// (about 200 KiB); put it into static or heap memory, not on a stack.
#pragma once

#include "firmware/commands/commands.hpp"
#include "firmware/hal/hal.hpp"

namespace roci::fw {

struct Config {
  Mac mac = 0;  ///< port MAC address; 0: the one that stands in MacLo and MacHi
  ResolveConfig resolve = {};
  /// Bytes that an Ethernet frame of the port may carry. A path MTU needs 84 more (WIRE-42).
  uint32_t port_mtu = 4200;
};

class Firmware {
 public:
  Firmware(const Hal& hal, const Config& config);

  /// Reads the adapter's size, sets its MAC address. Call it once, before `poll`.
  void start();

  /// One step: a received frame, an engine event, or a command. False when there was nothing to do.
  bool poll();

  /// Time in ns when `poll` has something to do even if the Attention register stays 0; all ones:
  /// never. Between, a caller may sleep until Attention changes.
  uint64_t deadline() const {
    const uint64_t asking = device_.neighbours.deadline();
    return device_.objects.drains != 0 && next_drain_ < asking ? next_drain_ : asking;
  }

 private:
  bool poll_frame(uint32_t attention);
  bool poll_event(uint32_t attention);
  bool poll_command(uint32_t attention);
  bool poll_drains(uint64_t now);
  /// Fetches the oldest command, as much of it as it needs; false: the access failed.
  bool read_command();
  void answer(const Result& result, Message* reply);

  Config config_;
  Device device_;
  uint64_t next_drain_ = 0;  ///< time to look again at queue pairs that drain
  // The command under way, which may wait for an address, and where its reply goes.
  bool waiting_ = false;
  Message command_ = {};
  uint32_t done_ = 0;  ///< commands before it
  uint32_t pasid_ = 0;
  uint64_t reply_address_ = 0;
};

}  // namespace roci::fw
