// SPDX-License-Identifier: Apache-2.0
// Timers of a process in simulated time: a thread that acts when simulated time reaches theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "driver/time/process_clock.hpp"

namespace roci::timing {

class Timers {
 public:
  /// The timers of this process, whose clock must exist.
  static Timers& get();

  /// What a timer does; `true`: it is done, `false`: it wants to be called again a little later.
  using Action = std::function<bool()>;
  using Id = std::uint64_t;  ///< 0: none

  /// Calls `action` in the thread of the timers at `deadline` and, unless `interval` is 0, each
  /// `interval` after it. An action takes no locks that a caller of this class may hold.
  Id start(std::uint64_t deadline, std::uint64_t interval, Action action);
  /// Ends a timer; afterwards its action does not run. Returns the time that was left, 0: it has
  /// expired or there is none.
  std::uint64_t stop(Id id);
  /// Time until it expires next; 0: it has.
  std::uint64_t left(Id id);

 private:
  struct Timer {
    std::uint64_t deadline, interval;
    Action action;
  };
  Timers();
  void run();
  std::uint64_t expire();
  bool rest(ProcessClock* clock);

  std::mutex mutex_;
  std::map<Id, Timer> timers_;
  Id last_ = 0;
  int process_;
  int wake_;              ///< eventfd; wakes the thread while there is no timer
  bool resting_ = false;  ///< the thread sleeps without a timer, and is counted as asleep
};

/// A descriptor that becomes readable at a time, for the calls of one thread.
class ThreadAlarm {
 public:
  explicit ThreadAlarm(std::uint64_t deadline);
  ~ThreadAlarm();
  ThreadAlarm(const ThreadAlarm&) = delete;
  ThreadAlarm& operator=(const ThreadAlarm&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
  Timers::Id id_;
};

}  // namespace roci::timing
