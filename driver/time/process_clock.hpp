// SPDX-License-Identifier: Apache-2.0
// The clock of a process whose simulator has simulated time.
//
// Simulated time stands still while a thread runs. It passes when all threads wait: in the kernel,
// or here, for a time or for what an adapter writes.
#pragma once

#include <cstdint>

#include "driver/device/time_page.hpp"

namespace roci::timing {

/// All functions may be called in a signal handler: they take no locks of the C library.
class ProcessClock {
 public:
  static constexpr std::uint64_t kForever = driver::protocol::kNoDeadline;

  /// The clock; nullptr: this process has real time.
  static ProcessClock* get() { return current_; }
  /// Connects the process, when its environment says that the simulator has simulated time. A child
  /// made by fork() connects anew.
  static void join();

  std::uint64_t now() const { return page_->now_ns.load(std::memory_order_acquire); }
  std::uint64_t realtime_offset() const { return page_->realtime_ns; }
  std::uint64_t monotonic_offset() const { return page_->monotonic_ns; }

  enum class Clock { kTime, kCycles };
  /// Simulated time as a program reads it. Time stands still for a thread that reads a clock once;
  /// for one that reads the same clock again and again, it passes.
  std::uint64_t read(Clock which = Clock::kTime);

  /// A state of the clock, taken before a thread looks at what it would wait for.
  std::uint32_t ticket() const { return driver::protocol::gate_wakes(page_->gate.load()); }
  /// Waits until `deadline`, or until the simulator wrote to the process or woke it since the
  /// ticket was taken. May return earlier. False: a signal came.
  bool wait(std::uint32_t ticket, std::uint64_t deadline);
  /// Sleeps until `deadline`. False: a signal came.
  bool sleep_until(std::uint64_t deadline);
  /// `send` sends this process a signal, which interrupts the sleep of its first thread.
  template <typename Send>
  void interrupt(Send send) {
    signals_begun_.fetch_add(1);
    send();
    signals_sent_.fetch_add(1);
    look_again();  // the thread that handles the signal may not have been asleep
  }
  /// Makes all waiting threads look at what they wait for.
  void look_again();
  /// Makes the simulator wake all waiting threads at `deadline` or before.
  void lower(std::uint64_t deadline);

  /// A poll of this thread found nothing: lets a little time pass, until the simulator wrote to
  /// the process.
  void idle();
  /// This thread did something else than read the clock or poll in vain.
  void act();
  /// It sent something to another process, which may not run yet when this thread waits.
  void sent() {
    act();
    page_->sends.fetch_add(1);
  }
  /// It rang a doorbell. Returns at the next clock after the simulator has taken it, so that none
  /// hides another, or when it has cost its time.
  void posted();
  /// It found completions, which may cost time.
  void polled();

  /// One more or less of the threads of this library sleeps in the kernel.
  void count_own_thread(bool sleeps);

 private:
  static ProcessClock* current_;

  bool connect(const char* path);
  void disconnect();
  bool alive() const;

  int socket_ = -1;
  // A sleep that begins after `send` did is not interrupted by that signal, which was handled.
  std::atomic<std::uint32_t> signals_begun_{0}, signals_sent_{0};
  driver::protocol::TimePage* page_ = nullptr;
};

}  // namespace roci::timing
