// SPDX-License-Identifier: Apache-2.0
// Shared receive queues: taking the oldest entry, the limit event, failure of the ring's memory.
#pragma once

#include <vector>

#include "model/nic/events.hpp"
#include "model/nic/lists.hpp"

namespace roci::nic {

/// Outcome of taking a receive.
enum class Taken : std::uint8_t {
  kYes,
  kEmpty,   ///< no receive is posted
  kBroken,  ///< the entry cannot be read
};

class SharedReceiveQueues {
 public:
  SharedReceiveQueues(std::size_t count, HostMemory& memory, EventQueue& events)
      : queues_(count), memory_(memory), events_(events) {}

  bool has(std::uint32_t srqn) const { return srqn < queues_.size(); }
  /// A write of the table's row: arms the limit; any change except of the limit restarts the ring.
  void set(std::uint32_t srqn, const Row& row);
  Row row(std::uint32_t srqn) const;
  Row live(std::uint32_t srqn) const;
  void doorbell(std::uint32_t srqn, std::uint16_t producer);

  /// Takes the oldest entry. Its list is checked against the domain `pd` of the queue (RSP-54).
  Taken take(std::uint32_t srqn, Wqe* wqe, std::uint16_t* pd);

 private:
  struct Queue {
    Row row{};
    Srq srq;
    std::uint16_t producer = 0, consumer = 0;
    bool broken = false;
  };
  void fail(std::uint32_t srqn, Queue& queue);

  std::vector<Queue> queues_;
  HostMemory& memory_;
  EventQueue& events_;
};

}  // namespace roci::nic
