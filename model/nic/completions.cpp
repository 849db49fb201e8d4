// SPDX-License-Identifier: Apache-2.0
#include "model/nic/completions.hpp"

#include <algorithm>
#include <array>

#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::nic {
namespace {

constexpr std::size_t kCqeBytes = layout::cqe::kBytes;
constexpr unsigned kMostLog = 16;  // a ring of 2^16 entries holds one less: indices have 16 bits

std::uint32_t room(unsigned log) {
  return std::min((std::uint32_t{1} << log), (std::uint32_t{1} << kMostLog) - 1);
}

std::array<std::uint8_t, kCqeBytes> encode(const Completion& c, bool owner) {
  std::array<std::uint8_t, kCqeBytes> cqe{};
  const auto put = [&](auto field, std::uint64_t value) { layout::put(cqe.data(), field, value); };
  put(layout::cqe::wqe_index, c.wqe_index);
  put(layout::cqe::status, static_cast<std::uint64_t>(c.status));
  put(layout::cqe::opcode, static_cast<std::uint64_t>(c.opcode));
  put(layout::cqe::byte_len, c.byte_len);
  put(layout::cqe::imm, c.imm);
  put(layout::cqe::qpn, c.qpn);
  put(layout::cqe::vendor_err, static_cast<std::uint64_t>(c.vendor_err));
  put(layout::cqe::with_imm, c.with_imm);
  put(layout::cqe::with_inv, c.with_inv);
  put(layout::cqe::solicited, c.solicited);
  put(layout::ud_cqe::src_qp, c.src_qp);
  put(layout::ud_cqe::with_grh, c.with_grh);
  put(layout::cqe::owner, owner);
  return cqe;
}

}  // namespace

void CompletionQueues::set(std::uint32_t cqn, const Row& row) {
  Queue& queue = queues_[cqn];
  const Cq before = queue.cq;
  Cq cq = decode_cq(row);
  const bool same_ring = before.valid && cq.valid && before.pasid == cq.pasid &&
                         before.base == cq.base && before.log == cq.log;
  const bool moves = before.valid && cq.valid && cq.resize;
  cq.resize = false;
  if (!same_ring && !moves) queue = Queue{};
  queue.cq = cq;
  queue.row = row;
  layout::put(queue.row.data(), layout::cq::resize, 0);
}

Row CompletionQueues::live(std::uint32_t cqn) const {
  Row row{};
  const Queue& queue = queues_[cqn];
  layout::put(row.data(), layout::cq_live::producer, queue.producer);
  layout::put(row.data(), layout::cq_live::overflowed, queue.broken);
  layout::put(row.data(), layout::cq_live::consumer, queue.consumer);
  layout::put(row.data(), layout::cq_live::pass, queue.producer >> 16);
  return row;
}

void CompletionQueues::consumed(std::uint32_t cqn, std::uint16_t index) {
  queues_[cqn].consumer = index;
}

void CompletionQueues::arm(std::uint32_t cqn, std::uint16_t index, bool solicited_only) {
  Queue& queue = queues_[cqn];
  if (!queue.cq.valid) return;
  if (queue.arm == Arm::kNone) queue.counted = 0;
  if (!solicited_only) {
    queue.arm = Arm::kAny;
  } else if (queue.arm == Arm::kNone) {  // CQ-11: does not weaken an arm for any
    queue.arm = Arm::kSolicited;
  }
  // `index` is the entry after the newest one that the caller has seen. Entries that the caller has
  // not seen may have come before the arm: no wake-up may be lost (CQ-10). Entries that it has seen
  // raise no event (CQ-08).
  const bool unseen =
      queue.arm == Arm::kAny
          ? static_cast<std::uint16_t>(queue.producer) != index
          : queue.solicited && static_cast<std::int16_t>(*queue.solicited - index) >= 0;
  if (unseen) fire(cqn, queue);
}

void CompletionQueues::fire(std::uint32_t cqn, Queue& queue) {
  queue.arm = Arm::kNone;
  queue.deadline_ns = kNoDeadline;
  events_.post(EventKind::kCompletion, cqn);
}

void CompletionQueues::count(std::uint32_t cqn, Queue& queue) {
  ++queue.counted;
  if (queue.cq.moderation_period_us == 0 || queue.counted >= queue.cq.moderation_count) {
    fire(cqn, queue);
  } else if (queue.deadline_ns == kNoDeadline) {
    queue.deadline_ns = timers_.now() + std::uint64_t{1000} * queue.cq.moderation_period_us;
    timers_.add(queue.deadline_ns, Timers::Owner::kCompletionQueue, cqn);
  }
}

void CompletionQueues::expired(std::uint32_t cqn, std::uint64_t now_ns) {
  Queue& queue = queues_[cqn];
  if (queue.deadline_ns <= now_ns && queue.arm != Arm::kNone) fire(cqn, queue);
}

/// Stops the queue: it takes no entries until its ring is restarted (CQ-07).
void CompletionQueues::fail(std::uint32_t cqn, Queue& queue) {
  queue.broken = true;
  events_.post(EventKind::kCqError, cqn);
  events_.report(EventKind::kCqError, cqn);
}

bool CompletionQueues::complete(std::uint32_t cqn, const Completion& completion) {
  if (!has(cqn)) return false;
  Queue& queue = queues_[cqn];
  if (!queue.cq.valid || queue.broken) return false;
  if (static_cast<std::uint16_t>(queue.producer - queue.consumer) >= room(queue.cq.log)) {
    fail(cqn, queue);
    return false;
  }
  const std::uint32_t slot = queue.producer & ((std::uint32_t{1} << queue.cq.log) - 1);
  const bool owner = (queue.producer >> queue.cq.log & 1) == 0;
  const auto cqe = encode(completion, owner);
  if (!memory_.write(queue.cq.pasid, queue.cq.base + slot * kCqeBytes, cqe.data(), cqe.size(),
                     MemoryUse::kCompletion)) {
    fail(cqn, queue);
    return false;
  }
  const bool wakes = completion.solicited || completion.status != Status::kSuccess;
  if (wakes) queue.solicited = static_cast<std::uint16_t>(queue.producer);
  ++queue.producer;
  if (queue.arm == Arm::kAny || (queue.arm == Arm::kSolicited && wakes)) count(cqn, queue);
  return true;
}

}  // namespace roci::nic
