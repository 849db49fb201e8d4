// SPDX-License-Identifier: Apache-2.0
// Registers of roci_processor itself, as its firmware sees them; the module has the same words.
#pragma once

#include <stdint.h>

namespace roci::fw::own {

constexpr uintptr_t kBase = 0x80000000;
enum Word : uint32_t {
  kMacLo,  ///< address of the port; 0: the adapter has it
  kMacHi,
  kMtu,     ///< bytes that an Ethernet frame of the port carries
  kTimeLo,  ///< a read keeps the upper half for kTimeHi
  kTimeHi,
  kWakeLo,  ///< deadline in ns; all ones: none
  kWakeHi,
  kSleep,  ///< a load ends with attention or at the deadline
  kDoze,   ///< a load ends at the deadline
  kAlive,  ///< a store restarts the watchdog
  kHalt,   ///< a store stops the processor and reports the word
};

inline uint32_t read(Word word) { return reinterpret_cast<volatile uint32_t*>(kBase)[word]; }
inline void write(Word word, uint32_t value) {
  reinterpret_cast<volatile uint32_t*>(kBase)[word] = value;
}

}  // namespace roci::fw::own
