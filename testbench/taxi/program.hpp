// SPDX-License-Identifier: Apache-2.0
// Drivers and firmware of two adapters as a program of a bench, with a C interface for ctypes.
#pragma once

#include <cstdint>

#include "testbench/board/program.hpp"

extern "C" {

/// One adapter: its bus, and the memory that it sees from `address` on.
struct ShellSide {
  BoardBus bus;
  /// Interrupts that the host has taken from this adapter.
  std::uint64_t (*interrupts)();
  std::uint8_t* memory;
  std::uint64_t bytes;
  std::uint64_t address;
  /// An address where the host has no memory.
  std::uint64_t nowhere;
};

/// What a scenario works on, and what it took.
struct ShellWork {
  const std::uint8_t* file;
  std::uint64_t bytes;
  std::uint64_t seed;
  std::uint64_t mtu;                      ///< code of the path MTU, 1 to 5
  std::uint64_t write_ns, read_ns;        ///< from the first request to the last completion
  std::uint64_t write_count, read_count;  ///< work requests
};

/// Runs a scenario. Returns 0, or 1 with the reason in `reason`.
int shell_run(const ShellSide* left, const ShellSide* right, const char* scenario, ShellWork* work,
              char* reason, std::uint64_t reason_bytes);
}
