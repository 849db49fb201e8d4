// SPDX-License-Identifier: Apache-2.0
#include "driver/admin_queue.hpp"

#include <cstring>
#include <stdexcept>

#include "driver/error.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver {
namespace {

constexpr unsigned kAdminLog = 2;
constexpr std::size_t kPage = 4096;

}  // namespace

std::unique_ptr<EventQueue> Device::open_events() {
  throw std::logic_error("the device has no events of its own");
}

void write_address(Device& device, std::uint32_t low_register, std::uint32_t high_register,
                   std::uint64_t address) {
  device.write32(low_register, static_cast<std::uint32_t>(address));
  device.write32(high_register, static_cast<std::uint32_t>(address >> 32));
}

AdminQueue::AdminQueue(Device& device, bool host_resolves) : device_(device) {
  if (device_.read32(layout::reg::kId) != layout::reg::kIdReset) {
    throw Error(AdminStatus::kHardwareError, 0,
                "no adapter of this kind responds at the registers");
  }
  commands_ = device.allocate(layout::kCommandBytes << kAdminLog, kPage);
  replies_ = device.allocate(layout::kCommandBytes << kAdminLog, kPage);
  // The indices are free-running from reset of the adapter, also across drivers.
  producer_ = static_cast<std::uint16_t>(device_.read32(layout::reg::kAdminDoorbell));
  write_address(device_, layout::reg::kAdminBaseLo, layout::reg::kAdminBaseHi, commands_.dma);
  write_address(device_, layout::reg::kAdminReplyLo, layout::reg::kAdminReplyHi, replies_.dma);
  namespace reg = layout::reg;
  device_.write32(reg::kAdminSize, bits(reg::admin_size::log, kAdminLog) |
                                       bits(reg::admin_size::pasid, device_.pasid()));
  device_.write32(reg::kControl, bits(reg::control::enable, true) |
                                     bits(reg::control::neighbours, !host_resolves));
}

AdminQueue::~AdminQueue() {
  device_.write32(layout::reg::kControl, 0);
  device_.read32(layout::reg::kControl);  // the write is in the adapter
  device_.release(commands_);
  device_.release(replies_);
}

std::optional<CommandReply> AdminQueue::exchange(layout::AdminOp opcode, const Body& body,
                                                 std::uint64_t timeout_ns) {
  while (busy_) device_.wait([this] { return !busy_; }, Device::kForever);
  busy_ = true;
  struct Release {
    AdminQueue& queue;
    ~Release() {
      queue.busy_ = false;
      queue.device_.wake();
    }
  } release{*this};

  const std::size_t slot = (producer_ & ((1u << kAdminLog) - 1)) * layout::kCommandBytes;
  std::uint8_t* command = commands_.host + slot;
  std::uint8_t* reply = replies_.host + slot;
  const auto tag = static_cast<std::uint16_t>(producer_ + 1);
  std::memset(command, 0, layout::kCommandBytes);
  put(command, layout::command_header::opcode, opcode);
  put(command, layout::command_header::tag, tag);
  std::memcpy(command + layout::kCommandBodyOffset, body.data(), Body::kBytes);
  std::memset(reply, 0, layout::kCommandBytes);
  put(reply, layout::reply_header::tag, static_cast<std::uint16_t>(~tag));

  entries_before_doorbell();
  ++producer_;
  device_.write32(layout::reg::kAdminDoorbell, producer_);

  // The block with the tag is written last.
  if (!device_.wait([&] { return get(reply, layout::reply_header::tag) == tag; }, timeout_ns))
    return {};
  owner_before_entry();
  CommandReply result;
  result.status = get(reply, layout::reply_header::status);
  result.detail = get(reply, layout::reply_header::detail);
  std::memcpy(result.body.data(), reply + layout::kCommandBodyOffset, Body::kBytes);
  return result;
}

}  // namespace roci::driver
