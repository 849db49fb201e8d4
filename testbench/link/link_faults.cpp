// SPDX-License-Identifier: Apache-2.0
// The faults of a LinkDirection: which of them apply to a frame, and their effect on it.
#include <algorithm>

#include "testbench/link/link_direction.hpp"

namespace roci::testbench {
namespace {

constexpr std::size_t kEthernetBytes = 14;
constexpr std::size_t kMostHeld = 64;  // frames; the oldest is lost

}  // namespace

bool LinkDirection::chance(double probability) {
  if (probability <= 0) return false;
  return static_cast<double>(random_() >> 11) * 0x1p-53 < probability;
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

void LinkDirection::note(Decision& decision, FaultKind kind, const packet::Parsed& parsed,
                         std::string what) {
  if (!decision.text.empty()) decision.text += ", ";
  decision.text += what;
  if (!config_.keep_log) return;
  FaultRecord record{now_ns_, config_.node, kind, 0, 0, 0, std::move(what)};
  if (parsed.has_bth) {
    record.opcode = parsed.bth().opcode();
    record.psn = parsed.bth().psn();
    record.qpn = parsed.bth().dest_qp();
  }
  log_.push_back(std::move(record));
}

LinkDirection::Decision LinkDirection::decide(const Admitted& admitted) {
  const packet::Parsed& parsed = admitted.parsed;
  Decision decision;
  decision.delay_ns = config_.delay_ns;
  if (config_.script != nullptr && config_.script->active() &&
      decide_by_script(admitted, decision)) {
    return decision;
  }
  FaultRule* rule = parsed.has_bth ? matching(parsed) : nullptr;
  for (const Span& blackout : config_.faults.blackouts) decision.drop |= blackout.holds(now_ns_);
  if (decision.drop) {
    note(decision, FaultKind::kDrop, parsed, "lost: link silent");
  } else if (rule != nullptr) {
    decide_by_rule(*rule, admitted, decision);
  } else if (!spared(parsed) && (parsed.has_bth || config_.faults.all_frames)) {
    decide_by_chance(admitted, decision);
  }
  // The jitter of a frame before it is a fault of this one, which may have none by itself.
  const double arrival_ps = admitted.start_ps + 1000.0 * static_cast<double>(decision.delay_ns);
  if (!decision.drop && arrival_ps < latest_ps_) {
    decision.text += decision.text.empty() ? "overtakes" : ", overtakes";
  }
  return decision;
}

bool LinkDirection::decide_by_script(const Admitted& admitted, Decision& decision) {
  ScriptEffect effect;
  config_.script->decide(config_.node, now_ns_, admitted.parsed, effect);
  if (effect.text.empty()) return false;
  decision.drop = effect.drop;
  decision.delay_ns += effect.delay_ns;
  decision.delayed = effect.delay_ns != 0 || effect.after != 0;
  decision.copies = effect.copies;
  decision.after = effect.after;
  decision.scripted = std::move(effect.replacement);
  decision.text = std::move(effect.text);
  return true;
}

void LinkDirection::hold(unsigned after, Admitted admitted) {
  if (held_.size() == kMostHeld) {
    held_.pop_front();
    ++counts_.dropped;
  }
  const std::uint32_t qpn = admitted.parsed.has_bth ? admitted.parsed.bth().dest_qp() : 0;
  held_.push_back({after, qpn, std::move(admitted.frame)});
}

void LinkDirection::release_held(std::uint32_t qpn, std::uint64_t start_ps) {
  for (auto held = held_.begin(); held != held_.end();) {
    if (held->qpn != qpn || --held->after != 0) {
      ++held;
      continue;
    }
    enqueue(start_ps, std::move(held->frame));  // after those of the same start
    held = held_.erase(held);
  }
}

void LinkDirection::flip(const Admitted& admitted, Decision& decision) {
  const std::uint64_t bit =
      8 * kEthernetBytes + below(8 * (admitted.original.size() - kEthernetBytes));
  decision.flipped_bit = bit;
  note(decision, FaultKind::kCorrupt, admitted.parsed,
       "corrupted: bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8));
}

void LinkDirection::decide_by_rule(FaultRule& rule, const Admitted& admitted, Decision& decision) {
  const packet::Parsed& parsed = admitted.parsed;
  switch (rule.kind) {
    case FaultKind::kDrop:
      decision.drop = true;
      note(decision, FaultKind::kDrop, parsed, "lost");
      break;
    case FaultKind::kCorrupt:
      flip(admitted, decision);
      break;
    case FaultKind::kDuplicate:
      decision.copies = rule.copies;
      decision.copy_delay_ns = rule.delay_ns;
      note(decision, FaultKind::kDuplicate, parsed,
           "sent " + std::to_string(decision.copies + 1) + " times");
      break;
    case FaultKind::kDelay:
      decision.delay_ns += rule.delay_ns;
      decision.delayed = true;
      note(decision, FaultKind::kDelay, parsed,
           "delayed by " + std::to_string(rule.delay_ns) + " ns");
      break;
    case FaultKind::kReplace:
      decision.replacement = &rule;
      note(decision, FaultKind::kReplace, parsed, "rewritten");
      break;
  }
}

void LinkDirection::decide_by_chance(const Admitted& admitted, Decision& decision) {
  const packet::Parsed& parsed = admitted.parsed;
  const Faults& faults = config_.faults;
  if (faults.loss > 0) {
    // Gilbert model: every frame is lost in the bad state, which lasts mean_burst frames.
    const double leave = 1 / faults.mean_burst;
    const double enter =
        faults.loss >= 1 ? 1 : std::min(1.0, faults.loss * leave / (1 - faults.loss));
    bad_ = faults.mean_burst <= 1 ? chance(faults.loss) : (bad_ ? !chance(leave) : chance(enter));
    if (bad_) {
      decision.drop = true;
      note(decision, FaultKind::kDrop, parsed, faults.mean_burst > 1 ? "lost in a burst" : "lost");
      return;
    }
  }
  if (chance(faults.corrupt)) flip(admitted, decision);
  if (chance(faults.duplicate)) {
    decision.copies = 1;
    decision.copy_delay_ns = faults.duplicate_delay_ns;
    note(decision, FaultKind::kDuplicate, parsed, "duplicated");
  }
  if (chance(faults.reorder)) {
    const double late = static_cast<double>(1 + below(faults.reorder_depth)) *
                        (admitted.length_ps + (kFcs + kGap) * ps_per_byte_);
    // Half a frame more places it after the frame that overtakes it.
    decision.delay_ns += static_cast<std::uint64_t>((late + admitted.length_ps / 2) / 1000);
    decision.delayed = true;
    note(decision, FaultKind::kDelay, parsed, "reordered");
  }
  if (faults.jitter_ns != 0) {
    decision.delay_ns += below(faults.jitter_ns + 1);
  }
}

void LinkDirection::apply(const Decision& decision, Admitted& admitted) {
  if (decision.flipped_bit) {
    std::uint8_t& byte = admitted.frame[*decision.flipped_bit / 8];
    byte = static_cast<std::uint8_t>(byte ^ 1u << *decision.flipped_bit % 8);
    ++counts_.corrupted;
  }
  if (decision.scripted) {
    // As long as the original; the pad of the MAC stays.
    std::copy(decision.scripted->begin(), decision.scripted->end(), admitted.frame.begin());
    ++counts_.corrupted;
  }
  if (decision.replacement != nullptr) {
    admitted.frame = decision.replacement->replace(admitted.parsed);
  }
  counts_.delayed += decision.delayed;
}

}  // namespace roci::testbench
