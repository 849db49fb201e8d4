// SPDX-License-Identifier: Apache-2.0
// What several files of this folder need to wait for a time.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <cstdint>
#include <optional>

#include "driver/device/clock.hpp"
#include "driver/time/process_clock.hpp"

namespace roci::timing {

/// What a clock of the kernel shows at simulated time 0; none: a clock that stays real.
std::optional<std::uint64_t> offset_of(const ProcessClock& clock, clockid_t id);
/// Likewise, of the clock that a time is of: CLOCK_REALTIME counts from 1970, CLOCK_MONOTONIC from
/// the start of the machine.
std::uint64_t offset_of(const ProcessClock& clock, const timespec& time);

/// Whether this is a time or a duration; of others the kernel finds the error.
inline bool valid(const timespec* time) {
  return time != nullptr && time->tv_sec >= 0 && time->tv_nsec >= 0 &&
         static_cast<std::uint64_t>(time->tv_nsec) < driver::kNsPerSecond;
}

using driver::ns_of;
inline constexpr std::uint64_t kNsPerUs = 1000;

inline std::uint64_t ns_of(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * driver::kNsPerSecond +
         static_cast<std::uint64_t>(time.tv_usec) * kNsPerUs;
}
inline timeval timeval_of(std::uint64_t ns) {
  return {static_cast<time_t>(ns / driver::kNsPerSecond),
          static_cast<suseconds_t>(ns % driver::kNsPerSecond / kNsPerUs)};
}

/// The simulated time at which a clock with that offset shows `time`.
inline std::uint64_t deadline_of(const timespec& time, std::uint64_t offset) {
  const std::uint64_t ns = driver::ns_of(time);
  return ns > offset ? ns - offset : 0;
}

/// ppoll() with a timeout of `ns` in simulated time.
int poll_for(ProcessClock& clock, pollfd* fds, nfds_t count, std::uint64_t ns,
             const sigset_t* mask);

}  // namespace roci::timing
