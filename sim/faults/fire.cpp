// SPDX-License-Identifier: Apache-2.0
// The effects of faults, their log and their list.
#include <fmt/format.h>

#include "model/transport/rules.hpp"
#include "sim/faults/corruption.hpp"
#include "sim/faults/scripts.hpp"

namespace roci::sim::faults {
namespace {

constexpr std::size_t kMostLogged = 100;  // packets of a fault

std::string nak_name(std::uint8_t syndrome) {
  if (transport::aeth_kind(syndrome) == layout::AethKind::kRnr) {
    return fmt::format("RNR NAK, timer {}", syndrome & 0x1F);
  }
  static const char* const kNames[] = {"PSN sequence error", "invalid request",
                                       "remote access error", "remote operational error"};
  return fmt::format("NAK, {}", kNames[syndrome & 3]);
}

}  // namespace

void Scripts::fire(Fault& fault, const Frame& frame, std::uint64_t now_ns,
                   testbench::ScriptEffect& effect) {
  const Rule& rule = fault.rule;
  const packet::Parsed& parsed = frame.parsed;
  std::string what;
  // The adapter that the fault names: that of the subject.
  const bool out = rule.direction != Direction::kIn && matches_end(rule, frame, true);
  const unsigned subject = out ? frame.from : frame.to;
  switch (rule.action) {
    case Action::kDrop:
      effect.drop = true;
      what = "lost";
      break;
    case Action::kDelay:
      effect.delay_ns = rule.delay_ns;
      what = fmt::format("delayed by {} ns", rule.delay_ns);
      break;
    case Action::kDuplicate:
      effect.copies = rule.copies;
      what = fmt::format("sent {} times", rule.copies + 1);
      break;
    case Action::kReorder:
      effect.after = rule.after;
      what = fmt::format("after the next {} packets", rule.after);
      break;
    case Action::kCorrupt:
      effect.replacement = corrupted(rule, parsed, what);
      break;
    case Action::kNak: {
      const FlowName flow{frame.sender, frame.receiver, parsed.bth().dest_qp()};
      what = "lost, its response is a " + nak_name(rule.syndrome);
      effect.drop = true;
      simulator_->send_nak(frame.receiver, now_ns + rule.delay_ns,
                           naks_.stop(flow, *requester_of(frame), parsed, rule.syndrome),
                           fmt::format("fault {}: {}", fault.number, nak_name(rule.syndrome)),
                           [this, flow](bool at_last) { return naks_.may_send(flow, at_last); });
      break;
    }
    case Action::kUnplug:
      effect.drop = true;
      what = fmt::format("lost: the cable is unplugged for {} ns", rule.time_ns);
      if (subject != kOutside) simulator_->unplug(subject, now_ns + rule.time_ns);
      break;
    case Action::kKill:
      effect.drop = true;
      what = "lost: the adapter fails";
      if (subject != kOutside) simulator_->kill(subject);
      break;
    case Action::kMarkEcn:
      effect.replacement = marked(parsed);
      what = "marked: ECN codepoint CE";
      break;
    case Action::kFailMemory:
    case Action::kStopCompletions:
      return;
  }
  effect.text = fmt::format("fault {}: {}", fault.number, what);
  const auto end = [&](unsigned adapter) {
    return adapter == kOutside ? std::string("outside") : nodes_.name_of(adapter);
  };
  nlohmann::json entry = {
      {"time_ns", now_ns}, {"from", end(frame.from)}, {"to", end(frame.to)}, {"text", what}};
  if (parsed.has_bth) {
    entry["opcode"] = packet::opcode_name(parsed.bth().opcode());
    entry["psn"] = parsed.bth().psn();
    entry["dest_qp"] = parsed.bth().dest_qp();
    if (frame.sending != nullptr) entry["source_qp"] = frame.sending->number;
  }
  log(fault, std::move(entry));
}

void Scripts::log(Fault& fault, nlohmann::json entry) {
  if (++fault.fired <= kMostLogged) fault.log.push_back(std::move(entry));
}

nlohmann::json Scripts::list() const {
  nlohmann::json all = nlohmann::json::array();
  for (const Fault& fault : faults_) {
    all.push_back({{"number", fault.number},
                   {"name", fault.rule.name},
                   {"source", fault.rule.source},
                   {"line", fault.rule.line},
                   {"action", name_of(fault.rule.action)},
                   {"matched", fault.seen},
                   {"fired", fault.fired},
                   {"log", fault.log}});
  }
  return all;
}

}  // namespace roci::sim::faults
