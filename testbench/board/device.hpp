// SPDX-License-Identifier: Apache-2.0
// The core on the bus of a bench, as a device of the driver, with its firmware.
#pragma once

#include <cstring>
#include <functional>
#include <new>

#include "driver/device/device.hpp"
#include "testbench/board/program.hpp"
#include "testbench/firmware/host_management.hpp"

namespace roci::testbench {

/// The adapter on the bench's bus. Firmware runs while the driver waits.
class BoardDevice : public driver::Device {
 public:
  static constexpr std::uint64_t kMac = 0x02'00'00'00'00'01;

  BoardDevice(const BoardBus& bus, std::uint8_t* memory, std::uint64_t bytes, std::uint64_t address,
              std::uint64_t mac = kMac)
      : bus_(bus),
        memory_{memory, address, bytes},
        firmware_(mac, kPortMtu, [this](bool write, std::uint32_t offset, std::uint32_t value) {
          if (!write) return bus_.read(offset);
          bus_.write(offset, value);
          return std::uint32_t{0};
        }) {
    firmware_.run();
  }

  std::uint32_t read32(std::uint32_t offset) override { return bus_.read(offset); }
  void write32(std::uint32_t offset, std::uint32_t value) override { bus_.write(offset, value); }
  std::uint32_t pasid() const override { return kPasid; }
  std::uint64_t now_ns() const override { return bus_.now(); }
  void wake() override {}
  void release(const driver::DmaMemory&) override {}

  driver::DmaMemory allocate(std::size_t bytes, std::size_t alignment) override {
    if (alignment < 64) alignment = 64;
    const std::uint64_t at = (used_ + alignment - 1) / alignment * alignment;
    if (at + bytes > memory_.bytes) throw std::bad_alloc();
    used_ = at + bytes;
    std::memset(memory_.host + at, 0, bytes);
    return {memory_.host + at, memory_.dma + at, bytes};
  }

  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override {
    const std::uint64_t start = now_ns();
    while (!ready()) {
      if (now_ns() - start >= timeout_ns) return false;
      work(kStepNs);
    }
    return true;
  }

  /// Lets time pass, and then does what is due for the firmware.
  void work(std::uint64_t ns) {
    const bool attention = bus_.run(ns) != 0;
    if (attention || now_ns() >= deadline_) deadline_ = firmware_.run();
  }

  /// Accesses to these bytes fail from now on.
  void fail(const std::uint8_t* host, std::uint64_t bytes) {
    bus_.fail(memory_.dma + static_cast<std::uint64_t>(host - memory_.host), bytes);
  }

 private:
  static constexpr unsigned kPortMtu = 4200;
  static constexpr std::uint32_t kPasid = 0x12345;
  static constexpr std::uint64_t kStepNs = 100;

  const BoardBus& bus_;
  driver::DmaMemory memory_;
  std::uint64_t used_ = 0, deadline_ = ~std::uint64_t{0};
  HostManagement firmware_;
};

}  // namespace roci::testbench
