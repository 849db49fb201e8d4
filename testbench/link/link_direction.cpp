// SPDX-License-Identifier: Apache-2.0
#include "testbench/link/link_direction.hpp"

#include <algorithm>
#include <utility>

namespace roci::testbench {
namespace {

constexpr std::size_t kMinFrame = 60;  // without FCS
constexpr double kSlackBeats = 4;      // beats that the MAC accepts ahead of the link

}  // namespace

LinkDirection::LinkDirection(const LinkConfig& config)
    : config_(config), ps_per_byte_(8000.0 / config.rate_gbps), random_(config.seed) {}

bool LinkDirection::ready(std::uint64_t now_ns) {
  for (const Span& pause : config_.faults.pauses) {
    if (pause.holds(now_ns)) return false;
  }
  return link_ps_ - 1000.0 * static_cast<double>(now_ns) <
         kSlackBeats * config_.bytes * ps_per_byte_;
}

void LinkDirection::take(std::uint64_t now_ns, const std::uint8_t* data, unsigned bytes,
                         bool last) {
  const double now_ps = 1000.0 * static_cast<double>(now_ns);
  now_ns_ = now_ns;
  if (partial_.empty()) {
    link_ps_ = std::max(link_ps_, now_ps) + kPreamble * ps_per_byte_;
  } else if (link_ps_ < now_ps) {
    // The sender left the link idle within a frame. A MAC that stores a frame before it sends
    // hides such gaps; the whole frame counts as sent later.
    link_ps_ = now_ps;
    ++counts_.underruns;
  }
  partial_.insert(partial_.end(), data, data + bytes);
  link_ps_ += bytes * ps_per_byte_;
  if (!last) return;
  packet::Bytes frame = std::move(partial_);
  partial_.clear();
  carry(std::move(frame), false);
  if (!pool_.empty()) {
    partial_ = std::move(pool_.back());
    pool_.pop_back();
    partial_.clear();
  }
}

std::uint64_t LinkDirection::ready_ns(std::uint64_t now_ns) const {
  const double free_ps = link_ps_ - kSlackBeats * config_.bytes * ps_per_byte_;
  std::uint64_t at = now_ns;
  // ready() requires less than the slack.
  if (free_ps >= 1000.0 * static_cast<double>(at)) {
    at = static_cast<std::uint64_t>(free_ps / 1000) + 1;
  }
  bool moved = true;
  while (moved) {
    moved = false;
    for (const Span& pause : config_.faults.pauses) {
      if (!pause.holds(at)) continue;
      at = pause.to_ns;
      moved = true;
    }
  }
  return at;
}

void LinkDirection::occupy(std::uint64_t now_ns, std::size_t bytes) {
  now_ns_ = now_ns;
  link_ps_ = std::max(link_ps_, 1000.0 * static_cast<double>(now_ns)) +
             static_cast<double>(kPreamble + bytes) * ps_per_byte_;
}

void LinkDirection::send(std::uint64_t now_ns, packet::Bytes frame) {
  occupy(now_ns, frame.size());
  carry(std::move(frame), false);
}

void LinkDirection::inject(std::uint64_t now_ns, packet::Bytes frame) {
  occupy(now_ns, frame.size());
  carry(std::move(frame), true);
}

void LinkDirection::inject_as(std::uint64_t now_ns, const packet::Bytes& frame,
                              const std::string& text) {
  occupy(now_ns, frame.size());
  Decision decision;
  decision.delay_ns = config_.delay_ns;
  decision.text = text;
  deliver(decision, admit(frame, true));
}

/// Whether no frame has an observer, a fault or another frame to overtake.
bool LinkDirection::passes_all() const {
  const bool scripted = config_.script != nullptr && config_.script->active();
  return taps_.empty() && held_.empty() && !scripted && config_.faults.spare_all();
}

void LinkDirection::carry(packet::Bytes frame, bool injected) {
  if (passes_all()) {
    const double start_ps = enter(&frame, injected);
    const std::uint64_t arrival = static_cast<std::uint64_t>(start_ps) + 1000 * config_.delay_ns;
    latest_ps_ = std::max(latest_ps_, static_cast<double>(arrival));
    enqueue(arrival, std::move(frame));
    return;
  }
  Admitted admitted = admit(std::move(frame), injected);
  const Decision decision = decide(admitted);
  apply(decision, admitted);
  deliver(decision, std::move(admitted));
}

double LinkDirection::enter(packet::Bytes* frame, bool injected) {
  ++counts_.frames;
  counts_.bytes += frame->size();
  if (injected) {
    ++counts_.injected;
    counts_.injected_bytes += frame->size();
  }
  if (frame->size() < kMinFrame) {
    link_ps_ += static_cast<double>(kMinFrame - frame->size()) * ps_per_byte_;
    frame->resize(kMinFrame);
  }
  const double start_ps = link_ps_ - length_ps(*frame);
  link_ps_ += (kFcs + kGap) * ps_per_byte_;
  return start_ps;
}

double LinkDirection::length_ps(const packet::Bytes& frame) const {
  return static_cast<double>(kPreamble + frame.size()) * ps_per_byte_;
}

LinkDirection::Admitted LinkDirection::admit(packet::Bytes frame, bool injected) {
  Admitted admitted{std::move(frame), {}, {}, injected, 0, 0};
  admitted.parsed = packet::parse(admitted.original);
  admitted.frame = admitted.original;
  admitted.start_ps = enter(&admitted.frame, injected);
  admitted.length_ps = length_ps(admitted.frame);
  return admitted;
}

void LinkDirection::deliver(const Decision& decision, Admitted admitted) {
  const packet::Bytes& original = admitted.original;
  const bool intact = !decision.drop && admitted.frame.size() >= original.size() &&
                      std::equal(original.begin(), original.end(), admitted.frame.begin());
  const FrameEvent event{config_.node,    static_cast<std::uint64_t>(admitted.start_ps / 1000),
                         admitted.parsed, decision.text,
                         intact,          admitted.injected};
  for (FrameTap* tap : taps_) tap->frame(event);
  if (decision.drop) {
    ++counts_.dropped;
    return;
  }
  if (decision.after != 0) return hold(decision.after, std::move(admitted));
  const std::uint64_t arrival =
      static_cast<std::uint64_t>(admitted.start_ps) + 1000 * decision.delay_ns;
  latest_ps_ = std::max(latest_ps_, static_cast<double>(arrival));
  counts_.duplicated += decision.copies;
  for (std::uint64_t i = 0; i < decision.copies; ++i) {
    enqueue(arrival + 1000 * decision.copy_delay_ns, admitted.frame);
  }
  const bool overtakes = !held_.empty() && admitted.parsed.has_bth;
  const std::uint32_t qpn = overtakes ? admitted.parsed.bth().dest_qp() : 0;
  enqueue(arrival, std::move(admitted.frame));
  if (overtakes) release_held(qpn, arrival);
}

void LinkDirection::enqueue(std::uint64_t start_ps, packet::Bytes frame) {
  const auto before = [](std::uint64_t start, const Arrival& a) { return start < a.start_ps; };
  const auto at = std::upper_bound(on_way_.begin(), on_way_.end(), start_ps, before);
  on_way_.insert(at, Arrival{start_ps, std::move(frame)});
}

void LinkDirection::start_next() {
  current_ = std::move(on_way_.front());
  on_way_.pop_front();
  receiving_ = true;
  given_ = 0;
  // The receiving end has the same rate: a reordered or copied frame waits for its turn.
  const double start = std::max(static_cast<double>(current_.start_ps), receiver_free_ps_);
  current_.start_ps = static_cast<std::uint64_t>(start);
  receiver_free_ps_ =
      start + static_cast<double>(kPreamble + current_.frame.size() + kFcs + kGap) * ps_per_byte_;
}

std::uint64_t LinkDirection::end_ps(std::uint64_t start_ps, std::size_t bytes) const {
  return start_ps +
         static_cast<std::uint64_t>(static_cast<double>(kPreamble + bytes) * ps_per_byte_);
}

std::uint64_t LinkDirection::due_ps() const {
  return end_ps(current_.start_ps, std::min(given_ + config_.bytes, current_.frame.size()));
}

std::uint64_t LinkDirection::next_frame_ns() const {
  if (receiving_) return (end_ps(current_.start_ps, current_.frame.size()) + 999) / 1000;
  if (on_way_.empty()) return kNever;
  const Arrival& next = on_way_.front();
  const auto free_ps = static_cast<std::uint64_t>(receiver_free_ps_);
  return (end_ps(std::max(next.start_ps, free_ps), next.frame.size()) + 999) / 1000;
}

bool LinkDirection::receive(std::uint64_t now_ns, packet::Bytes& frame) {
  if (next_frame_ns() > now_ns) return false;
  if (!receiving_) start_next();
  receiving_ = false;
  ++counts_.delivered;
  counts_.delivered_bytes += current_.frame.size();
  frame = std::move(current_.frame);
  return true;
}

bool LinkDirection::beat(std::uint64_t now_ns, Beat& beat) {
  if (!receiving_) {
    if (on_way_.empty() || on_way_.front().start_ps > 1000 * now_ns) return false;
    start_next();
  }
  if (due_ps() > 1000 * now_ns) return false;
  const std::size_t left = current_.frame.size() - given_;
  beat.data = current_.frame.data() + given_;
  beat.bytes = static_cast<unsigned>(std::min<std::size_t>(left, config_.bytes));
  beat.last = left <= config_.bytes;
  return true;
}

void LinkDirection::pop() {
  given_ += config_.bytes;
  if (given_ < current_.frame.size()) return;
  receiving_ = false;
  ++counts_.delivered;
  counts_.delivered_bytes += current_.frame.size();
  pool_.push_back(std::move(current_.frame));
}

bool LinkDirection::take_frame(std::uint64_t now_ns, packet::Bytes& frame) {
  if (on_way_.empty() || on_way_.front().start_ps > 1000 * now_ns) return false;
  frame = std::move(on_way_.front().frame);
  on_way_.pop_front();
  ++counts_.delivered;
  counts_.delivered_bytes += frame.size();
  return true;
}

std::uint64_t LinkDirection::next_ns() const {
  if (receiving_) return (due_ps() + 999) / 1000;
  if (on_way_.empty()) return kNever;
  return (on_way_.front().start_ps + 999) / 1000;
}

}  // namespace roci::testbench
