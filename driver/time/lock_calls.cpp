// SPDX-License-Identifier: Apache-2.0
// Timed waits for semaphores and mutexes in simulated time.
//
// The kernel has no wait that ends by a post or at a simulated time, so the thread waits for the
// time, as a sleeping one does. A post in the same process wakes it at once. A post of another
// process, and the release of a mutex, are seen when it looks again: after 1 us, later after 1/8
// of the time that it has waited.
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

int wait_for(ProcessClock& clock, pthread_mutex_t* mutex, const timespec& until,
             std::uint64_t offset) {
  int error = 0;
  const auto take = [mutex, &error] {
    error = pthread_mutex_trylock(mutex);
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
  if (clock == nullptr || (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC) ||
      !roci::timing::valid(until)) {
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

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t id,
                            const struct timespec* until) noexcept {
  ROCI_NEXT(pthread_mutex_clocklock);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC) ||
      !roci::timing::valid(until)) {
    return real(mutex, id, until);
  }
  return roci::timing::wait_for(*clock, mutex, *until, *roci::timing::offset_of(*clock, id));
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const struct timespec* until) noexcept {
  if (ProcessClock::get() == nullptr) {
    ROCI_NEXT(pthread_mutex_timedlock);
    return real(mutex, until);
  }
  return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, until);
}

}  // extern "C"
#pragma GCC visibility pop
