// SPDX-License-Identifier: Apache-2.0
// Start of the firmware on a RISC-V core with the adapter's registers on its bus.
#include <stdint.h>

#include "firmware/firmware.hpp"

#ifndef ROCI_REGISTERS
#define ROCI_REGISTERS 0x40000000  // base address, given by the board's interconnect
#endif

namespace {

uint32_t read32(void* base, uint32_t offset) {
  return *reinterpret_cast<volatile uint32_t*>(static_cast<char*>(base) + offset);
}

void write32(void* base, uint32_t offset, uint32_t value) {
  *reinterpret_cast<volatile uint32_t*>(static_cast<char*>(base) + offset) = value;
}

}  // namespace

int main() {
  const roci::fw::Hal hal = {reinterpret_cast<void*>(ROCI_REGISTERS), read32, write32};
  static roci::fw::Firmware firmware(hal, roci::fw::Config());  // too large for the stack
  firmware.start();
  for (;;) firmware.poll();
}
