// SPDX-License-Identifier: Apache-2.0
// Waits of the C library with a timeout, in simulated time. Waits without one sleep in the kernel.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "driver/device/clock.hpp"
#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"
#include "driver/time/timers.hpp"
#include "driver/time/waits.hpp"

namespace roci::timing {

// Unless something is ready at once, the kernel waits without a timeout, for one descriptor more.
int poll_for(ProcessClock& clock, pollfd* fds, nfds_t count, std::uint64_t ns,
             const sigset_t* mask) {
  static const auto real = next<decltype(ppoll)>("ppoll");
  constexpr timespec kNone{0, 0};
  const int ready = real(fds, count, &kNone, mask);
  if (ready != 0) return ready;
  if (ns == 0) {
    clock.idle();  // a program may do nothing but this
    return real(fds, count, &kNone, mask);
  }
  clock.act();
  const ThreadAlarm alarm(clock.now() + ns);
  std::vector<pollfd> all(fds, fds + count);
  all.push_back({alarm.fd(), POLLIN, 0});
  const int found = real(all.data(), all.size(), nullptr, mask);
  if (found < 0) return found;
  std::copy(all.begin(), all.end() - 1, fds);
  return found - (all.back().revents != 0 ? 1 : 0);
}

namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

/// select() by poll(), with a timeout.
int select_for(ProcessClock& clock, int count, fd_set* in, fd_set* out, fd_set* bad,
               std::uint64_t ns, const sigset_t* mask) {
  struct Kind {
    fd_set* set;
    short asked, ready;
  };
  const Kind kinds[] = {{in, POLLIN, POLLIN | POLLHUP | POLLERR},
                        {out, POLLOUT, POLLOUT | POLLERR},
                        {bad, POLLPRI, POLLPRI}};
  std::vector<pollfd> fds;
  for (int fd = 0; fd < count; ++fd) {
    short events = 0;
    for (const Kind& kind : kinds) {
      if (kind.set != nullptr && FD_ISSET(fd, kind.set)) {
        events = static_cast<short>(events | kind.asked);
      }
    }
    if (events != 0) fds.push_back({fd, events, 0});
  }
  if (poll_for(clock, fds.data(), fds.size(), ns, mask) < 0) return -1;
  for (const pollfd& one : fds) {
    if ((one.revents & POLLNVAL) == 0) continue;
    errno = EBADF;
    return -1;
  }
  int bits = 0;
  for (const Kind& kind : kinds) {
    if (kind.set == nullptr) continue;
    for (const pollfd& one : fds) {
      if (!FD_ISSET(one.fd, kind.set)) continue;
      if ((one.revents & kind.ready) != 0) {
        ++bits;
      } else {
        FD_CLR(one.fd, kind.set);
      }
    }
  }
  return bits;
}

/// A wait for a condition until a time of a clock whose offset is `offset`.
int wait_for(ProcessClock& clock, pthread_cond_t* cond, pthread_mutex_t* mutex,
             const timespec& until, std::uint64_t offset) {
  static const auto real = next<decltype(pthread_cond_wait)>("pthread_cond_wait", "GLIBC_2.3.2");
  const std::uint64_t deadline = deadline_of(until, offset);
  clock.act();
  if (clock.now() >= deadline) return ETIMEDOUT;
  // Under the mutex, so that the thread waits already. A wake without a cause is permitted.
  const Timers::Id timer = Timers::get().start(deadline, 0, [cond, mutex] {
    if (pthread_mutex_trylock(mutex) != 0) return false;
    pthread_cond_broadcast(cond);
    pthread_mutex_unlock(mutex);
    return true;
  });
  const int error = real(cond, mutex);
  Timers::get().stop(timer);
  if (error != 0) return error;
  return clock.now() >= deadline ? ETIMEDOUT : 0;
}

}  // namespace
}  // namespace roci::timing

using roci::timing::kNsPerMs;
using roci::timing::ProcessClock;

#pragma GCC visibility push(default)
extern "C" {

int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* timeout, const sigset_t* mask) {
  ROCI_NEXT(ppoll);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || !roci::timing::valid(timeout)) return real(fds, count, timeout, mask);
  return roci::timing::poll_for(*clock, fds, count, roci::timing::ns_of(*timeout), mask);
}

int poll(struct pollfd* fds, nfds_t count, int timeout) {
  ROCI_NEXT(poll);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || timeout < 0) return real(fds, count, timeout);
  const auto ms = static_cast<std::uint64_t>(timeout);
  return roci::timing::poll_for(*clock, fds, count, ms * kNsPerMs, nullptr);
}

// What poll() becomes in programs built with _FORTIFY_SOURCE.
int __poll_chk(struct pollfd* fds, nfds_t count, int timeout, size_t) {
  return poll(fds, count, timeout);
}
int __ppoll_chk(struct pollfd* fds, nfds_t count, const struct timespec* timeout,
                const sigset_t* mask, size_t) {
  return ppoll(fds, count, timeout, mask);
}

int pselect(int count, fd_set* in, fd_set* out, fd_set* bad, const struct timespec* timeout,
            const sigset_t* mask) {
  ROCI_NEXT(pselect);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || !roci::timing::valid(timeout)) {
    return real(count, in, out, bad, timeout, mask);
  }
  return roci::timing::select_for(*clock, count, in, out, bad, roci::timing::ns_of(*timeout), mask);
}

int select(int count, fd_set* in, fd_set* out, fd_set* bad, struct timeval* timeout) {
  ROCI_NEXT(select);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || timeout == nullptr) return real(count, in, out, bad, timeout);
  const std::uint64_t start = clock->now();
  const std::uint64_t ns = roci::timing::ns_of(*timeout);
  const int found = roci::timing::select_for(*clock, count, in, out, bad, ns, nullptr);
  const std::uint64_t passed = std::min(ns, clock->now() - start);
  *timeout = roci::timing::timeval_of(ns - passed);
  return found;
}

int epoll_pwait2(int epoll, struct epoll_event* events, int most, const struct timespec* timeout,
                 const sigset_t* mask) {
  ROCI_NEXT(epoll_pwait2);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || !roci::timing::valid(timeout)) {
    return real(epoll, events, most, timeout, mask);
  }
  pollfd one{epoll, POLLIN, 0};
  const std::uint64_t ns = roci::timing::ns_of(*timeout);
  if (roci::timing::poll_for(*clock, &one, 1, ns, mask) < 0) return -1;
  constexpr timespec kNone{0, 0};
  return real(epoll, events, most, &kNone, mask);
}

int epoll_pwait(int epoll, struct epoll_event* events, int most, int timeout,
                const sigset_t* mask) {
  ROCI_NEXT(epoll_pwait);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || timeout < 0) return real(epoll, events, most, timeout, mask);
  pollfd one{epoll, POLLIN, 0};
  const auto ms = static_cast<std::uint64_t>(timeout);
  if (roci::timing::poll_for(*clock, &one, 1, ms * kNsPerMs, mask) < 0) return -1;
  return real(epoll, events, most, 0, mask);
}

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  ROCI_NEXT(epoll_wait);
  if (ProcessClock::get() == nullptr) return real(epoll, events, most, timeout);
  return epoll_pwait(epoll, events, most, timeout, nullptr);
}

int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex,
                           const struct timespec* until) {
  static const auto real =
      roci::timing::next<decltype(pthread_cond_timedwait)>("pthread_cond_timedwait", "GLIBC_2.3.2");
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr) return real(cond, mutex, until);
  const std::uint64_t offset = roci::timing::offset_of(*clock, *until);
  return roci::timing::wait_for(*clock, cond, mutex, *until, offset);
}

int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t id,
                           const struct timespec* until) {
  ROCI_NEXT(pthread_cond_clockwait);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || (id != CLOCK_MONOTONIC && id != CLOCK_REALTIME)) {
    return real(cond, mutex, id, until);
  }
  const std::uint64_t offset = *roci::timing::offset_of(*clock, id);
  return roci::timing::wait_for(*clock, cond, mutex, *until, offset);
}

}  // extern "C"
#pragma GCC visibility pop
