// SPDX-License-Identifier: Apache-2.0
// Driver and firmware as a program of a bench that serves registers and memory, with a C interface
// for ctypes.
#pragma once

#include <cstdint>

extern "C" {

/// What the bench does for the program; each call passes simulated time.
struct BoardBus {
  std::uint32_t (*read)(std::uint32_t offset);
  void (*write)(std::uint32_t offset, std::uint32_t value);
  /// Lets time pass; returns the level of the attention output.
  std::uint32_t (*run)(std::uint64_t ns);
  std::uint64_t (*now)();
  /// Accesses to these bytes of memory fail from now on; 0 bytes: to none.
  void (*fail)(std::uint64_t address, std::uint64_t bytes);
};

/// Runs a scenario on memory that the adapter sees from `address` on. Returns 0, or 1 with the
/// reason in `reason`.
int board_run(const BoardBus* bus, std::uint8_t* memory, std::uint64_t bytes, std::uint64_t address,
              const char* scenario, char* reason, std::uint64_t reason_bytes);
}
