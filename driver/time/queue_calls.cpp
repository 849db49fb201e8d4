// SPDX-License-Identifier: Apache-2.0
// Timed waits for message queues and signals in simulated time. The kernel has descriptors for both
// that poll() knows.
#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"
#include "driver/time/waits.hpp"

namespace roci::timing {
namespace {

constexpr timespec kPast{0, 0};

/// Repeats `attempt`, which returns -1 and sets errno to `busy` when it would have to wait for
/// `fd`, until the simulated time `deadline`.
template <typename Attempt>
auto wait_for(ProcessClock& clock, int fd, short events, std::uint64_t deadline, int busy,
              Attempt attempt) {
  clock.act();
  for (;;) {
    const auto result = attempt();
    if (result >= 0 || errno != busy) return result;
    const std::uint64_t now = clock.now();
    if (now >= deadline) {
      errno = busy;
      return result;
    }
    pollfd one{fd, events, 0};
    if (poll_for(clock, &one, 1, deadline - now, nullptr) < 0) return result;
  }
}

}  // namespace
}  // namespace roci::timing

using roci::timing::ProcessClock;

#pragma GCC visibility push(default)
extern "C" {

// The kernel returns at once for a time that has passed, with a message if there is one.
ssize_t mq_timedreceive(mqd_t queue, char* data, size_t bytes, unsigned* priority,
                        const struct timespec* until) {
  ROCI_NEXT(mq_timedreceive);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || !roci::timing::valid(until)) {
    return real(queue, data, bytes, priority, until);
  }
  const std::uint64_t deadline = roci::timing::deadline_of(*until, clock->realtime_offset());
  return roci::timing::wait_for(*clock, queue, POLLIN, deadline, ETIMEDOUT, [&] {
    return real(queue, data, bytes, priority, &roci::timing::kPast);
  });
}

int mq_timedsend(mqd_t queue, const char* data, size_t bytes, unsigned priority,
                 const struct timespec* until) {
  ROCI_NEXT(mq_timedsend);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr) return real(queue, data, bytes, priority, until);
  clock->sent();
  if (!roci::timing::valid(until)) return real(queue, data, bytes, priority, until);
  const std::uint64_t deadline = roci::timing::deadline_of(*until, clock->realtime_offset());
  return roci::timing::wait_for(*clock, queue, POLLOUT, deadline, ETIMEDOUT, [&] {
    return real(queue, data, bytes, priority, &roci::timing::kPast);
  });
}

int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* timeout) {
  ROCI_NEXT(sigtimedwait);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || !roci::timing::valid(timeout)) return real(set, info, timeout);
  const int fd = signalfd(-1, set, SFD_CLOEXEC);
  if (fd < 0) return real(set, info, timeout);
  const std::uint64_t deadline = clock->now() + roci::timing::ns_of(*timeout);
  const int result = roci::timing::wait_for(*clock, fd, POLLIN, deadline, EAGAIN,
                                            [&] { return real(set, info, &roci::timing::kPast); });
  const int error = errno;
  close(fd);
  errno = error;
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
