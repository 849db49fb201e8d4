// SPDX-License-Identifier: Apache-2.0
// Deadlines in a heap. An entry that was moved or cancelled is recognized when it is due.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace roci::nic {

inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

class Timers {
 public:
  enum class Owner : std::uint8_t { kQueuePair, kCompletionQueue };
  struct Entry {
    std::uint64_t deadline_ns;
    Owner owner;
    std::uint32_t number;
    bool operator<(const Entry& other) const { return deadline_ns > other.deadline_ns; }
  };

  std::uint64_t now() const { return now_; }
  void set_now(std::uint64_t now_ns) { now_ = now_ns; }

  /// Schedules a look at the owner at this time; the owner knows whether it still matters.
  void add(std::uint64_t deadline_ns, Owner owner, std::uint32_t number) {
    heap_.push({deadline_ns, owner, number});
  }
  std::uint64_t next() const { return heap_.empty() ? kNoDeadline : heap_.top().deadline_ns; }
  /// Takes the oldest entry that is due.
  bool take(Entry* entry) {
    if (next() > now_) return false;
    *entry = heap_.top();
    heap_.pop();
    return true;
  }

 private:
  std::uint64_t now_ = 0;
  std::priority_queue<Entry> heap_;
};

}  // namespace roci::nic
