// SPDX-License-Identifier: Apache-2.0
// The firmware, compiled for the host.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "firmware/firmware.hpp"
#include "testbench/firmware/management.hpp"

namespace roci::testbench {

/// Runs the firmware; each register access takes the time of a bus access.
class HostManagement final : public Management {
 public:
  using Access =
      std::function<std::uint32_t(bool write, std::uint32_t offset, std::uint32_t value)>;

  HostManagement(std::uint64_t mac, unsigned port_mtu, Access access)
      : access_(std::move(access)), firmware_({this, &read32, &write32}, {mac, {}, port_mtu}) {}

  std::uint64_t run() override {
    if (!started_) firmware_.start();
    started_ = true;
    idle_ = true;
    while (firmware_.poll()) idle_ = false;
    return firmware_.deadline();
  }
  bool idle() const override { return idle_; }

 private:
  static std::uint32_t read32(void* self, std::uint32_t offset) {
    return static_cast<HostManagement*>(self)->access_(false, offset, 0);
  }
  static void write32(void* self, std::uint32_t offset, std::uint32_t value) {
    static_cast<HostManagement*>(self)->access_(true, offset, value);
  }

  Access access_;
  fw::Firmware firmware_;
  bool started_ = false, idle_ = false;
};

}  // namespace roci::testbench
