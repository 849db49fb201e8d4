// SPDX-License-Identifier: Apache-2.0
// Timers of timer_create() in simulated time; those of processor time stay the kernel's.
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "driver/device/clock.hpp"
#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"
#include "driver/time/process_state.hpp"
#include "driver/time/timers.hpp"
#include "driver/time/waits.hpp"

namespace roci::timing {
namespace {

struct PosixTimer {
  std::uint64_t offset;  ///< what its clock shows at simulated time 0
  sigevent event;
  Timers::Id id = 0;  ///< 0: not armed
  std::uint64_t interval = 0;
};

struct All {
  std::mutex mutex;
  std::map<timer_t, std::unique_ptr<PosixTimer>> timers;
};

/// The timers made by this process; a child made by fork() has none.
All& all_timers() { return state_of_process<All>(); }

/// The timer of an identifier; null: one of the kernel's. The mutex is held.
PosixTimer* find(All& all, timer_t id) {
  const auto found = all.timers.find(id);
  return found == all.timers.end() ? nullptr : found->second.get();
}

/// Does what the program wants when a timer expires.
void expire(const sigevent& event) {
  if (event.sigev_notify == SIGEV_THREAD) {
    std::thread([event] { event.sigev_notify_function(event.sigev_value); }).detach();
    return;
  }
  if (event.sigev_notify == SIGEV_NONE) return;
  siginfo_t info{};
  info.si_signo = event.sigev_signo;
  info.si_code = SI_TIMER;
  info.si_value = event.sigev_value;
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr) return;
  clock->interrupt([&] {
    if (event.sigev_notify == SIGEV_THREAD_ID) {
      syscall(SYS_rt_tgsigqueueinfo, getpid(), event._sigev_un._tid, info.si_signo, &info);
    } else {
      syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info);
    }
  });
}

void show(const PosixTimer& timer, itimerspec& out) {
  const std::uint64_t left = timer.id == 0 ? 0 : Timers::get().left(timer.id);
  out = {driver::timespec_of(timer.interval), driver::timespec_of(left)};
}

bool usable(const sigevent& event) {
  switch (event.sigev_notify) {
    case SIGEV_NONE:
      return true;
    case SIGEV_SIGNAL:
    case SIGEV_THREAD_ID:
      return event.sigev_signo > 0 && event.sigev_signo <= SIGRTMAX;
    case SIGEV_THREAD:
      return event.sigev_notify_function != nullptr;
    default:
      return false;
  }
}

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace
}  // namespace roci::timing

using roci::timing::ProcessClock;
using roci::timing::Timers;

#pragma GCC visibility push(default)
extern "C" {

int timer_create(clockid_t id, struct sigevent* event, timer_t* timer) noexcept {
  ProcessClock* clock = ProcessClock::get();
  const auto offset = clock == nullptr ? std::nullopt : roci::timing::offset_of(*clock, id);
  if (!offset) {
    ROCI_NEXT(timer_create);
    return real(id, event, timer);
  }
  auto made = std::make_unique<roci::timing::PosixTimer>();
  made->offset = *offset;
  *timer = made.get();
  if (event != nullptr) {
    made->event = *event;
  } else {
    made->event.sigev_notify = SIGEV_SIGNAL;
    made->event.sigev_signo = SIGALRM;
    made->event.sigev_value.sival_ptr = *timer;
  }
  if (!roci::timing::usable(made->event)) return roci::timing::fail(EINVAL);
  roci::timing::All& all = roci::timing::all_timers();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.timers[*timer] = std::move(made);
  return 0;
}

int timer_settime(timer_t id, int flags, const struct itimerspec* value,
                  struct itimerspec* old) noexcept {
  ProcessClock* clock = ProcessClock::get();
  roci::timing::All& all = roci::timing::all_timers();
  const std::lock_guard<std::mutex> lock(all.mutex);
  roci::timing::PosixTimer* timer = roci::timing::find(all, id);
  if (clock == nullptr || timer == nullptr) {
    ROCI_NEXT(timer_settime);
    return real(id, flags, value, old);
  }
  if (!roci::timing::valid(&value->it_value) || !roci::timing::valid(&value->it_interval)) {
    return roci::timing::fail(EINVAL);
  }
  clock->act();
  if (old != nullptr) roci::timing::show(*timer, *old);
  Timers::get().stop(timer->id);
  timer->id = 0;
  timer->interval = roci::driver::ns_of(value->it_interval);
  const std::uint64_t ns = roci::driver::ns_of(value->it_value);
  if (ns == 0) return 0;
  const std::uint64_t deadline = (flags & TIMER_ABSTIME) != 0
                                     ? roci::timing::deadline_of(value->it_value, timer->offset)
                                     : clock->now() + ns;
  timer->id = Timers::get().start(deadline, timer->interval, [event = timer->event] {
    roci::timing::expire(event);
    return true;
  });
  return 0;
}

int timer_gettime(timer_t id, struct itimerspec* out) noexcept {
  roci::timing::All& all = roci::timing::all_timers();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const roci::timing::PosixTimer* timer = roci::timing::find(all, id);
  if (timer == nullptr) {
    ROCI_NEXT(timer_gettime);
    return real(id, out);
  }
  roci::timing::show(*timer, *out);
  return 0;
}

// Each expiration is a signal of its own: the process runs before the next one.
int timer_getoverrun(timer_t id) noexcept {
  roci::timing::All& all = roci::timing::all_timers();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (roci::timing::find(all, id) != nullptr) return 0;
  ROCI_NEXT(timer_getoverrun);
  return real(id);
}

int timer_delete(timer_t id) noexcept {
  roci::timing::All& all = roci::timing::all_timers();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const roci::timing::PosixTimer* timer = roci::timing::find(all, id);
  if (timer == nullptr) {
    ROCI_NEXT(timer_delete);
    return real(id);
  }
  Timers::get().stop(timer->id);
  all.timers.erase(id);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
