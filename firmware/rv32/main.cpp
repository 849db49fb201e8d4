// SPDX-License-Identifier: Apache-2.0
// The firmware on roci_processor, with the adapter's registers on its bus.
#include <stdint.h>

#include "firmware/firmware.hpp"
#include "firmware/rv32/own_registers.hpp"

namespace {

namespace own = roci::fw::own;

constexpr uintptr_t kAdapter = 0x40000000;

uint32_t read32(void* base, uint32_t offset) {
  return *reinterpret_cast<volatile uint32_t*>(static_cast<char*>(base) + offset);
}

void write32(void* base, uint32_t offset, uint32_t value) {
  *reinterpret_cast<volatile uint32_t*>(static_cast<char*>(base) + offset) = value;
}

uint64_t pair(own::Word low, own::Word high) {
  const uint32_t first = own::read(low);
  return first | uint64_t{own::read(high)} << 32;
}

/// Sleeps until there is work. While a command waits for an address, attention is high, so that
/// only time can wake: soon enough for the frame that brings the address.
void sleep(const roci::fw::Firmware& firmware) {
  constexpr uint64_t kLookNs = 10000;
  uint64_t deadline = firmware.deadline();
  if (firmware.waiting()) {
    const uint64_t look = pair(own::kTimeLo, own::kTimeHi) + kLookNs;
    if (look < deadline) deadline = look;
  }
  own::write(own::kWakeLo, static_cast<uint32_t>(deadline));
  own::write(own::kWakeHi, static_cast<uint32_t>(deadline >> 32));
  own::read(firmware.waiting() ? own::kDoze : own::kSleep);
}

}  // namespace

int main() {
  const roci::fw::Hal hal = {reinterpret_cast<void*>(kAdapter), read32, write32};
  roci::fw::Config config;
  config.mac = pair(own::kMacLo, own::kMacHi);
  config.port_mtu = own::read(own::kMtu);
  static roci::fw::Firmware firmware(hal, config);  // too large for the stack
  firmware.start();
  for (;;) {
    own::write(own::kAlive, 0);
    if (!firmware.poll()) sleep(firmware);
  }
}
