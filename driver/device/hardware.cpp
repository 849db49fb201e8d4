// SPDX-License-Identifier: Apache-2.0
#include "driver/device/hardware.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "driver/device/clock.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver {
namespace {

constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

}  // namespace

void HardwareDevice::fail(const std::string& why) const { throw HardwareError(name_ + ": " + why); }

void HardwareDevice::take_registers(std::unique_ptr<KernelMap> registers) {
  if (registers->host() == nullptr) fail("its registers cannot be mapped");
  registers_ = std::move(registers);
  const std::uint32_t id = read32(layout::reg::kId);
  if (id != layout::reg::kIdReset) {
    fail("its identity register is " + hex(id) + ", not " + hex(layout::reg::kIdReset) +
         ": this is no adapter, or it is in reset");
  }
  const std::uint32_t version = read32(layout::reg::kVersion);
  if (version != layout::reg::kVersionReset) {
    fail("its registers have version " + std::to_string(version) + ", this driver knows " +
         std::to_string(layout::reg::kVersionReset));
  }
}

std::uint32_t HardwareDevice::read32(std::uint32_t offset) {
  const std::uint32_t value = *word(offset);
  if (value == kAbsent && *word(layout::reg::kId) == kAbsent) gone_ = true;
  return value;
}

void HardwareDevice::write32(std::uint32_t offset, std::uint32_t value) {
  __sync_synchronize();  // what the write points to is in memory
  *word(offset) = value;
}

bool HardwareDevice::write_words(std::uint32_t offset, const std::uint8_t* words,
                                 std::size_t bytes) {
  if (offset + bytes > registers_->bytes()) return false;
  each_word(offset, words, bytes,
            [this](std::uint32_t at, std::uint32_t value) { *word(at) = value; });
  return true;
}

std::uint64_t HardwareDevice::now_ns() const {
  const std::lock_guard<std::mutex> lock(time_);
  const std::uint64_t low = *word(layout::reg::kTimeLo);
  return low | std::uint64_t{*word(layout::reg::kTimeHi)} << 32;
}

bool HardwareDevice::wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) {
  const std::uint64_t begin = clock_ns();
  for (;;) {
    if (ready()) return true;
    const std::uint64_t waited = clock_ns() - begin;
    if (waited >= timeout_ns) return false;
    if (kernel_.poll(interrupt(), std::min(kLookNs, timeout_ns - waited))) take_interrupt();
  }
}

}  // namespace roci::driver
