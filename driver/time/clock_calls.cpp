// SPDX-License-Identifier: Apache-2.0
// Clocks and sleeps of the C library in simulated time. Clocks of processor time stay real.
#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <optional>

#include "driver/device/clock.hpp"
#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"
#include "driver/time/waits.hpp"

namespace roci::timing {

std::optional<std::uint64_t> offset_of(const ProcessClock& clock, clockid_t id) {
  switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return clock.realtime_offset();
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
      return clock.monotonic_offset();
    default:
      return std::nullopt;
  }
}

std::uint64_t offset_of(const ProcessClock& clock, const timespec& time) {
  constexpr time_t kYears = 1'000'000'000;
  return time.tv_sec > kYears ? clock.realtime_offset() : clock.monotonic_offset();
}

namespace {

using driver::timespec_of;

/// clock_nanosleep; returns the error.
int sleep_in(ProcessClock& clock, std::uint64_t offset, int flags, const timespec* request,
             timespec* rest) {
  if (!valid(request)) return EINVAL;
  clock.act();
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const std::uint64_t until =
      absolute ? deadline_of(*request, offset) : clock.now() + ns_of(*request);
  const bool slept = clock.sleep_until(until);
  const std::uint64_t now = clock.now();
  if (slept || now >= until) return 0;
  if (!absolute && rest != nullptr) *rest = timespec_of(until - now);
  return EINTR;
}

}  // namespace
}  // namespace roci::timing

using roci::timing::kNsPerUs;
using roci::timing::ProcessClock;

#pragma GCC visibility push(default)
extern "C" {

// The C library declares some arguments as never null; programs pass null all the same.
#pragma GCC diagnostic ignored "-Wnonnull-compare"

// The functions of the C library use the vDSO, which reads the cycle counter.
int clock_gettime(clockid_t id, struct timespec* out) noexcept {
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr) {
    ROCI_NEXT(clock_gettime);
    return real(id, out);
  }
  const auto offset = roci::timing::offset_of(*clock, id);
  if (!offset) return static_cast<int>(syscall(SYS_clock_gettime, id, out));
  *out = roci::timing::timespec_of(*offset + clock->read());
  return 0;
}

int gettimeofday(struct timeval* out, void* zone) noexcept {
  if (ProcessClock::get() == nullptr) {
    ROCI_NEXT(gettimeofday);
    return real(out, zone);
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = roci::timing::timeval_of(roci::timing::ns_of(now));
  return 0;
}

time_t time(time_t* out) noexcept {
  if (ProcessClock::get() == nullptr) {
    ROCI_NEXT(time);
    return real(out);
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(struct timespec* out, int base) noexcept {
  if (ProcessClock::get() == nullptr) {
    ROCI_NEXT(timespec_get);
    return real(out, base);
  }
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, out);
  return base;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec* request,
                    struct timespec* rest) {
  ProcessClock* clock = ProcessClock::get();
  const auto offset = clock == nullptr ? std::nullopt : roci::timing::offset_of(*clock, id);
  if (!offset) {
    ROCI_NEXT(clock_nanosleep);
    return real(id, flags, request, rest);
  }
  return roci::timing::sleep_in(*clock, *offset, flags, request, rest);
}

int nanosleep(const struct timespec* request, struct timespec* rest) {
  if (ProcessClock::get() == nullptr) {
    ROCI_NEXT(nanosleep);
    return real(request, rest);
  }
  const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, request, rest);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int usleep(useconds_t us) {
  const timespec request = roci::timing::timespec_of(std::uint64_t{us} * kNsPerUs);
  return nanosleep(&request, nullptr);
}

unsigned sleep(unsigned seconds) {
  if (ProcessClock::get() == nullptr) {
    ROCI_NEXT(sleep);
    return real(seconds);
  }
  const timespec request{static_cast<time_t>(seconds), 0};
  timespec rest{};
  if (nanosleep(&request, &rest) == 0) return 0;
  return static_cast<unsigned>(rest.tv_sec) + (rest.tv_nsec != 0 ? 1 : 0);
}

}  // extern "C"
#pragma GCC visibility pop
