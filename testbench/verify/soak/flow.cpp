// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/flow.hpp"

#include <algorithm>
#include <cstring>

#include "testbench/verify/soak/connection.hpp"

namespace roci::soak {
namespace {

std::size_t stride_of(const RoundPlan& plan) { return (plan.max_bytes + 3 * 64 + 63) / 64 * 64; }
unsigned slots_of(const RoundPlan& plan) { return 2 * plan.depth + 1; }

}  // namespace

std::size_t Flow::area_of(const RoundPlan& plan) { return (plan.max_bytes + 4096 + 63) / 64 * 64; }

Flow::Flow(RoundContext& context, Connection& connection, unsigned from)
    : context_(context),
      connection_(connection),
      from_(from),
      random_(mix(context.plan.seed + 1000003 * (2 * connection.index() + from))),
      stride_(stride_of(context.plan)),
      area_at_(slots_of(context.plan) * stride_),
      counter_at_(area_at_ + area_of(context.plan) + 64),
      local_(context.resources[from]->pd, slots_of(context.plan) * stride_, driver::access::kAll),
      target_(context.resources[1 - from]->pd, counter_at_ + 128,
              driver::access::kAll | driver::access::kMwBind),
      mark_at_(slots_of(context.plan)),
      mark_bytes_(slots_of(context.plan)) {}

void Flow::fail(const std::string& text) {
  throw Broken(connection_.index(), "connection " + std::to_string(connection_.index()) +
                                        ", node " + std::to_string(from_) + " to " +
                                        std::to_string(1 - from_) + ": " + text);
}

void Flow::begin(std::uint64_t generation_key) {
  generation_key_ = mix(generation_key + from_);
  fill(target_.data() + area_at_, area_of(context_.plan), generation_key_);
  flights_.clear();
  waiting_.clear();
  failed_lot_.clear();
  consuming_.clear();
  landing_.clear();
  late_.clear();
  free_.clear();
  for (unsigned i = 0; i < slots_of(context_.plan); ++i) free_.push_back(i);
  sent_ = done_ = 0;
  receives_posted_ = receives_ended_ = 0;
  failed_ = receive_flushed_ = false;
  window_open_ = false;
  window_.reset();
  const bool type2 = chance(0.7);
  window_ = std::make_unique<driver::MemoryWindow>(
      context_.resources[1 - from_]->pd,
      type2 ? driver::WindowType::kType2 : driver::WindowType::kType1);
  bind();
}

void Flow::bind() {
  driver::QueuePair& qp = connection_.qp(1 - from_);
  if (qp.send_room() == 0) return;  // posted later
  const std::uint32_t key =
      window_->type() == driver::WindowType::kType2 ? window_->next_key() : window_->key();
  driver::SendRequest r = driver::MemoryWindow::bind(
      key, target_.key(), target_.address(), target_.size(),
      driver::access::kRemoteWrite | driver::access::kRemoteRead | driver::access::kRemoteAtomic);
  r.id = kBind;
  if (window_->type() == driver::WindowType::kType1) r.remote_key = window_->next_key();
  window_->set_key(r.remote_key);
  qp.send(r);
}

void Flow::bound(bool good) { window_open_ = good; }

void Flow::mark(std::size_t at, std::size_t bytes) {
  fill(target_.data() + at, bytes, ~std::uint64_t{from_}, at);
}

void Flow::check_mark(unsigned slot, const char* when) {
  const std::size_t wrong = first_wrong(target_.data() + mark_at_[slot], mark_bytes_[slot],
                                        ~std::uint64_t{from_}, mark_at_[slot]);
  if (wrong != mark_bytes_[slot]) {
    fail("I5: byte " + std::to_string(wrong) + " of a finished message was overwritten, seen " +
         when);
  }
}

void Flow::post(bool bad_key, bool last) {
  auto m = std::make_shared<Message>();
  m->number = next_number_++;
  m->bad_key = bad_key;
  m->slot = free_.back();
  free_.pop_back();
  choose(*m);
  place(*m);
  const unsigned limit = connection_.is_witness() ? 1u : context_.plan.depth;
  m->signaled = flights_.size() + 1 >= limit || bad_key || last || m->atomic() ||
                !chance(context_.plan.unsignaled);
  driver::SendRequest r = request(*m);

  FlowTrace::Entry entry;
  entry.kind = m->kind;
  entry.bytes = m->bytes;
  entry.key = m->key;
  entry.offset = m->key_at;
  entry.known = !m->atomic();
  entry.posted_ns = context_.world.now_ns();
  FlowTrace& trace = context_.ledger.trace(connection_.index(), from_);
  context_.ledger.posted(trace, entry);
  context_.ledger.note(connection_.index(), context_.world.now_ns(),
                       "node " + std::to_string(from_) + " posts " + std::to_string(m->number) +
                           " " + name_of(m->kind) + " " + std::to_string(m->bytes) + " bytes" +
                           (bad_key ? ", wrong key" : ""));
  ++context_.tally.posted;
  ++context_.tally.kinds[static_cast<unsigned>(m->kind)];
  flights_.push_back(m);
  if (m->writes() && m->bytes > 0 && !bad_key) landing_.push_back(m);
  if (m->kind == Kind::kSendInv) window_open_ = false;
  if (m->consumes()) {
    consuming_.push_back(m);
    if (!context_.resources[1 - from_]->pool) {
      const bool late =
          !late_.empty() || (!connection_.is_witness() && chance(context_.plan.late_receive));
      if (late) {
        late_.push_back({context_.world.now_ns() + below(context_.plan.late_ns + 1), m});
        context_.node(1 - from_).device().wake();
      } else {
        post_receive(m);
      }
    }
  }
  ++sent_;
  connection_.post(from_, [&] { connection_.qp(from_).send(r); });
}

void Flow::send(unsigned count, unsigned trigger) {
  driver::Device& device = context_.node(from_).device();
  driver::CompletionQueue& cq = connection_.send_cq(from_);
  const bool bad_key = connection_.ending() == Ending::kBadKey && trigger != ~0u;
  const auto may_post = [&] {
    return sent_ < count && !context_.finish && flights_.size() < context_.plan.depth &&
           !free_.empty() && connection_.qp(from_).send_room() > 0;
  };
  while (!connection_.over()) {
    while (!connection_.over() && may_post()) post(bad_key && sent_ == trigger, sent_ + 1 == count);
    if ((sent_ == count || context_.finish) && flights_.empty()) break;
    const bool finish = context_.finish;
    device.wait(
        [&] { return cq.ready() || connection_.over() || context_.finish != finish || may_post(); },
        driver::Device::kForever);
    while (const auto c = cq.poll()) take(*c);
    if (!bad_key && done_ >= trigger) connection_.stop();
  }
}

void Flow::drain() {
  driver::Device& device = context_.node(from_).device();
  driver::CompletionQueue& cq = connection_.send_cq(from_);
  const auto waiting = [&] {
    return std::any_of(flights_.begin(), flights_.end(),
                       [](const Flight& f) { return f->signaled; });
  };
  while (!connection_.silent(from_)) {
    while (const auto c = cq.poll()) take(*c);
    if (!waiting()) break;
    device.wait([&] { return cq.ready() || connection_.silent(from_); }, driver::Device::kForever);
  }
}

void Flow::end() {
  // The queue pairs are destroyed, so no more writes follow. Failed requests may have been
  // executed.
  flights_.insert(flights_.begin(), failed_lot_.begin(), failed_lot_.end());
  bool first = true;
  bool match = false;
  std::uint64_t now;
  std::memcpy(&now, target_.data() + counter_at_, 8);
  for (const Flight& f : flights_) {
    ++context_.tally.in_doubt;
    if (f->common) context_.tally.doubtful[1 - from_] += f->add;
    if (f->atomic() && !f->common) {
      match |= (first && now == f->before) || now == f->after;
      first = false;
    }
  }
  if (first ? now != counter_ : !match) {
    fail("I4: the counter holds " + std::to_string(now) + ", which no number of atomics gives");
  }
  counter_ = now;
  std::vector<bool> open(slots_of(context_.plan));
  for (const Flight& f : waiting_) open[f->slot] = true;
  const auto doubtful = [&](const Flight& f) { open[f->slot] = true; };
  std::for_each(flights_.begin(), flights_.end(), doubtful);
  std::for_each(consuming_.begin(), consuming_.end(), doubtful);
  for (unsigned slot = 0; slot < slots_of(context_.plan); ++slot) {
    if (mark_bytes_[slot] == 0) continue;
    if (!open[slot]) {
      check_mark(slot, "at the end of a generation");
    } else {
      mark(mark_at_[slot], mark_bytes_[slot]);  // the next generation must not change it (I15)
    }
  }
}

}  // namespace roci::soak
