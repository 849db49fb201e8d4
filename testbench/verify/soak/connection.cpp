// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/connection.hpp"

#include "testbench/connection/connection.hpp"

namespace roci::soak {
namespace {

constexpr std::uint64_t kPatience = 2'000'000;  // ns; far longer than a write into host memory

}  // namespace

Connection::Connection(RoundContext& context, unsigned index)
    : context_(context), index_(index), random_(mix(context.plan.seed + index * 7919)) {
  const RoundPlan& plan = context.plan;
  options_ = plan.connect;
  left_ = plan.messages;
  if (is_witness()) options_.retry_cnt = options_.rnr_retry = 7;
  for (unsigned n = 0; n < 2; ++n) {
    send_cqs_[n] =
        std::make_unique<driver::CompletionQueue>(context.node(n).context(), 4 * plan.depth + 16);
    receive_cqs_[n] = std::make_unique<driver::CompletionQueue>(context.node(n).context(), 256);
    flows_[n] = std::make_unique<Flow>(context, *this, n);
    psn_[n] = plan.wrap ? 0xFFFFF0 : static_cast<std::uint32_t>(random_()) & 0xFFFFFF;
  }
}

void Connection::meet(unsigned from) {
  ++steps_[from];
  context_.node(1 - from).device().wake();
  context_.node(from).device().wait([&] { return steps_[1 - from] >= steps_[from]; },
                                    driver::Device::kForever);
}

void Connection::stop() {
  over_ = true;
  for (unsigned n = 0; n < 2; ++n) context_.node(n).device().wake();
}

void Connection::send(unsigned from) {
  for (;;) {
    if (from == 0) set_up();
    meet(from);
    if (finished_) return;
    flows_[from]->send(generation_messages_, killed_ == from ? trigger_ : ~0u);
    meet(from);
    if (from == 0 && over_) kill();
    meet(from);
    flows_[from]->drain();
    meet(from);
    if (from == 0) take_down();
    meet(from);
  }
}

void Connection::receive(unsigned from) {
  driver::Device& device = context_.node(1 - from).device();
  for (unsigned served = 0;;) {
    device.wait([&] { return generation_ > served || finished_; }, driver::Device::kForever);
    if (finished_) return;
    served = generation_;
    flows_[from]->receive();
    served_[from] = served;
    context_.node(0).device().wake();
  }
}

void Connection::set_up() {
  const RoundPlan& plan = context_.plan;
  const unsigned generations = is_witness() ? 1 : plan.generations;
  if (left_ == 0 || generation_ == generations) {
    finished_ = true;
    for (unsigned n = 0; n < 2; ++n) context_.node(n).device().wake();
    return;
  }
  driver::QpOptions options;
  options.send_entries = plan.depth + 4;
  options.receive_entries = 2 * plan.depth + 4;
  options.send_sges = options.receive_sges = 4;
  options.credits = plan.credits;
  options.posts = index_ % 2 == 0;
  for (unsigned n = 0; n < 2; ++n) {
    if (qps_[n]) continue;
    Pool* pool = context_.resources[n]->pool.get();
    options.srq = pool != nullptr ? &pool->queue : nullptr;
    qps_[n] = std::make_unique<driver::QueuePair>(context_.resources[n]->pd, *send_cqs_[n],
                                                  *receive_cqs_[n], options);
  }
  for (unsigned n = 0; n < 2; ++n) {
    FlowTrace trace;
    trace.connection = index_;
    trace.from = n;
    trace.requester = qps_[n]->number();
    trace.responder = qps_[1 - n]->number();
    trace.first = transport::Psn(psn_[n]);
    trace.pmtu = 128u << options_.path_mtu;
    context_.ledger.open(trace);
    if (is_witness()) context_.world.link(n).faults().spared.push_back(trace.responder);
    if (is_witness()) context_.world.link(1 - n).faults().spared.push_back(trace.requester);
  }
  const testbench::QueuePairEnd ends[2] = {{context_.node(0), *qps_[0], psn_[0]},
                                           {context_.node(1), *qps_[1], psn_[1]}};
  testbench::connect_both(ends[1], ends[0], options_);
  over_ = closed_ = false;
  dead_ = silent_ = {};
  const unsigned rest = generations - generation_;
  generation_messages_ = (left_ + rest - 1) / rest;
  left_ -= generation_messages_;
  ending_ = Ending::kDone;
  trigger_ = ~0u;
  killed_ = static_cast<unsigned>(random_() % 2);
  if (rest > 1) {
    double dice = static_cast<double>(random_() >> 11) * 0x1p-53;
    for (unsigned e = 0; e < kEndings; ++e) {
      if (dice < plan.endings[e]) {
        ending_ = static_cast<Ending>(e);
        break;
      }
      dice -= plan.endings[e];
    }
    if (ending_ != Ending::kDone)
      trigger_ = static_cast<unsigned>(random_() % generation_messages_);
  }
  ++context_.tally.generations;
  ++context_.tally.endings[static_cast<unsigned>(ending_)];
  context_.ledger.note(index_, context_.world.now_ns(),
                       "generation " + std::to_string(generation_ + 1) + ": queue pairs " +
                           std::to_string(qps_[0]->number()) + " and " +
                           std::to_string(qps_[1]->number()) + ", ends by " + name_of(ending_));
  for (auto& flow : flows_) flow->begin(mix(context_.plan.seed ^ index_ << 16 ^ generation_));
  ++generation_;  // the receivers begin
  for (unsigned n = 0; n < 2; ++n) context_.node(n).device().wake();
}

/// Both senders have stopped, because one of them reached its trigger or because of a failure.
void Connection::kill() {
  const bool by_plan =
      trigger_ != ~0u && ending_ != Ending::kBadKey && flows_[killed_]->done() >= trigger_;
  const unsigned victim = static_cast<unsigned>(random_() % 2);
  if (by_plan) {
    context_.ledger.note(index_, context_.world.now_ns(),
                         std::string(name_of(ending_)) + " of node " + std::to_string(victim));
    dead_[victim] = true;
    silent_[victim] = ending_ != Ending::kError;
    for (unsigned n = 0; n < 2; ++n) context_.node(n).device().wake();
    if (ending_ == Ending::kError) qps_[victim]->to_error();
    if (ending_ == Ending::kReset) qps_[victim]->to_reset();
    if (ending_ == Ending::kDestroy) qps_[victim].reset();
  }
  constexpr std::uint64_t kUsual = 1000, kMost = 20'000;
  const bool both_notice = static_cast<double>(random_() >> 11) * 0x1p-53 >= context_.plan.linger;
  context_.node(0).sleep(kUsual + random_() % kMost);
  for (unsigned n = 0; n < 2; ++n) {
    if (silent_[n] || !(both_notice || dead_[n])) continue;
    dead_[n] = true;
    qps_[n]->to_error();
  }
}

void Connection::take_down() {
  driver::Device& device = context_.node(0).device();
  const auto wait = [&](auto ready, const std::string& what) {
    const std::uint64_t end = context_.world.now_ns() + kPatience;
    while (!ready()) {
      if (context_.world.now_ns() > end) throw Broken(index_, what);
      device.wait([] { return false; }, 1000);
    }
  };
  if (!over_) {
    for (auto& flow : flows_) {
      wait([&] { return flow->all_received(); }, "I4: sends completed, their receives did not");
      if (flow->receive_flushed())
        throw Broken(index_, "I9: a receive was flushed without a reason");
    }
  }
  for (unsigned n = 0; n < 2; ++n) {
    if (!silent_[n] && !dead_[n]) qps_[n]->to_error();
    dead_[n] = true;
  }
  for (unsigned n = 0; n < 2; ++n) {
    if (silent_[n] || context_.resources[n]->pool) continue;
    Flow& flow = *flows_[1 - n];
    wait([&] { return flow.receives_ended() == flow.receives_posted(); },
         "I1: receives of node " + std::to_string(n) + " did not all complete in ERR");
  }
  closed_ = true;
  for (unsigned n = 0; n < 2; ++n) context_.node(n).device().wake();
  wait([&] { return served_[0] == generation_ && served_[1] == generation_; },
       "a receiver does not end");
  for (unsigned n = 0; n < 2; ++n) {
    if (!qps_[n]) continue;
    if (random_() % 2 == 0) {
      qps_[n].reset();
    } else {
      qps_[n]->to_reset();
    }
  }
  for (unsigned n = 0; n < 2; ++n) {
    flows_[n]->end();
    // Late packets of this generation are duplicates in the next one.
    const FlowTrace& trace = context_.ledger.trace(index_, n);
    psn_[n] =
        (trace.first + trace.next + 1 + static_cast<std::uint32_t>(random_() % 65536)).value();
  }
}

}  // namespace roci::soak
