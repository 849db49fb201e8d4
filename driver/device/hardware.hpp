// SPDX-License-Identifier: Apache-2.0
// An adapter in hardware: its registers are mapped, its interrupt is a file.
#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "driver/device/device.hpp"
#include "driver/device/kernel.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver {

/// The adapter cannot be used; the text is one line that names it and the remedy.
class HardwareError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What VFIO and the files of a SoC have in common. Interrupts make waiting cheap; a wait ends
/// without them too, as memory is looked at every kLookNs.
class HardwareDevice : public Device {
 public:
  /// Bytes of the register map, windows of doorbells included.
  static constexpr std::size_t kRegisterBytes = 0x200000;
  /// Bytes with the window of posts, which is used when the device shows as many.
  static constexpr std::size_t kBytesWithPosts =
      layout::window::kQpPost.offset + layout::window::kQpPost.bytes;
  static constexpr std::uint64_t kLookNs = 50'000;

  std::uint32_t read32(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  bool write_words(std::uint32_t offset, const std::uint8_t* words, std::size_t bytes) override;
  /// The device has one address space.
  std::uint32_t pasid() const override { return 0; }
  std::uint64_t now_ns() const override;
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override;
  void wake() override {}  // who waits looks again soon
  /// Reads of hardware that has left the bus are all ones.
  bool gone() const override { return gone_; }

 protected:
  HardwareDevice(std::string name, Kernel& kernel) : name_(std::move(name)), kernel_(kernel) {}

  /// Takes the registers. Throws HardwareError when they are not those of an adapter.
  void take_registers(std::unique_ptr<KernelMap> registers);
  [[noreturn]] void fail(const std::string& why) const;
  /// What to map of a device that shows `bytes` of registers, kRegisterBytes or more.
  static std::size_t mapped(std::uint64_t bytes) {
    return bytes < kBytesWithPosts ? kRegisterBytes : kBytesWithPosts;
  }

  /// File of the interrupt that becomes readable; -1: none.
  virtual int interrupt() const = 0;
  /// Takes an interrupt and lets the next one come.
  virtual void take_interrupt() = 0;

  std::string name_;
  Kernel& kernel_;

 private:
  volatile std::uint32_t* word(std::uint32_t offset) const {
    return reinterpret_cast<volatile std::uint32_t*>(registers_->host() + offset);
  }

  std::unique_ptr<KernelMap> registers_;
  mutable std::mutex time_;  ///< between the halves of a time
  bool gone_ = false;
};

}  // namespace roci::driver
