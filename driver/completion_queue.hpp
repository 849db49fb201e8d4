// SPDX-License-Identifier: Apache-2.0
// Completion queues (10.8).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "driver/context.hpp"

namespace roci::driver {

class CompletionQueue {
 public:
  /// A queue for at least `entries` completions that were not polled, 1 to 49152 (11.2.6.1; CQ-01).
  /// Throws Error.
  CompletionQueue(Context& context, unsigned entries);
  ~CompletionQueue();
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  /// Removes up to `count` completions, oldest first, and returns how many (11.4.2.1). When the
  /// adapter is gone (Device::gone), the completions that it wrote come first, then all outstanding
  /// requests complete with WrFlushErr; a poll after those throws Error.
  std::size_t poll(Completion* out, std::size_t count);
  std::optional<Completion> poll();
  /// poll() would return a completion.
  bool ready() const { return !kept_.empty() || pending(); }
  /// Waits for a completion; none when `timeout_ns` nanoseconds passed first.
  std::optional<Completion> wait(std::uint64_t timeout_ns = Device::kForever);

  /// The next completion, or with `solicited_only` the next solicited or failed one, raises one
  /// event (11.4.2.2; CQ-08, CQ-09).
  void arm(bool solicited_only = false);
  /// An event is raised after `count` completions or `period_us` microseconds, whichever is first;
  /// 0 and 0: for each completion. Throws Error.
  void set_moderation(std::uint16_t count, std::uint16_t period_us);

  /// Moves the completions that were not polled to a ring for at least `entries`, 1 to 24576
  /// (11.2.6.3). Throws Error when more completions are in the queue (CQ-13), or when the queue was
  /// created for more than 24576.
  void resize(unsigned entries);
  /// Completions that the ring has room for.
  unsigned entries() const { return (3u << log_) / 4; }

  std::uint32_t number() const { return number_; }
  Context& context() { return context_; }
  /// Ring that the adapter writes.
  const DmaMemory& memory() const { return ring_; }

 private:
  friend class QueuePair;

  const std::uint8_t* entry(std::uint32_t index) const;
  bool written(std::uint32_t index) const;
  bool pending() const { return !flushed_ && written(consumer_); }
  Completion take();
  void flush();
  void report_consumer();
  /// Drops the completions of a queue pair that is reset or destroyed.
  void forget(std::uint32_t qpn);

  Context& context_;
  unsigned log_;
  DmaMemory ring_;
  std::uint32_t number_ = 0;
  std::uint32_t consumer_ = 0;
  std::uint32_t reported_ = 0;   ///< consumer index last reported to the adapter
  std::deque<Completion> kept_;  ///< removed from the ring, not yet polled
  bool flushed_ = false;         ///< the adapter is gone: kept_ holds all completions to come
};

}  // namespace roci::driver
