// SPDX-License-Identifier: Apache-2.0
#include "driver/time/timers.hpp"

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>
#include <vector>

namespace roci::timing {
namespace {

constexpr std::uint64_t kAgainNs = 1000;  // for an action that is not done

void signal_fd(int fd) {
  const std::uint64_t one = 1;
  static_cast<void>(syscall(SYS_write, fd, &one, sizeof one));
}

}  // namespace

Timers& Timers::get() {
  static std::mutex making;
  static Timers* timers = nullptr;  // never destroyed: its thread runs until the process ends
  const std::lock_guard<std::mutex> lock(making);
  // A child made by fork() has no timers.
  if (timers == nullptr || timers->process_ != getpid()) timers = new Timers;
  return *timers;
}

Timers::Timers() : process_(getpid()), wake_(eventfd(0, EFD_CLOEXEC)) {
  // Signals are left to the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] { run(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Timers::Id Timers::start(std::uint64_t deadline, std::uint64_t interval, Action action) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ProcessClock* clock = ProcessClock::get();
  timers_.emplace(++last_, Timer{deadline, interval, std::move(action)});
  if (std::exchange(resting_, false)) {
    // From here on, not from when the thread runs, which may be much later: no time may pass that
    // it does not see.
    if (clock != nullptr) clock->count_own_thread(false);
    signal_fd(wake_);
  }
  if (clock != nullptr) clock->lower(deadline);
  return last_;
}

std::uint64_t Timers::left(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = timers_.find(id);
  const ProcessClock* clock = ProcessClock::get();
  if (found == timers_.end() || clock == nullptr) return 0;
  const std::uint64_t now = clock->now();
  return found->second.deadline > now ? found->second.deadline - now : 0;
}

std::uint64_t Timers::stop(Id id) {
  const std::uint64_t rest = left(id);
  const std::lock_guard<std::mutex> lock(mutex_);
  timers_.erase(id);
  return rest;
}

/// Runs the actions that are due; returns when the next one is.
std::uint64_t Timers::expire() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::uint64_t now =
      ProcessClock::get() == nullptr ? ProcessClock::kForever : ProcessClock::get()->now();
  std::uint64_t next = ProcessClock::kForever;
  for (auto timer = timers_.begin(); timer != timers_.end();) {
    Timer& one = timer->second;
    if (one.deadline <= now) {
      if (!one.action() && now != ProcessClock::kForever) {
        one.deadline = now + kAgainNs;
      } else if (one.interval == 0 || now == ProcessClock::kForever) {
        timer = timers_.erase(timer);
        continue;
      } else {
        one.deadline += one.interval;
        continue;  // it may be due again
      }
    }
    next = std::min(next, one.deadline);
    ++timer;
  }
  return next;
}

/// Whether the thread shall sleep until there is a timer.
bool Timers::rest(ProcessClock* clock) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!timers_.empty()) return false;
  resting_ = true;
  if (clock != nullptr) clock->count_own_thread(true);
  return true;
}

void Timers::run() {
  for (;;) {
    ProcessClock* clock = ProcessClock::get();
    const std::uint32_t ticket = clock == nullptr ? 0 : clock->ticket();
    const std::uint64_t next = expire();
    clock = ProcessClock::get();
    if (next != ProcessClock::kForever && clock != nullptr) {
      clock->wait(ticket, next);
    } else if (rest(clock)) {
      std::uint64_t count = 0;
      static_cast<void>(syscall(SYS_read, wake_, &count, sizeof count));
    }
  }
}

ThreadAlarm::ThreadAlarm(std::uint64_t deadline)
    : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), id_(Timers::get().start(deadline, 0, [fd = fd_] {
        signal_fd(fd);
        return true;
      })) {}

ThreadAlarm::~ThreadAlarm() {
  Timers::get().stop(id_);
  close(fd_);
}

}  // namespace roci::timing
