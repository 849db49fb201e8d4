// SPDX-License-Identifier: Apache-2.0
#include "testbench/link/link_direction.hpp"

#include <algorithm>
#include <utility>

namespace roci::testbench {
namespace {

constexpr unsigned kPreamble = 8, kFcs = 4, kGap = 12;
constexpr std::size_t kMinFrame = 60;  // without FCS
constexpr std::size_t kEthernetBytes = 14;
constexpr double kSlackBeats = 4;  // what the MAC takes ahead of the wire

}  // namespace

LinkDirection::LinkDirection(const LinkConfig& config)
    : config_(config), ps_per_byte_(8000.0 / config.rate_gbps), random_(config.seed) {}

bool LinkDirection::chance(double probability) {
  if (probability <= 0) return false;
  return static_cast<double>(random_() >> 11) * 0x1p-53 < probability;
}

bool LinkDirection::ready(std::uint64_t now_ns) {
  for (const Span& pause : config_.faults.pauses) {
    if (pause.holds(now_ns)) return false;
  }
  return wire_ps_ - 1000.0 * static_cast<double>(now_ns) <
         kSlackBeats * config_.bytes * ps_per_byte_;
}

void LinkDirection::take(std::uint64_t now_ns, const std::uint8_t* data, unsigned bytes,
                         bool last) {
  const double now_ps = 1000.0 * static_cast<double>(now_ns);
  now_ns_ = now_ns;
  if (frame_.empty()) {
    wire_ps_ = std::max(wire_ps_, now_ps) + kPreamble * ps_per_byte_;
  } else if (wire_ps_ < now_ps) {
    // The wire had nothing to send. A MAC that keeps a frame until it is safe hides this; the
    // whole frame counts as sent later.
    wire_ps_ = now_ps;
    ++counts_.underruns;
  }
  frame_.insert(frame_.end(), data, data + bytes);
  wire_ps_ += bytes * ps_per_byte_;
  if (last) complete(false);
}

std::uint64_t LinkDirection::ready_ns(std::uint64_t now_ns) const {
  const double free_ps = wire_ps_ - kSlackBeats * config_.bytes * ps_per_byte_;
  std::uint64_t at = now_ns;
  // ready() wants less than the slack, not as much.
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

void LinkDirection::send(std::uint64_t now_ns, packet::Bytes frame) {
  now_ns_ = now_ns;
  wire_ps_ = std::max(wire_ps_, 1000.0 * static_cast<double>(now_ns)) +
             static_cast<double>(kPreamble + frame.size()) * ps_per_byte_;
  frame_ = std::move(frame);
  complete(false);
}

void LinkDirection::inject(std::uint64_t now_ns, const packet::Bytes& frame) {
  now_ns_ = now_ns;
  wire_ps_ = std::max(wire_ps_, 1000.0 * static_cast<double>(now_ns)) +
             static_cast<double>(kPreamble + frame.size()) * ps_per_byte_;
  packet::Bytes partial = std::exchange(frame_, frame);
  complete(true);
  frame_ = std::move(partial);
}

FaultRule* LinkDirection::matching(const packet::Parsed& parsed) {
  FaultRule* hit = nullptr;
  for (FaultRule& rule : config_.faults.rules) {
    const packet::Bth bth = parsed.bth();
    if (rule.opcode && bth.opcode() != *rule.opcode) continue;
    if (rule.psn && bth.psn() != *rule.psn) continue;
    if (rule.qpn && bth.dest_qp() != *rule.qpn) continue;
    if (rule.when && !rule.when(parsed, now_ns_)) continue;
    ++rule.seen;
    if (rule.seen < rule.first || (rule.count != 0 && rule.seen >= rule.first + rule.count)) {
      continue;
    }
    if (hit == nullptr) {
      hit = &rule;
      ++rule.hits;
    }
  }
  return hit;
}

bool LinkDirection::spared(const packet::Parsed& parsed) const {
  const std::vector<std::uint32_t>& qpns = config_.faults.spared;
  return parsed.has_bth &&
         std::find(qpns.begin(), qpns.end(), parsed.bth().dest_qp()) != qpns.end();
}

void LinkDirection::note(std::string& text, FaultKind kind, const packet::Parsed& parsed,
                         std::string what) {
  if (!text.empty()) text += ", ";
  text += what;
  if (!config_.keep_log) return;
  FaultRecord record{now_ns_, config_.node, kind, 0, 0, 0, std::move(what)};
  if (parsed.has_bth) {
    record.opcode = parsed.bth().opcode();
    record.psn = parsed.bth().psn();
    record.qpn = parsed.bth().dest_qp();
  }
  log_.push_back(std::move(record));
}

void LinkDirection::complete(bool injected) {
  Faults& faults = config_.faults;
  packet::Bytes sent = std::move(frame_);
  frame_.clear();
  ++counts_.frames;
  counts_.bytes += sent.size();
  if (injected) {
    ++counts_.injected;
    counts_.injected_bytes += sent.size();
  }
  // The tap sees what the adapter gave; the wire pads it.
  const packet::Bytes original = sent;
  const packet::Parsed parsed = packet::parse(original);
  if (sent.size() < kMinFrame) {
    wire_ps_ += static_cast<double>(kMinFrame - sent.size()) * ps_per_byte_;
    sent.resize(kMinFrame);
  }
  const double length_ps = static_cast<double>(kPreamble + sent.size()) * ps_per_byte_;
  const double start_ps = wire_ps_ - length_ps;
  wire_ps_ += (kFcs + kGap) * ps_per_byte_;

  std::string text;
  bool drop = false;
  std::uint64_t delay_ns = config_.delay_ns;
  std::uint64_t copies = 0;
  std::uint64_t copy_delay_ns = 0;
  FaultRule* rule = parsed.has_bth ? matching(parsed) : nullptr;
  const auto flip = [&] {
    const std::uint64_t bit = 8 * kEthernetBytes + below(8 * (original.size() - kEthernetBytes));
    sent[bit / 8] = static_cast<std::uint8_t>(sent[bit / 8] ^ 1u << bit % 8);
    ++counts_.corrupted;
    note(text, FaultKind::kCorrupt, parsed,
         "corrupted: bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8));
  };
  for (const Span& blackout : faults.blackouts) drop |= blackout.holds(now_ns_);
  if (drop) note(text, FaultKind::kDrop, parsed, "lost: link silent");

  if (rule != nullptr && !drop) {
    switch (rule->kind) {
      case FaultKind::kDrop:
        drop = true;
        note(text, FaultKind::kDrop, parsed, "lost");
        break;
      case FaultKind::kCorrupt:
        flip();
        break;
      case FaultKind::kDuplicate:
        copies = rule->copies;
        copy_delay_ns = rule->delay_ns;
        note(text, FaultKind::kDuplicate, parsed, "sent " + std::to_string(copies + 1) + " times");
        break;
      case FaultKind::kDelay:
        delay_ns += rule->delay_ns;
        ++counts_.delayed;
        note(text, FaultKind::kDelay, parsed,
             "delayed by " + std::to_string(rule->delay_ns) + " ns");
        break;
      case FaultKind::kReplace:
        sent = rule->replace(parsed);
        note(text, FaultKind::kReplace, parsed, "rewritten");
        break;
    }
  } else if (!drop && !spared(parsed) && (parsed.has_bth || faults.all_frames)) {
    if (faults.loss > 0) {
      // Gilbert: every frame is lost in the bad state, which lasts mean_burst frames.
      const double leave = 1 / faults.mean_burst;
      const double enter =
          faults.loss >= 1 ? 1 : std::min(1.0, faults.loss * leave / (1 - faults.loss));
      bad_ = faults.mean_burst <= 1 ? chance(faults.loss) : (bad_ ? !chance(leave) : chance(enter));
      if (bad_) {
        drop = true;
        note(text, FaultKind::kDrop, parsed, faults.mean_burst > 1 ? "lost in a burst" : "lost");
      }
    }
    if (!drop) {
      if (chance(faults.corrupt)) flip();
      if (chance(faults.duplicate)) {
        copies = 1;
        copy_delay_ns = faults.duplicate_delay_ns;
        note(text, FaultKind::kDuplicate, parsed, "duplicated");
      }
      if (chance(faults.reorder)) {
        const double late = static_cast<double>(1 + below(faults.reorder_depth)) *
                            (length_ps + (kFcs + kGap) * ps_per_byte_);
        // Half a frame more puts it behind the one it lets pass.
        delay_ns += static_cast<std::uint64_t>((late + length_ps / 2) / 1000);
        ++counts_.delayed;
        note(text, FaultKind::kDelay, parsed, "reordered");
      }
      if (faults.jitter_ns != 0) {
        delay_ns += below(faults.jitter_ns + 1);
        const double arrival_ps = start_ps + 1000.0 * static_cast<double>(delay_ns);
        if (arrival_ps < latest_ps_) text += text.empty() ? "overtakes" : ", overtakes";
      }
    }
  }

  const FrameEvent event{config_.node,
                         static_cast<std::uint64_t>(start_ps / 1000),
                         parsed,
                         text,
                         !drop && sent.size() >= original.size() &&
                             std::equal(original.begin(), original.end(), sent.begin()),
                         injected};
  for (FrameTap* tap : taps_) tap->frame(event);

  if (drop) {
    ++counts_.dropped;
  } else {
    const std::uint64_t arrival = static_cast<std::uint64_t>(start_ps) + 1000 * delay_ns;
    latest_ps_ = std::max(latest_ps_, static_cast<double>(arrival));
    counts_.duplicated += copies;
    for (std::uint64_t i = 0; i < copies; ++i) deliver(arrival + 1000 * copy_delay_ns, sent);
    deliver(arrival, std::move(sent));
  }
  if (!pool_.empty()) {
    frame_ = std::move(pool_.back());
    pool_.pop_back();
    frame_.clear();
  }
}

void LinkDirection::deliver(std::uint64_t start_ps, packet::Bytes frame) {
  const auto before = [](std::uint64_t start, const Arrival& a) { return start < a.start_ps; };
  const auto at = std::upper_bound(on_way_.begin(), on_way_.end(), start_ps, before);
  on_way_.insert(at, Arrival{start_ps, std::move(frame)});
}

void LinkDirection::start_next() {
  current_ = std::move(on_way_.front());
  on_way_.pop_front();
  receiving_ = true;
  given_ = 0;
  // The far end of the wire has the same rate: what was reordered or copied waits its turn.
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
