// SPDX-License-Identifier: Apache-2.0
// Simulated time for the processes of a simulator: when it stands still for them and when it goes
// on.
//
// Processes act in no time. When an adapter wrote to the memory of a process, a reply or an event
// reached one, or a time came for which one waits, the simulation stops until all threads of all
// processes wait again: for simulated time (driver/time), or in the kernel. A process that uses
// `grace_ns` of processor time without a call that concerns the adapter or the clock is taken to
// look at its memory in a loop: time goes on for it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "driver/device/clock.hpp"
#include "driver/device/time_page.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/loopback.hpp"
#include "sim/server/process_threads.hpp"

namespace roci::sim {

struct TimeOptions {
  bool simulated = false;              ///< false: programs have real time
  std::uint64_t doorbell_ns = 0;       ///< from a processor to the adapter, in simulated time
  std::uint64_t post_ns = 0;           ///< what a doorbell costs the thread that rings it
  std::uint64_t poll_ns = 0;           ///< what a poll costs that finds completions
  std::uint64_t grace_ns = 2'000'000;  ///< processor time of a process that looks at its memory
};

class SimulatedTime {
 public:
  /// Gaps of simulated time up to this length pass at once, in whatever time programs have.
  static constexpr std::uint64_t kJumpNs = 20'000;

  /// `now_ns` is the time of the simulation. `look_at` is set to the time at which it must stop, 0:
  /// at once.
  SimulatedTime(const TimeOptions& options, const std::uint64_t& now_ns, std::uint64_t& look_at);
  ~SimulatedTime();

  bool on() const { return options_.simulated; }
  /// The clock of what the simulator does for programs: simulated time, or CLOCK_MONOTONIC.
  std::uint64_t clock_ns() const { return on() ? now_ns_ : driver::clock_ns(); }
  /// How long a doorbell takes from a processor to the adapter.
  std::uint64_t doorbell_ns() const { return on() ? options_.doorbell_ns : kDoorbellNs; }

  /// A process joins by one connection; the file is its page. None: no memory, or real time.
  Descriptor join(const void* connection, pid_t pid);
  void leave(const void* connection);

  /// An adapter wrote to the memory of a process.
  void wrote(pid_t pid);
  /// Something else is about to reach a process: a reply or an event.
  void news();

  /// Shows the time to all processes.
  void publish(std::uint64_t now_ns);
  /// Whether a process did something while time went on for it.
  bool disturbed() const;
  /// Stands still until all processes rest. `serve(ns)` handles their messages, for at
  /// most `ns` of real time; `take` takes what they left when they rest. Returns false when `serve`
  /// does: the simulator ends.
  bool settle(const std::function<bool(std::uint64_t ns)>& serve,
              const std::function<void()>& take);
  /// How much of `gap_ns`, in which nothing happens, may pass at once: all of a short one, and as
  /// much of a long one as real time has passed.
  std::uint64_t may_pass(std::uint64_t gap_ns);
  /// Earliest time for which a process waits; all ones: none.
  std::uint64_t deadline() const;
  /// Whether waiting threads must send a message, as the simulator sleeps.
  void sleep(bool asleep);

  nlohmann::json status() const;

 private:
  static constexpr std::uint64_t kDoorbellNs = 400;  ///< when programs have real time

  struct Process {
    Process(pid_t id, driver::protocol::TimePage* where);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    pid_t pid;
    driver::protocol::TimePage* page;
    ProcessThreads threads;
    bool written = false;  ///< since its threads were woken
    bool spins = false;    ///< it looks at its memory in a loop
    std::uint32_t acts = 0;
    std::uint64_t cpu_ns = 0;  ///< when it acted, or was woken, last
  };
  enum class State { kWaits, kSpins, kUnknown };

  void wake(Process& process);
  State state_of(Process& process);
  bool all_rest();
  std::uint64_t sends() const;

  TimeOptions options_;
  Loopback loopback_;
  const std::uint64_t& now_ns_;
  std::uint64_t& look_at_;
  std::uint64_t realtime_ns_, monotonic_ns_;
  std::map<const void*, std::unique_ptr<Process>> processes_;
  std::uint64_t sends_ = 0;  ///< sends() when the processes rested last
  std::uint64_t stops_ = 0, graces_ = 0;
  std::uint64_t paced_ns_ = 0, paced_real_ns_ = 0;  ///< simulated time, and the real time it had
};

}  // namespace roci::sim
