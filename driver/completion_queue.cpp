// SPDX-License-Identifier: Apache-2.0
#include "driver/completion_queue.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver/queue_pair.hpp"

namespace roci::driver {
namespace {

constexpr std::size_t kCqeBytes = spec::total_bits(spec::kCqe) / 8;
constexpr std::uint32_t kArmOffset = 4;
constexpr std::uint32_t kArmSolicited = 1u << 31;
constexpr std::uint8_t kReceiveBit = 128;  // of WcOp

/// The adapter learns the consumer index every quarter of the ring, so a quarter of it is extra.
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
  for (const spec::Code& c : spec::kStatuses) {
    if (c.value == static_cast<unsigned>(status)) return c.name.data();
  }
  return "?";
}

CompletionQueue::CompletionQueue(Context& context, unsigned entries)
    : context_(context),
      log_(ring_log(entries)),
      ring_(context.device().allocate(kCqeBytes << log_, 4096)) {
  try {
    number_ = static_cast<std::uint32_t>(
        context_
            .execute(code_of(spec::kAdminOps, "CreateCq"),
                     Body()
                         .put(place_of(spec::kCreateCq, "log_entries"), log_)
                         .put(place_of(spec::kCreateCq, "pasid"), context_.device().pasid())
                         .put(place_of(spec::kCreateCq, "base"), ring_.dma),
                     "create completion queue")
            .get(place_of(spec::kCreateCqReply, "cqn")));
  } catch (...) {
    context_.device().release(ring_);
    throw;
  }
  context_.observer().cq_created(number_, ring_.dma, log_);
}

CompletionQueue::~CompletionQueue() {
  try {
    context_.execute(code_of(spec::kAdminOps, "DestroyCq"),
                     Body().put(place_of(spec::kDestroyCq, "cqn"), number_),
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
  constexpr spec::Place kOwner = spec::place_of(spec::kCqe, "owner");
  const bool pass_owner = (index >> log_ & 1) == 0;
  return (get(entry(index), kOwner) != 0) == pass_owner;
}

Completion CompletionQueue::take() {
  owner_before_entry();
  const std::uint8_t* cqe = entry(consumer_);
  const auto field = [&](spec::Place place) { return static_cast<std::uint32_t>(get(cqe, place)); };
  Completion completion;
  const auto opcode = static_cast<std::uint8_t>(field(spec::place_of(spec::kCqe, "opcode")));
  completion.opcode = static_cast<WcOpcode>(opcode);
  completion.receive = (opcode & kReceiveBit) != 0;
  completion.status = static_cast<Status>(field(spec::place_of(spec::kCqe, "status")));
  completion.byte_len = field(spec::place_of(spec::kCqe, "byte_len"));
  completion.imm = field(spec::place_of(spec::kCqe, "imm"));
  completion.with_imm = field(spec::place_of(spec::kCqe, "with_imm")) != 0;
  completion.with_inv = field(spec::place_of(spec::kCqe, "with_inv")) != 0;
  completion.solicited = field(spec::place_of(spec::kCqe, "solicited")) != 0;
  completion.qpn = field(spec::place_of(spec::kCqe, "qpn"));
  completion.vendor_err =
      static_cast<std::uint8_t>(field(spec::place_of(spec::kCqe, "vendor_err")));
  const auto index = static_cast<std::uint16_t>(field(spec::place_of(spec::kCqe, "wqe_index")));
  ++consumer_;
  if (consumer_ - told_ >= (1u << log_) / 4) tell_consumer();

  const auto found = context_.queue_pairs_.find(completion.qpn);
  if (found == context_.queue_pairs_.end()) {
    throw Error(
        AdminStatus::kHardwareError, 0,
        "completion of queue pair " + std::to_string(completion.qpn) + ", which does not exist");
  }
  completion.id = found->second->retire(completion.receive, index);
  return completion;
}

void CompletionQueue::tell_consumer() {
  told_ = consumer_;
  context_.device().write32(window_offset("CqDoorbell") + kDoorbellStride * number_,
                            consumer_ & 0xFFFF);
}

void CompletionQueue::flush() {
  while (pending()) kept_.push_back(take());
  for (const auto& [number, pair] : context_.queue_pairs_) pair->flush(*this, kept_);
  flushed_ = true;
}

std::size_t CompletionQueue::poll(Completion* out, std::size_t count) {
  if (context_.device().gone()) {
    if (!flushed_) flush();
    if (kept_.empty()) throw Error(AdminStatus::kHardwareError, 0, "the adapter has gone");
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
  if (context_.device().gone()) throw Error(AdminStatus::kHardwareError, 0, "the adapter has gone");
  if (told_ != consumer_) tell_consumer();
  // Entries that lie in the ring raise no event (CQ-08). Those on their way to it must, or nobody
  // would wake for them: the adapter learns which are which.
  std::uint32_t seen = consumer_;
  while (seen - consumer_ < 1u << log_ && written(seen)) ++seen;
  context_.device().write32(window_offset("CqDoorbell") + kDoorbellStride * number_ + kArmOffset,
                            (seen & 0xFFFF) | (solicited_only ? kArmSolicited : 0));
}

void CompletionQueue::set_moderation(std::uint16_t count, std::uint16_t period_us) {
  context_.execute(code_of(spec::kAdminOps, "ModifyCq"),
                   Body()
                       .put(place_of(spec::kModifyCq, "cqn"), number_)
                       .put(place_of(spec::kModifyCq, "count"), count)
                       .put(place_of(spec::kModifyCq, "period"), period_us),
                   "modify completion queue");
}

void CompletionQueue::resize(unsigned entries) {
  const unsigned log = ring_log(entries);
  const DmaMemory ring = context_.device().allocate(kCqeBytes << log, 4096);
  // No entry of the new ring may look as if it were written already.
  for (std::uint32_t i = 0; i < 1u << log; ++i) {
    const std::uint32_t index = consumer_ + i;
    put(ring.host + (index & ((1u << log) - 1)) * kCqeBytes, spec::place_of(spec::kCqe, "owner"),
        index >> log & 1);
  }
  context_.observer().cq_resizing(number_, ring.dma, log);
  try {
    context_.execute(code_of(spec::kAdminOps, "ResizeCq"),
                     Body()
                         .put(place_of(spec::kResizeCq, "cqn"), number_)
                         .put(place_of(spec::kResizeCq, "log_entries"), log)
                         .put(place_of(spec::kResizeCq, "consumer"), consumer_ & 0xFFFF)
                         .put(place_of(spec::kResizeCq, "base"), ring.dma),
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
