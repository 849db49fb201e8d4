// SPDX-License-Identifier: Apache-2.0
// The clock by which processes and the simulator wait for each other.
#pragma once

#include <cstdint>
#include <ctime>

namespace roci::driver {

inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

/// A time or a duration of system calls, in nanoseconds.
inline std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kNsPerSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// Nanoseconds of CLOCK_MONOTONIC.
inline std::uint64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return ns_of(now);
}

/// A duration as system calls take it.
inline timespec timespec_of(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
}

}  // namespace roci::driver
