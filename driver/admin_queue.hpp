// SPDX-License-Identifier: Apache-2.0
// The admin queue of an adapter that is reached by registers.
#pragma once

#include "driver/device/command_port.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::driver {

/// Rings of commands and replies in host memory. RoCE is enabled while the object exists. Several
/// threads may share it when only Device::wait and register accesses let another run.
class AdminQueue final : public CommandPort {
 public:
  /// Throws Error when no adapter responds at the registers.
  explicit AdminQueue(Device& device, bool host_resolves = false);
  ~AdminQueue() override;
  AdminQueue(const AdminQueue&) = delete;
  AdminQueue& operator=(const AdminQueue&) = delete;

  std::optional<CommandReply> exchange(layout::AdminOp opcode, const Body& body,
                                       std::uint64_t timeout_ns) override;

 private:
  Device& device_;
  DmaMemory commands_;
  DmaMemory replies_;
  std::uint16_t producer_ = 0;
  bool busy_ = false;
};

/// Writes an address to a pair of registers.
void write_address(Device& device, std::uint32_t low_register, std::uint32_t high_register,
                   std::uint64_t address);

}  // namespace roci::driver
