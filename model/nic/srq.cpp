// SPDX-License-Identifier: Apache-2.0
#include "model/nic/srq.hpp"

#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::nic {

void SharedReceiveQueues::set(std::uint32_t srqn, const Row& row) {
  Queue& queue = queues_[srqn];
  Srq srq = decode_srq(row);
  const Srq& old = queue.srq;
  const bool only_limit = srq.valid == old.valid && srq.pd == old.pd && srq.pasid == old.pasid &&
                          srq.base == old.base && srq.log == old.log &&
                          srq.stride_log == old.stride_log;
  if (!only_limit) queue = Queue{};
  queue.srq = srq;
  queue.row = row;
}

Row SharedReceiveQueues::row(std::uint32_t srqn) const {
  Row row = queues_[srqn].row;
  layout::put(row.data(), layout::srq::limit, queues_[srqn].srq.limit);
  return row;
}

Row SharedReceiveQueues::live(std::uint32_t srqn) const {
  Row row{};
  const Queue& queue = queues_[srqn];
  layout::put(row.data(), layout::srq_live::producer, queue.producer);
  layout::put(row.data(), layout::srq_live::consumer, queue.consumer);
  layout::put(row.data(), layout::srq_live::limit, queue.srq.limit);
  return row;
}

void SharedReceiveQueues::fail(std::uint32_t srqn, Queue& queue) {
  if (!queue.broken) events_.post(EventKind::kSrqError, srqn);
  queue.broken = true;
}

void SharedReceiveQueues::doorbell(std::uint32_t srqn, std::uint16_t producer) {
  Queue& queue = queues_[srqn];
  if (!queue.srq.valid) return;
  const auto filled = static_cast<std::uint16_t>(producer - queue.consumer);
  if (filled > 1u << queue.srq.log) {
    fail(srqn, queue);
    return;
  }
  queue.producer = producer;
}

Taken SharedReceiveQueues::take(std::uint32_t srqn, Wqe* wqe, std::uint16_t* pd) {
  if (!has(srqn)) return Taken::kBroken;
  Queue& queue = queues_[srqn];
  if (!queue.srq.valid || queue.broken) return Taken::kBroken;
  if (queue.producer == queue.consumer) return Taken::kEmpty;
  if (!read_entry(memory_, queue.srq.pasid, queue.srq.base, queue.srq.log, queue.srq.stride_log,
                  queue.consumer, wqe)) {
    fail(srqn, queue);
    return Taken::kBroken;
  }
  *pd = queue.srq.pd;
  // A list that does not fit into an entry is invalid.
  if (wqe->num_sge > list_room(queue.srq.stride_log)) wqe->num_sge = layout::kMaxSge + 1;
  ++queue.consumer;
  const auto left = static_cast<std::uint16_t>(queue.producer - queue.consumer);
  if (queue.srq.limit != 0 && left < queue.srq.limit) {
    queue.srq.limit = 0;
    events_.post(EventKind::kSrqLimit, srqn);
  }
  return Taken::kYes;
}

}  // namespace roci::nic
