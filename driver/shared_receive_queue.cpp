// SPDX-License-Identifier: Apache-2.0
#include "driver/shared_receive_queue.hpp"

#include <stdexcept>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver {

SharedReceiveQueue::SharedReceiveQueue(ProtectionDomain& pd, const SrqOptions& options)
    : context_(pd.context()), sges_(options.sges), entries_(1u << entries_log(options.entries)) {
  const DeviceLimits& limits = context_.limits();
  if (options.entries < 1 || options.entries > limits.max_srq_wr || options.sges < 1 ||
      options.sges > limits.max_sge) {
    throw std::invalid_argument("shared receive queue: entries or list out of range");
  }
  ring_.log = options.resizable ? entries_log(limits.max_srq_wr) : entries_log(options.entries);
  ring_.stride_log = stride_log(options.sges, 0);
  ring_.allocate(context_.device());
  posted_.resize(ring_entries());
  for (unsigned tag = ring_entries(); tag-- != 0;) free_.push_back(static_cast<std::uint16_t>(tag));
  try {
    number_ = static_cast<std::uint32_t>(
        context_
            .execute(layout::AdminOp::kCreateSrq,
                     Body()
                         .put(layout::create_srq::pd, pd.number())
                         .put(layout::create_srq::pasid, context_.device().pasid())
                         .put(layout::create_srq::base, ring_.memory.dma)
                         .put(layout::create_srq::log, ring_.log)
                         .put(layout::create_srq::stride_log, ring_.stride_log)
                         .put(layout::create_srq::limit, options.limit),
                     "create shared receive queue")
            .get(layout::create_srq_reply::srqn));
  } catch (...) {
    context_.device().release(ring_.memory);
    throw;
  }
  context_.observer().srq_created(number_);
}

SharedReceiveQueue::~SharedReceiveQueue() {
  try {
    context_.execute(layout::AdminOp::kDestroySrq, Body().put(layout::destroy_srq::srqn, number_),
                     "destroy shared receive queue");
  } catch (const Error&) {
    return;  // the adapter may still read the ring
  }
  context_.observer().srq_destroyed(number_);
  context_.device().release(ring_.memory);
}

PostResult SharedReceiveQueue::post_receive(const ReceiveRequest* requests, std::size_t count) {
  PostResult result;
  while (result.posted < count) {
    const ReceiveRequest& request = requests[result.posted];
    if (context_.device().gone()) {
      result.error = PostError::kGone;
    } else if (room() == 0) {
      result.error = PostError::kQueueFull;
    } else if (request.sges.size() > sges_) {
      result.error = PostError::kSges;
    } else if (list_bytes(request.sges) > layout::kMaxMessage) {
      result.error = PostError::kLength;
    }
    if (result.error != PostError::kNone) break;
    const std::uint16_t tag = free_.back();
    free_.pop_back();
    posted_[tag] = true;
    ++outstanding_;
    ring_.ids[tag] = request.id;
    put_receive(ring_.entry(ring_.head), request, tag);
    context_.observer().srq_posted(number_, tag, request);
    ++ring_.head;
    ++result.posted;
  }
  if (result.posted != 0) {
    entries_before_doorbell();
    context_.device().write32(layout::srq_doorbell_offset(number_), ring_.head);
  }
  return result;
}

void SharedReceiveQueue::receive(const ReceiveRequest& request) {
  const PostResult result = post_receive(&request, 1);
  if (!result) throw std::runtime_error(text_of(result.error));
}

void SharedReceiveQueue::arm_limit(std::uint16_t limit) {
  context_.execute(
      layout::AdminOp::kModifySrq,
      Body().put(layout::modify_srq::srqn, number_).put(layout::modify_srq::limit, limit),
      "modify shared receive queue");
}

void SharedReceiveQueue::resize(unsigned entries) {
  const State state = query();
  if (entries < 1 || entries > ring_entries() || entries < state.limit || entries < state.filled) {
    throw std::invalid_argument("shared receive queue: cannot have this number of entries");
  }
  entries_ = 1u << entries_log(entries);
}

SharedReceiveQueue::State SharedReceiveQueue::query() {
  const Body reply =
      context_.execute(layout::AdminOp::kQuerySrq, Body().put(layout::query_srq::srqn, number_),
                       "query shared receive queue");
  return {static_cast<std::uint16_t>(reply.get(layout::query_srq_reply::limit)),
          static_cast<std::uint32_t>(reply.get(layout::query_srq_reply::filled))};
}

std::uint64_t SharedReceiveQueue::retire(std::uint16_t tag) {
  if (tag >= posted_.size() || !posted_[tag]) {
    throw Error(AdminStatus::kHardwareError, 0,
                "shared receive queue " + std::to_string(number_) + " completed receive " +
                    std::to_string(tag) + ", which is not outstanding");
  }
  posted_[tag] = false;
  --outstanding_;
  free_.push_back(tag);
  return ring_.ids[tag];
}

}  // namespace roci::driver
