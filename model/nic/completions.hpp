// SPDX-License-Identifier: Apache-2.0
// Completion queues: entries, overflow, arming, moderation, moving to another ring.
#pragma once

#include <optional>
#include <vector>

#include "model/nic/events.hpp"
#include "model/nic/rows.hpp"
#include "model/nic/timers.hpp"

namespace roci::nic {

struct Completion {
  std::uint32_t qpn = 0;
  std::uint16_t wqe_index = 0;
  Status status = Status::kSuccess;
  VendorErr vendor_err = VendorErr::kNone;
  WcOp opcode = WcOp::kSend;
  std::uint32_t byte_len = 0, imm = 0;
  bool with_imm = false, with_inv = false, solicited = false;
  std::uint32_t src_qp = 0;  ///< UD
  bool with_grh = false;     ///< UD: the buffer begins with a GRH
};

class CompletionQueues {
 public:
  CompletionQueues(std::size_t count, HostMemory& memory, EventQueue& events, Timers& timers)
      : queues_(count), memory_(memory), events_(events), timers_(timers) {}

  bool has(std::uint32_t cqn) const { return cqn < queues_.size(); }
  /// A row of the table: restarts the ring unless only moderation changes or the ring moves.
  void set(std::uint32_t cqn, const Row& row);
  const Row& row(std::uint32_t cqn) const { return queues_[cqn].row; }
  Row live(std::uint32_t cqn) const;

  /// Writes of doorbells.
  void consumed(std::uint32_t cqn, std::uint16_t index);
  void arm(std::uint32_t cqn, std::uint16_t index, bool solicited_only);

  /// Writes an entry. False: the queue has no room, now or before; nothing was written (CQ-07).
  bool complete(std::uint32_t cqn, const Completion& completion);
  /// A moderation timer has expired.
  void expired(std::uint32_t cqn, std::uint64_t now_ns);

 private:
  enum class Arm : std::uint8_t { kNone, kSolicited, kAny };
  struct Queue {
    Row row{};
    Cq cq;
    std::uint32_t producer = 0;  ///< wide, for the owner bit of the largest ring
    std::uint16_t consumer = 0;
    bool broken = false;  ///< overflowed, or its memory failed
    Arm arm = Arm::kNone;
    unsigned counted = 0;  ///< completions since the arm that its event may wait for
    std::optional<std::uint16_t> solicited;  ///< newest entry that a solicited arm waits for
    std::uint64_t deadline_ns = kNoDeadline;
  };
  void count(std::uint32_t cqn, Queue& queue);
  void fire(std::uint32_t cqn, Queue& queue);
  void fail(std::uint32_t cqn, Queue& queue);

  std::vector<Queue> queues_;
  HostMemory& memory_;
  EventQueue& events_;
  Timers& timers_;
};

}  // namespace roci::nic
