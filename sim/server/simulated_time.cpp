// SPDX-License-Identifier: Apache-2.0
#include "sim/server/simulated_time.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "driver/device/clock.hpp"
#include "sim/server/shared_memory.hpp"

namespace roci::sim {
namespace {

using namespace driver::protocol;

constexpr unsigned kYields = 30;            // looks without a pause
constexpr std::uint64_t kPauseNs = 50'000;  // then with one
constexpr unsigned kShortPauses = 100;
constexpr std::uint64_t kLongPauseNs = 1'000'000;
// The kernel may take so long to pass what a program sent to another one, which then runs.
constexpr std::uint64_t kDeliveryNs = 200'000;
constexpr std::uint64_t kWholeNs = 1'000;
constexpr std::uint64_t kCreditNs = 100'000'000;  // as far as simulated time may catch up

/// In whole microseconds, so that clocks that count those show the same at the same time.
std::uint64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return driver::ns_of(now) / kWholeNs * kWholeNs;
}

}  // namespace

SimulatedTime::Process::Process(pid_t id, TimePage* where) : pid(id), page(where), threads(id) {}

SimulatedTime::Process::~Process() { munmap(page, sizeof *page); }

SimulatedTime::SimulatedTime(const TimeOptions& options, const std::uint64_t& now_ns,
                             std::uint64_t& look_at)
    : options_(options),
      now_ns_(now_ns),
      look_at_(look_at),
      realtime_ns_(read_clock(CLOCK_REALTIME)),
      monotonic_ns_(read_clock(CLOCK_MONOTONIC)) {}

SimulatedTime::~SimulatedTime() = default;

Descriptor SimulatedTime::join(const void* connection, pid_t pid) {
  if (!on()) return Descriptor();
  Descriptor file;
  auto* page = static_cast<TimePage*>(share_memory("roci-time", sizeof(TimePage), file));
  if (page == nullptr) return Descriptor();
  page->deadline = kNoDeadline;
  page->now_ns = now_ns_;
  page->realtime_ns = realtime_ns_;
  page->monotonic_ns = monotonic_ns_;
  page->post_ns = options_.post_ns;
  page->poll_ns = options_.poll_ns;
  processes_[connection] = std::make_unique<Process>(pid, page);
  news();
  return file;
}

void SimulatedTime::leave(const void* connection) {
  if (processes_.erase(connection) != 0) news();
}

/// A process that is blocked in the kernel runs, and may read the clock, before the simulation
/// stops.
void SimulatedTime::news() {
  if (!on()) return;
  look_at_ = 0;
  publish(now_ns_);
}

void SimulatedTime::publish(std::uint64_t now_ns) {
  for (auto& [connection, process] : processes_) {
    process->page->now_ns.store(now_ns, std::memory_order_release);
  }
}

void SimulatedTime::wrote(pid_t pid) {
  if (!on()) return;
  for (auto& [connection, process] : processes_) {
    if (process->pid != pid) continue;
    // The threads of others are in the kernel, which a write to their memory does not change.
    if (gate_threads(process->page->gate.load()) == 0 && !process->spins) continue;
    process->written = true;
    news();
  }
}

void SimulatedTime::wake(Process& process) {
  TimePage& page = *process.page;
  process.written = process.spins = false;
  process.cpu_ns = process.threads.cpu_ns();
  page.deadline = kNoDeadline;
  open_gate(page);
}

bool SimulatedTime::disturbed() const {
  return std::any_of(processes_.begin(), processes_.end(), [](const auto& entry) {
    return entry.second->spins && entry.second->page->acts.load() != entry.second->acts;
  });
}

std::uint64_t SimulatedTime::may_pass(std::uint64_t gap_ns) {
  if (gap_ns <= kJumpNs) return gap_ns;
  // To a whole microsecond first: clocks of programs that count those show the same in each run.
  if (now_ns_ % kWholeNs != 0) return kWholeNs - now_ns_ % kWholeNs;
  const std::uint64_t real_ns = driver::clock_ns();
  std::uint64_t limit = paced_ns_ + (real_ns - paced_real_ns_);
  if (limit < now_ns_ || limit > now_ns_ + kCreditNs) {
    limit = std::clamp(limit, now_ns_, now_ns_ + kCreditNs);
    paced_ns_ = limit;
    paced_real_ns_ = real_ns;
  }
  const std::uint64_t credit = (limit - now_ns_) / kWholeNs * kWholeNs;
  return credit >= std::min(gap_ns, kJumpNs) ? std::min(gap_ns, credit) : 0;
}

std::uint64_t SimulatedTime::deadline() const {
  std::uint64_t first = kNoDeadline;
  for (const auto& [connection, process] : processes_) {
    first = std::min(first, process->page->deadline.load());
  }
  return first;
}

void SimulatedTime::sleep(bool asleep) {
  for (auto& [connection, process] : processes_) process->page->asleep = asleep ? 1 : 0;
}

SimulatedTime::State SimulatedTime::state_of(Process& process) {
  const TimePage& page = *process.page;
  const std::uint32_t acts = page.acts.load();
  if (acts != process.acts) {
    process.acts = acts;
    process.spins = false;
    process.cpu_ns = process.threads.cpu_ns();
  }
  const unsigned resting = gate_threads(page.gate.load()) + page.own_threads.load();
  if (resting >= process.threads.count()) return State::kWaits;
  return process.spins ? State::kSpins : State::kUnknown;
}

/// Whether no process runs, except for those that look at their memory.
bool SimulatedTime::all_rest() {
  std::vector<std::pair<Process*, ProcessThreads::Picture>> asleep;
  bool rest = true;
  for (auto& [connection, process] : processes_) {
    if (state_of(*process) != State::kUnknown) continue;
    const ProcessThreads::Picture picture = process->threads.look();
    if (picture.asleep) {
      asleep.emplace_back(process.get(), picture);
    } else if (process->threads.cpu_ns() - process->cpu_ns > options_.grace_ns) {
      process->spins = true;
      ++graces_;
    } else {
      rest = false;
    }
  }
  if (!rest) return false;
  // One process may have woken another between the two pictures of one.
  return std::all_of(asleep.begin(), asleep.end(), [](const auto& entry) {
    const ProcessThreads::Picture again = entry.first->threads.look();
    return again.asleep && again.runs == entry.second.runs;
  });
}

bool SimulatedTime::settle(const std::function<bool(std::uint64_t ns)>& serve,
                           const std::function<void()>& take) {
  news();
  for (auto& [connection, process] : processes_) {
    if (process->written || process->page->deadline.load() <= now_ns_) {
      wake(*process);
      ++stops_;
    }
  }
  do {
    look_at_ = kNoDeadline;
    for (unsigned round = 0; !all_rest(); ++round) {
      if (round < kYields) sched_yield();
      const std::uint64_t pause = round < kYields                  ? 0
                                  : round < kYields + kShortPauses ? kPauseNs
                                                                   : kLongPauseNs;
      if (!serve(pause)) return false;
    }
    const std::uint64_t sent = std::exchange(sends_, sends());
    if (!serve(sent == sends_ ? 0 : kDeliveryNs)) return false;
    if (sent != sends_) {
      loopback_.wait();
      news();
      continue;
    }
    take();
    for (auto& [connection, process] : processes_) process->page->taken.fetch_add(1);
  } while (look_at_ == 0);
  look_at_ = deadline();
  return true;
}

std::uint64_t SimulatedTime::sends() const {
  std::uint64_t sum = processes_.size();  // one that joins or leaves was noticed by others
  for (const auto& [connection, process] : processes_) sum += process->page->sends.load();
  return sum;
}

nlohmann::json SimulatedTime::status() const {
  return {{"simulated", on()},
          {"processes", processes_.size()},
          {"stops", stops_},
          {"graces", graces_}};
}

}  // namespace roci::sim
