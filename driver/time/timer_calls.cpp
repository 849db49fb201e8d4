// SPDX-License-Identifier: Apache-2.0
// Timers of the C library in simulated time: alarm(), setitimer(ITIMER_REAL), timerfd.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "driver/device/clock.hpp"
#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"
#include "driver/time/process_state.hpp"
#include "driver/time/timers.hpp"
#include "driver/time/waits.hpp"

namespace roci::timing {
namespace {

using driver::kNsPerSecond;

/// A timer of the process, or of a descriptor; `id` 0: not armed.
struct Armed {
  Timers::Id id = 0;
  std::uint64_t interval = 0;
  std::uint64_t offset = 0;  ///< what the clock of a descriptor shows at simulated time 0
};

struct State {
  std::mutex mutex;
  Armed alarm;
  std::map<int, Armed> descriptors;
};

/// The timers set by this process; a child made by fork() has none.
State& state() { return state_of_process<State>(); }

/// Sets the timer of SIGALRM, and returns what was left of the one before.
std::uint64_t set_alarm(ProcessClock& clock, std::uint64_t ns, std::uint64_t interval,
                        std::uint64_t* old_interval) {
  clock.act();
  State& all = state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const std::uint64_t rest = Timers::get().stop(all.alarm.id);
  if (old_interval != nullptr) *old_interval = all.alarm.interval;
  all.alarm = {};
  if (ns == 0) return rest;
  all.alarm.interval = interval;
  all.alarm.id = Timers::get().start(clock.now() + ns, interval, [] {
    ProcessClock* waiting = ProcessClock::get();
    if (waiting != nullptr) waiting->interrupt([] { kill(getpid(), SIGALRM); });
    return true;
  });
  return rest;
}

void read_timer(const Armed& timer, itimerspec& out) {
  out.it_interval = driver::timespec_of(timer.interval);
  out.it_value = driver::timespec_of(timer.id == 0 ? 0 : Timers::get().left(timer.id));
}

}  // namespace
}  // namespace roci::timing

using roci::timing::kNsPerSecond;
using roci::timing::ProcessClock;
using roci::timing::Timers;

#pragma GCC visibility push(default)
extern "C" {

unsigned alarm(unsigned seconds) noexcept {
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr) {
    ROCI_NEXT(alarm);
    return real(seconds);
  }
  const std::uint64_t rest =
      roci::timing::set_alarm(*clock, std::uint64_t{seconds} * kNsPerSecond, 0, nullptr);
  return static_cast<unsigned>((rest + kNsPerSecond - 1) / kNsPerSecond);
}

int setitimer(__itimer_which_t which, const struct itimerval* value,
              struct itimerval* old) noexcept {
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || which != ITIMER_REAL || value == nullptr) {
    ROCI_NEXT(setitimer);
    return real(which, value, old);
  }
  std::uint64_t interval = 0;
  const std::uint64_t rest =
      roci::timing::set_alarm(*clock, roci::timing::ns_of(value->it_value),
                              roci::timing::ns_of(value->it_interval), &interval);
  if (old != nullptr) {
    *old = {roci::timing::timeval_of(interval), roci::timing::timeval_of(rest)};
  }
  return 0;
}

int getitimer(__itimer_which_t which, struct itimerval* out) noexcept {
  if (ProcessClock::get() == nullptr || which != ITIMER_REAL || out == nullptr) {
    ROCI_NEXT(getitimer);
    return real(which, out);
  }
  roci::timing::State& all = roci::timing::state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const std::uint64_t left = Timers::get().left(all.alarm.id);
  *out = {roci::timing::timeval_of(left == 0 ? 0 : all.alarm.interval),
          roci::timing::timeval_of(left)};
  return 0;
}

useconds_t ualarm(useconds_t us, useconds_t interval) noexcept {
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr) {
    ROCI_NEXT(ualarm);
    return real(us, interval);
  }
  return static_cast<useconds_t>(roci::timing::set_alarm(*clock, us * roci::timing::kNsPerUs,
                                                         interval * roci::timing::kNsPerUs,
                                                         nullptr) /
                                 roci::timing::kNsPerUs);
}

// A read of a timer returns the count of its expirations, as a read of an eventfd returns its sum.
int timerfd_create(int id, int flags) noexcept {
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || (flags & ~(TFD_CLOEXEC | TFD_NONBLOCK)) != 0) {
    ROCI_NEXT(timerfd_create);
    return real(id, flags);
  }
  static_assert(int{TFD_CLOEXEC} == EFD_CLOEXEC && int{TFD_NONBLOCK} == EFD_NONBLOCK);
  const int fd = eventfd(0, flags);
  if (fd < 0) return fd;
  roci::timing::State& all = roci::timing::state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  roci::timing::Armed& timer = all.descriptors[fd];  // one that was closed may stand there
  Timers::get().stop(timer.id);
  const bool wall = id == CLOCK_REALTIME || id == CLOCK_REALTIME_ALARM;
  timer = {0, 0, wall ? clock->realtime_offset() : clock->monotonic_offset()};
  return fd;
}

int timerfd_settime(int fd, int flags, const struct itimerspec* value,
                    struct itimerspec* old) noexcept {
  ProcessClock* clock = ProcessClock::get();
  roci::timing::State& all = roci::timing::state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.descriptors.find(fd);
  if (clock == nullptr || found == all.descriptors.end()) {
    ROCI_NEXT(timerfd_settime);
    return real(fd, flags, value, old);
  }
  clock->act();
  roci::timing::Armed& timer = found->second;
  if (old != nullptr) roci::timing::read_timer(timer, *old);
  Timers::get().stop(timer.id);
  timer.id = 0;
  std::uint64_t stale = 0;  // expirations of the time set before
  pollfd ready{fd, POLLIN, 0};
  constexpr timespec kNone{0, 0};
  if (syscall(SYS_ppoll, &ready, 1, &kNone, nullptr, 0) == 1) {
    static_cast<void>(syscall(SYS_read, fd, &stale, sizeof stale));
  }
  const std::uint64_t ns = roci::timing::ns_of(value->it_value);
  if (ns == 0) return 0;
  timer.interval = roci::timing::ns_of(value->it_interval);
  const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
  const std::uint64_t deadline =
      absolute ? roci::timing::deadline_of(value->it_value, timer.offset) : clock->now() + ns;
  timer.id = Timers::get().start(deadline, timer.interval, [fd] {
    const std::uint64_t one = 1;
    static_cast<void>(syscall(SYS_write, fd, &one, sizeof one));
    return true;
  });
  return 0;
}

int timerfd_gettime(int fd, struct itimerspec* out) noexcept {
  roci::timing::State& all = roci::timing::state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.descriptors.find(fd);
  if (ProcessClock::get() == nullptr || found == all.descriptors.end()) {
    ROCI_NEXT(timerfd_gettime);
    return real(fd, out);
  }
  roci::timing::read_timer(found->second, *out);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
