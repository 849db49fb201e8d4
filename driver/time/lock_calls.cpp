// SPDX-License-Identifier: Apache-2.0
// Timed waits for semaphores, mutexes, read-write locks and the ends of threads in simulated time.
//
// The kernel has no wait that ends by a post or at a simulated time, so the thread waits for the
// time, as a sleeping one does. A post in the same process wakes it at once. A post of another
// process, the release of a lock and the end of a thread are seen when it looks again: after 1 us,
// later after 1/8 of the time that it has waited.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <atomic>

#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"
#include "driver/time/waits.hpp"

namespace roci::timing {
namespace {

constexpr std::uint64_t kLeastNs = 1'000, kGrowth = 8;

std::atomic<unsigned> waiting{0};  ///< threads that wait for semaphores

enum class Found { kTaken, kTimeout, kSignal };

/// Waits until `take()` is true, for the time at which the clock with `offset` shows `until`.
template <typename Take>
Found wait_until(ProcessClock& clock, const timespec& until, std::uint64_t offset, Take take) {
  const std::uint64_t deadline = deadline_of(until, offset), start = clock.now();
  clock.act();
  for (;;) {
    const std::uint32_t ticket = clock.ticket();
    if (take()) return Found::kTaken;
    const std::uint64_t now = clock.now();
    if (now >= deadline || ProcessClock::get() == nullptr) return Found::kTimeout;
    const std::uint64_t again = now + std::max((now - start) / kGrowth, kLeastNs);
    if (!clock.wait(ticket, std::min(deadline, again))) return Found::kSignal;
  }
}

int wait_for(ProcessClock& clock, sem_t* semaphore, const timespec& until, std::uint64_t offset) {
  waiting.fetch_add(1);
  const Found found =
      wait_until(clock, until, offset, [semaphore] { return sem_trywait(semaphore) == 0; });
  waiting.fetch_sub(1);
  if (found == Found::kTaken) return 0;
  errno = found == Found::kTimeout ? ETIMEDOUT : EINTR;
  return -1;
}

bool simulated(clockid_t id) { return id == CLOCK_REALTIME || id == CLOCK_MONOTONIC; }

/// Repeats `attempt` as long as it returns EBUSY.
template <typename Attempt>
int lock_until(ProcessClock& clock, clockid_t id, const timespec& until, Attempt attempt) {
  const std::uint64_t offset = *offset_of(clock, id);
  int error = 0;
  const auto take = [&attempt, &error] {
    error = attempt();
    return error != EBUSY;
  };
  Found found = Found::kSignal;
  while (found == Found::kSignal) found = wait_until(clock, until, offset, take);
  return found == Found::kTaken ? error : ETIMEDOUT;
}

}  // namespace
}  // namespace roci::timing

using roci::timing::ProcessClock;

#pragma GCC visibility push(default)
extern "C" {

int sem_post(sem_t* semaphore) noexcept {
  ROCI_NEXT(sem_post);
  const int result = real(semaphore);
  ProcessClock* clock = ProcessClock::get();
  if (clock != nullptr && roci::timing::waiting.load() != 0) clock->look_again();
  return result;
}

int sem_clockwait(sem_t* semaphore, clockid_t id, const struct timespec* until) {
  ROCI_NEXT(sem_clockwait);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || !roci::timing::simulated(id) || !roci::timing::valid(until)) {
    return real(semaphore, id, until);
  }
  return roci::timing::wait_for(*clock, semaphore, *until, *roci::timing::offset_of(*clock, id));
}

int sem_timedwait(sem_t* semaphore, const struct timespec* until) {
  if (ProcessClock::get() == nullptr) {
    ROCI_NEXT(sem_timedwait);
    return real(semaphore, until);
  }
  return sem_clockwait(semaphore, CLOCK_REALTIME, until);
}

/// A call that takes `object` by `attempt`, with the name of its clock or that of CLOCK_REALTIME.
#define LOCKING(object_type, attempt, with_clock, timed, properties)                           \
  int with_clock(object_type* object, clockid_t id, const struct timespec* until) properties { \
    ROCI_NEXT(with_clock);                                                                     \
    ProcessClock* clock = ProcessClock::get();                                                 \
    if (clock == nullptr || !roci::timing::simulated(id) || !roci::timing::valid(until)) {     \
      return real(object, id, until);                                                          \
    }                                                                                          \
    return roci::timing::lock_until(*clock, id, *until, [object] { return attempt(object); }); \
  }                                                                                            \
  int timed(object_type* object, const struct timespec* until) properties {                    \
    if (ProcessClock::get() == nullptr) {                                                      \
      ROCI_NEXT(timed);                                                                        \
      return real(object, until);                                                              \
    }                                                                                          \
    return with_clock(object, CLOCK_REALTIME, until);                                          \
  }

LOCKING(pthread_mutex_t, pthread_mutex_trylock, pthread_mutex_clocklock, pthread_mutex_timedlock,
        noexcept)
LOCKING(pthread_rwlock_t, pthread_rwlock_tryrdlock, pthread_rwlock_clockrdlock,
        pthread_rwlock_timedrdlock, noexcept)
LOCKING(pthread_rwlock_t, pthread_rwlock_trywrlock, pthread_rwlock_clockwrlock,
        pthread_rwlock_timedwrlock, noexcept)

int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t id,
                         const struct timespec* until) {
  ROCI_NEXT(pthread_clockjoin_np);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || !roci::timing::simulated(id) || !roci::timing::valid(until)) {
    return real(thread, result, id, until);
  }
  return roci::timing::lock_until(*clock, id, *until,
                                  [thread, result] { return pthread_tryjoin_np(thread, result); });
}

int pthread_timedjoin_np(pthread_t thread, void** result, const struct timespec* until) {
  if (ProcessClock::get() == nullptr) {
    ROCI_NEXT(pthread_timedjoin_np);
    return real(thread, result, until);
  }
  return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, until);
}

}  // extern "C"
#pragma GCC visibility pop
