// SPDX-License-Identifier: Apache-2.0
// Why roci_processor stopped, as text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace roci::testbench {

/// What the instruction of a trap says: the core stops at three kinds.
inline const char* kind_of_trap(std::uint32_t instruction) {
  constexpr std::uint32_t kEbreak = 0x00100073, kShortEbreak = 0x9002;
  if (instruction == kEbreak || instruction == kShortEbreak) return "ebreak";
  const bool full = (instruction & 3) == 3;
  const std::uint32_t opcode = instruction & 0x7F;
  const bool memory = full ? opcode == 0x03 || opcode == 0x23
                           : (instruction & 3) != 1 && (instruction >> 13 & 3) == 2;
  return memory && instruction != 0 ? "misaligned access" : "illegal instruction";
}

/// `cause`, `pc` and `value` are fault_o, fault_pc_o and fault_value_o.
inline std::string text_of_fault(unsigned cause, std::uint32_t pc, std::uint32_t value) {
  constexpr unsigned kTrap = 1, kNothing = 2, kText = 3, kResponse = 4, kWatchdog = 5;
  std::string what;
  char number[16];
  std::snprintf(number, sizeof number, "0x%08x", value);
  if (cause == kTrap) {
    what = std::string(kind_of_trap(value)) + " (" + number + ")";
  } else if (cause == kNothing) {
    what = std::string("access to ") + number + ", where nothing is";
  } else if (cause == kText) {
    what = std::string("write to the text at ") + number;
  } else if (cause == kResponse) {
    what = std::string("error response of the adapter at ") + number;
  } else if (cause == kWatchdog) {
    what = "it hangs: its loop has not come round";
  } else {
    what = std::string("it stopped itself with ") + number;
  }
  char text[160];
  std::snprintf(text, sizeof text, "%s, pc 0x%08x", what.c_str(), pc);
  return text;
}

}  // namespace roci::testbench
