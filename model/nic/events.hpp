// SPDX-License-Identifier: Apache-2.0
// The event queue in host memory, and the events that firmware takes by register.
#pragma once

#include <cstdint>
#include <deque>

#include "model/nic/codes.hpp"
#include "model/nic/memory.hpp"

namespace roci::nic {

class EventQueue {
 public:
  explicit EventQueue(HostMemory& memory) : memory_(memory) {}

  // Registers.
  void set_base_low(std::uint32_t value) { base_ = (base_ >> 32 << 32) | value; }
  void set_base_high(std::uint32_t value) {
    base_ = (base_ & 0xFFFFFFFF) | std::uint64_t{value} << 32;
  }
  std::uint64_t base() const { return base_; }
  /// EqSize; a rise of the enable bit restarts the ring.
  void set_size(std::uint32_t value);
  std::uint32_t size() const { return size_; }
  void set_consumer(std::uint16_t index);
  std::uint16_t consumer() const { return consumer_; }
  bool overflowed() const { return overflowed_; }
  void clear_overflow() { overflowed_ = false; }
  /// Whether events wait for the host.
  bool interrupt() const { return enabled() && producer_ != consumer_; }

  /// Reports to the host; a full queue keeps its entries and notes the loss (CQ-12). A Completion
  /// that found the queue full follows when there is room, once for each completion queue (F-88).
  void post(EventKind kind, std::uint32_t number) { post(static_cast<std::uint8_t>(kind), number); }
  void post(std::uint8_t kind, std::uint32_t number);

  /// Reports to the firmware.
  void report(EventKind kind, std::uint32_t number);
  bool waiting() const { return !reported_.empty(); }
  /// Read of EngineEvent: takes the oldest event; 0 when there is none.
  std::uint32_t take();

 private:
  bool enabled() const;
  bool full() const;

  HostMemory& memory_;
  std::uint64_t base_ = 0;
  std::uint32_t size_ = 0;
  std::uint16_t producer_ = 0, consumer_ = 0;
  bool overflowed_ = false;
  std::deque<std::uint32_t> reported_;
  std::deque<std::uint32_t> owed_;  ///< completion queues whose event waits for room
};

}  // namespace roci::nic
