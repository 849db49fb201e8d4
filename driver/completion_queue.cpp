// SPDX-License-Identifier: Apache-2.0
#include "driver/completion_queue.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver/queue_pair.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver {
namespace {

constexpr std::size_t kCqeBytes = layout::cqe::kBytes;
constexpr std::uint8_t kReceiveBit = 128;  // bit of WcOp

/// The consumer index is reported to the adapter every quarter of the ring, which is why a quarter
/// of the ring is not available to the caller.
unsigned ring_log(unsigned entries) {
  if (entries < 1 || entries > (3u << 16) / 4) {
    throw std::invalid_argument("completion queue: entries out of range");
  }
  unsigned log = 1;
  while ((3u << log) / 4 < entries) ++log;
  return log;
}

}  // namespace

const char* name_of(Status status) {
  const std::string_view name = spec::name_of(spec::kStatuses, layout::number(status));
  return name.empty() ? "?" : name.data();
}

CompletionQueue::CompletionQueue(Context& context, unsigned entries)
    : context_(context),
      log_(ring_log(entries)),
      ring_(context.device().allocate(kCqeBytes << log_, 4096)) {
  try {
    number_ = static_cast<std::uint32_t>(
        context_
            .execute(layout::AdminOp::kCreateCq,
                     Body()
                         .put(layout::create_cq::log_entries, log_)
                         .put(layout::create_cq::pasid, context_.device().pasid())
                         .put(layout::create_cq::base, ring_.dma),
                     "create completion queue")
            .get(layout::create_cq_reply::cqn));
  } catch (...) {
    context_.device().release(ring_);
    throw;
  }
  context_.observer().cq_created(number_, ring_.dma, log_);
}

CompletionQueue::~CompletionQueue() {
  try {
    context_.execute(layout::AdminOp::kDestroyCq, Body().put(layout::destroy_cq::cqn, number_),
                     "destroy completion queue");
  } catch (const Error&) {
    return;  // the adapter may still write the ring
  }
  context_.observer().cq_destroyed(number_);
  context_.device().release(ring_);
}

const std::uint8_t* CompletionQueue::entry(std::uint32_t index) const {
  return ring_.host + (index & ((1u << log_) - 1)) * kCqeBytes;
}

bool CompletionQueue::written(std::uint32_t index) const {
  const bool pass_owner = (index >> log_ & 1) == 0;
  return get(entry(index), layout::cqe::owner) == pass_owner;
}

Completion CompletionQueue::take() {
  owner_before_entry();
  const std::uint8_t* cqe = entry(consumer_);
  const auto field = [&](auto place) { return get(cqe, place); };
  Completion completion;
  const auto opcode = field(layout::cqe::opcode);
  completion.opcode = static_cast<WcOpcode>(opcode);
  completion.receive = (opcode & kReceiveBit) != 0;
  completion.status = static_cast<Status>(field(layout::cqe::status));
  completion.byte_len = field(layout::cqe::byte_len);
  completion.imm = field(layout::cqe::imm);
  completion.with_imm = field(layout::cqe::with_imm);
  completion.with_inv = field(layout::cqe::with_inv);
  completion.solicited = field(layout::cqe::solicited);
  completion.qpn = field(layout::cqe::qpn);
  completion.vendor_err = field(layout::cqe::vendor_err);
  completion.with_grh = field(layout::ud_cqe::with_grh);
  completion.src_qp = field(layout::ud_cqe::src_qp);
  const auto index = field(layout::cqe::wqe_index);
  ++consumer_;
  if (consumer_ - reported_ >= (1u << log_) / 4) report_consumer();

  const auto found = context_.queue_pairs_.find(completion.qpn);
  if (found == context_.queue_pairs_.end()) {
    throw Error(
        AdminStatus::kHardwareError, 0,
        "completion of queue pair " + std::to_string(completion.qpn) + ", which does not exist");
  }
  completion.id = found->second->retire(completion.receive, index);
  return completion;
}

void CompletionQueue::report_consumer() {
  reported_ = consumer_;
  context_.device().write32(layout::cq_doorbell_offset(number_), consumer_ & 0xFFFF);
}

void CompletionQueue::flush() {
  while (pending()) kept_.push_back(take());
  for (const auto& [number, pair] : context_.queue_pairs_) pair->flush(*this, kept_);
  flushed_ = true;
}

std::size_t CompletionQueue::poll(Completion* out, std::size_t count) {
  if (context_.device().gone()) {
    if (!flushed_) flush();
    if (kept_.empty()) throw Error(AdminStatus::kHardwareError, 0, "the adapter is gone");
  }
  std::size_t taken = 0;
  while (taken < count && (!kept_.empty() || pending())) {
    if (!kept_.empty()) {
      out[taken] = kept_.front();
      kept_.pop_front();
    } else {
      out[taken] = take();
    }
    context_.observer().completed(out[taken]);
    ++taken;
  }
  return taken;
}

std::optional<Completion> CompletionQueue::poll() {
  Completion completion;
  if (poll(&completion, 1) == 0) return {};
  return completion;
}

std::optional<Completion> CompletionQueue::wait(std::uint64_t timeout_ns) {
  if (kept_.empty() && !pending()) {
    context_.device().wait([this] { return !kept_.empty() || pending(); }, timeout_ns);
  }
  return poll();
}

void CompletionQueue::arm(bool solicited_only) {
  if (context_.device().gone()) throw Error(AdminStatus::kHardwareError, 0, "the adapter is gone");
  if (reported_ != consumer_) report_consumer();
  // Entries that are in the ring raise no event (CQ-08); entries that the adapter has yet to write
  // must. The consumer index separates the two.
  std::uint32_t seen = consumer_;
  while (seen - consumer_ < 1u << log_ && written(seen)) ++seen;
  context_.device().write32(layout::cq_arm_doorbell_offset(number_),
                            bits(layout::reg::cq_arm::index, seen) |
                                bits(layout::reg::cq_arm::solicited, solicited_only));
}

void CompletionQueue::set_moderation(std::uint16_t count, std::uint16_t period_us) {
  context_.execute(layout::AdminOp::kModifyCq,
                   Body()
                       .put(layout::modify_cq::cqn, number_)
                       .put(layout::modify_cq::count, count)
                       .put(layout::modify_cq::period, period_us),
                   "modify completion queue");
}

void CompletionQueue::resize(unsigned entries) {
  const unsigned log = ring_log(entries);
  const DmaMemory ring = context_.device().allocate(kCqeBytes << log, 4096);
  // No entry of the new ring may look as if it were written already.
  for (std::uint32_t i = 0; i < 1u << log; ++i) {
    const std::uint32_t index = consumer_ + i;
    put(ring.host + (index & ((1u << log) - 1)) * kCqeBytes, layout::cqe::owner, index >> log & 1);
  }
  context_.observer().cq_resizing(number_, ring.dma, log);
  try {
    context_.execute(layout::AdminOp::kResizeCq,
                     Body()
                         .put(layout::resize_cq::cqn, number_)
                         .put(layout::resize_cq::log_entries, log)
                         .put(layout::resize_cq::consumer, consumer_ & 0xFFFF)
                         .put(layout::resize_cq::base, ring.dma),
                     "resize completion queue");
  } catch (...) {
    context_.observer().cq_resized(number_, ring.dma, false);
    context_.device().release(ring);
    throw;
  }
  context_.observer().cq_resized(number_, ring.dma, true);
  context_.device().release(ring_);
  ring_ = ring;
  log_ = log;
}

void CompletionQueue::forget(std::uint32_t qpn) {
  while (pending()) kept_.push_back(take());
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(),
                             [qpn](const Completion& c) { return c.qpn == qpn; }),
              kept_.end());
}

}  // namespace roci::driver
