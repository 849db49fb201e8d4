// SPDX-License-Identifier: Apache-2.0
// The page by which a process and a simulator share simulated time (`roci up --time simulated`).
// Both map it; the rules are in driver/time/README.md. All times are in nanoseconds.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace roci::driver::protocol {

inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};
/// Frequency of the cycle counter in simulated time, on each host.
inline constexpr std::uint64_t kCycleMhz = 2000;

struct alignas(64) TimePage {
  /// 31:0 counts the threads that wait, 63:32 counts the times that the simulator woke them. The
  /// upper half is a futex.
  std::atomic<std::uint64_t> gate;
  std::atomic<std::uint64_t> deadline;     ///< earliest time a thread waits for, or kNoDeadline
  std::atomic<std::uint32_t> acts;         ///< counts calls that concern the adapter or the clock
  std::atomic<std::uint32_t> sends;        ///< counts calls that send to other processes
  std::atomic<std::uint32_t> own_threads;  ///< threads of the library that sleep in the kernel
  std::atomic<std::uint32_t> asleep;       ///< 1: the simulator needs kWake
  std::atomic<std::uint32_t> taken;        ///< counts the times that doorbells were taken
  alignas(64) std::atomic<std::uint64_t> now_ns;  ///< simulated time
  // Written before the process maps the page:
  std::uint64_t realtime_ns;   ///< CLOCK_REALTIME at simulated time 0
  std::uint64_t monotonic_ns;  ///< CLOCK_MONOTONIC at simulated time 0
  std::uint64_t post_ns;       ///< what a doorbell costs the thread that rings it
  std::uint64_t poll_ns;       ///< what a poll costs that finds completions
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// One waiting thread, and one wake, in `gate`.
inline constexpr std::uint64_t kGateThread = 1;
inline constexpr unsigned kGateWakeShift = 32;
constexpr std::uint32_t gate_threads(std::uint64_t gate) {
  return static_cast<std::uint32_t>(gate);
}
constexpr std::uint32_t gate_wakes(std::uint64_t gate) {
  return static_cast<std::uint32_t>(gate >> kGateWakeShift);
}

/// The half of the gate that counts wakes, for the kernel.
inline std::uint32_t* futex_of(TimePage& page) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  return reinterpret_cast<std::uint32_t*>(&page.gate) + 1;
}

/// Wakes all threads that wait; from then on none is counted.
inline void open_gate(TimePage& page) {
  std::uint64_t gate = page.gate.load();
  std::uint64_t next = 0;
  do {
    next = std::uint64_t{gate_wakes(gate) + 1} << kGateWakeShift;
  } while (!page.gate.compare_exchange_weak(gate, next));
  if (gate_threads(gate) == 0) return;
  syscall(SYS_futex, futex_of(page), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace roci::driver::protocol
