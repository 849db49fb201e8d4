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
  /// Room for at least `entries` completions that were not polled, 1 to 49152 (CQ-01).
  CompletionQueue(Context& context, unsigned entries);
  ~CompletionQueue();
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  /// Takes up to `count` completions, oldest first, and says how many. When the adapter has gone
  /// (Device::gone), what it had completed comes first, then all that is outstanding completes
  /// with WrFlushErr, and a poll that finds nothing any more throws Error.
  std::size_t poll(Completion* out, std::size_t count);
  std::optional<Completion> poll();
  /// poll() would give one.
  bool ready() const { return !kept_.empty() || pending(); }
  /// Waits for a completion; none when `timeout_ns` went by.
  std::optional<Completion> wait(std::uint64_t timeout_ns = Device::kForever);

  /// The next completion, or the next solicited or bad one, raises one event (CQ-08, CQ-09).
  void arm(bool solicited_only = false);
  /// An event after `count` completions or `period_us`, whatever comes first; 0: each raises one.
  void set_moderation(std::uint16_t count, std::uint16_t period_us);

  /// Moves what was not polled to a ring for at least `entries`, 1 to 24576; refused (Error) when
  /// more are waiting (CQ-13), or when the queue was made for more than 24576.
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
  /// Forgets completions of a queue pair that is reset or destroyed.
  void forget(std::uint32_t qpn);

  Context& context_;
  unsigned log_;
  DmaMemory ring_;
  std::uint32_t number_ = 0;
  std::uint32_t consumer_ = 0;
  std::uint32_t reported_ = 0;   ///< consumer index that the adapter knows
  std::deque<Completion> kept_;  ///< taken from the ring, not yet polled
  bool flushed_ = false;         ///< the adapter has gone: all that will ever come is in kept_
};

}  // namespace roci::driver
