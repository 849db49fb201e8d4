// SPDX-License-Identifier: Apache-2.0
// What the tests of simulated time share: how much of it a call takes.
#pragma once

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <functional>
#include <thread>
#include <utility>

namespace passing {

inline constexpr long kMs = 1'000'000;
inline constexpr long kReads = 2'000;  // what a few reads of the clock and polls may add, in ns

inline long now_ns(clockid_t id = CLOCK_MONOTONIC) {
  timespec now{};
  REQUIRE(clock_gettime(id, &now) == 0);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

/// Fails unless `action` takes `ns` of simulated time.
inline void takes(long ns, const std::function<void()>& action) {
  const long start = now_ns();
  action();
  const long passed = now_ns() - start;
  CHECK(passed >= ns);
  CHECK(passed <= ns + 2 * kReads);
}

inline void sleep_ns(long ns) {
  const timespec request{0, ns};
  CHECK(nanosleep(&request, nullptr) == 0);
}

inline timespec timespec_at(long ns) { return {ns / 1'000'000'000L, ns % 1'000'000'000L}; }

struct Pipe {
  int ends[2];
  Pipe() { REQUIRE(pipe(ends) == 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void write_one() const { REQUIRE(write(ends[1], "x", 1) == 1); }
};

/// Does something after a while, in another thread.
class Later {
 public:
  Later(long ns, std::function<void()> action)
      : thread_([ns, action = std::move(action)] {
          sleep_ns(ns);
          action();
        }) {}
  ~Later() { thread_.join(); }

 private:
  std::thread thread_;
};

inline volatile sig_atomic_t signals = 0;
inline void count_signal(int) { signals = signals + 1; }

}  // namespace passing
