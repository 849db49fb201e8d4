// SPDX-License-Identifier: Apache-2.0
// The management processor of a node: the firmware, compiled for the host, on the adapter's bus.
#pragma once

#include <cstdint>
#include <functional>

#include "firmware/firmware.hpp"

namespace roci::testbench {

/// Runs the firmware; each register access takes the time of a bus access.
class Management {
 public:
  /// Reads (write false) or writes a register; returns what was read.
  using Access =
      std::function<std::uint32_t(bool write, std::uint32_t offset, std::uint32_t value)>;

  Management(std::uint64_t mac, unsigned port_mtu, Access access)
      : access_(std::move(access)), firmware_({this, &read32, &write32}, {mac, {}, port_mtu}) {}

  /// Runs until the firmware is idle. Returns the time at which it must run even if the adapter's
  /// attention line stays low, all ones: never.
  std::uint64_t run() {
    if (!started_) firmware_.start();
    started_ = true;
    idle_ = true;
    while (firmware_.poll()) idle_ = false;
    return firmware_.deadline();
  }
  /// Whether the last run() found nothing to do: if the attention line is high, a command waits for
  /// an address.
  bool idle() const { return idle_; }

 private:
  static std::uint32_t read32(void* self, std::uint32_t offset) {
    return static_cast<Management*>(self)->access_(false, offset, 0);
  }
  static void write32(void* self, std::uint32_t offset, std::uint32_t value) {
    static_cast<Management*>(self)->access_(true, offset, value);
  }

  Access access_;
  fw::Firmware firmware_;
  bool started_ = false, idle_ = false;
};

}  // namespace roci::testbench
