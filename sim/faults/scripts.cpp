// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/scripts.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "driver/cm/mad/values.hpp"
#include "model/transport/rules.hpp"
#include "sim/faults/corruption.hpp"

namespace roci::sim::faults {
namespace {

constexpr std::size_t kAttributeAt = 16;  // byte of a management datagram

bool contains(const std::vector<unsigned>& list, unsigned one) {
  return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
}

bool is_cm(const packet::Parsed& parsed, cm::Attribute attribute) {
  if (!parsed.ok() || parsed.bth().opcode() != packet::kUdSendOnly || parsed.bth().dest_qp() != 1 ||
      parsed.payload.size < kAttributeAt + 2) {
    return false;
  }
  const std::uint8_t* at = parsed.payload.data + kAttributeAt;
  return (at[0] << 8 | at[1]) == static_cast<int>(attribute);
}

}  // namespace

std::vector<unsigned> Scripts::add(const std::string& text, const std::string& source) {
  std::vector<unsigned> numbers;
  for (Rule& rule : read_script(text, source, *this)) {
    numbers.push_back(next_number_);
    faults_.push_back({next_number_++, std::move(rule), 0, 0, {}});
  }
  refresh();
  return numbers;
}

bool Scripts::clear(unsigned number) {
  const std::size_t before = faults_.size();
  faults_.remove_if([&](const Fault& fault) { return number == 0 || fault.number == number; });
  for (const StoppedQueues::Name& queue : stopped_.of_fault(number)) go_on(queue);
  refresh();
  return number == 0 || faults_.size() != before;
}

void Scripts::refresh() {
  set_active(false);
  watches_memory_ = follows_ = counts_messages_ = false;
  for (const Fault& fault : faults_) {
    if (fault.rule.of_memory()) {
      watches_memory_ = true;
    } else {
      set_active(true);
    }
    follows_ |= fault.rule.action == Action::kNak;
    counts_messages_ |= fault.rule.message.has_value();
  }
  if (!follows_) naks_.clear();
  if (!counts_messages_) messages_.clear();
}

bool Scripts::has_process(int pid) const { return ::kill(pid, 0) == 0 || errno == EPERM; }

Scripts::Frame Scripts::ends_of(unsigned sender, const packet::Parsed& parsed) const {
  const unsigned adapters = nodes_.adapters();
  const unsigned owner = simulator_->owner(parsed.ethernet().dst_mac());
  // What comes from outside is for the adapter of its port; what has another address goes there.
  const unsigned receiver = sender >= adapters ? sender - adapters
                            : owner < adapters ? owner
                                               : sender + adapters;
  const auto adapter_of = [&](unsigned end) { return end < adapters ? end : kOutside; };
  Frame frame{parsed, sender, receiver, adapter_of(sender), adapter_of(receiver)};
  if (!parsed.has_bth || parsed.op == nullptr) return frame;
  const std::uint32_t number = parsed.bth().dest_qp();
  frame.receiving = registry_.queue_pair(frame.to, number);
  if (parsed.has(packet::Ext::kDeth) && parsed.ok()) {
    frame.sending = registry_.queue_pair(frame.from, parsed.deth().src_qp());
  } else {
    frame.sending = registry_.connected(frame.from, parsed.dst(), number);
  }
  frame.rc = parsed.ok() && is_rc(parsed.bth().opcode());
  frame.request = frame.rc && !parsed.op->response;
  return frame;
}

std::optional<Requester> Scripts::requester_of(const Frame& frame) const {
  const bool request = frame.parsed.op != nullptr && !frame.parsed.op->response;
  const QueuePair* own = request ? frame.sending : frame.receiving;
  const QueuePair* peer = request ? frame.receiving : frame.sending;
  if (own != nullptr) {
    return Requester{own->number, transport::Psn(own->sq_psn), own->mtu, own->sends};
  }
  if (peer != nullptr) {
    return Requester{peer->peer, transport::Psn(peer->rq_psn), peer->mtu, peer->receives};
  }
  return {};
}

bool Scripts::matches_process(const Rule& rule, const Process* process) const {
  if (!rule.process && rule.program.empty()) return true;
  if (process == nullptr || (rule.process && *rule.process != process->pid)) return false;
  return rule.program.empty() || std::find(process->names.begin(), process->names.end(),
                                           rule.program) != process->names.end();
}

bool Scripts::matches_end(const Rule& rule, const Frame& frame, bool out) const {
  if (!contains(rule.adapters, out ? frame.from : frame.to) ||
      !contains(rule.peers, out ? frame.to : frame.from)) {
    return false;
  }
  const QueuePair* pair = out ? frame.sending : frame.receiving;
  if (!rule.process && rule.program.empty() && !rule.queue_pair && !rule.nth_queue_pair) {
    return true;
  }
  return pair != nullptr && (!rule.queue_pair || pair->number == *rule.queue_pair) &&
         (!rule.nth_queue_pair || pair->nth == *rule.nth_queue_pair) &&
         matches_process(rule, registry_.process_of(*pair));
}

bool Scripts::matches_packet(const Rule& rule, const Frame& frame) const {
  const packet::Parsed& parsed = frame.parsed;
  const bool any = !rule.opcode && rule.position == Position::kAny && !rule.cm_message &&
                   !rule.psn_offset && !rule.message && rule.action != Action::kCorrupt &&
                   rule.action != Action::kNak && rule.action != Action::kMarkEcn;
  if (any) return true;
  if (!parsed.ok()) return false;
  const std::uint8_t opcode = parsed.bth().opcode();
  if (rule.opcode) {
    const auto& list = rule.opcode->opcodes;
    if (!std::binary_search(list.begin(), list.end(), opcode)) return false;
    if (rule.opcode->nak_only &&
        transport::aeth_kind(parsed.aeth().syndrome()) == layout::AethKind::kAck) {
      return false;
    }
  }
  if (rule.position != Position::kAny && rule.position != position_of(*parsed.op)) return false;
  if (rule.cm_message && !is_cm(parsed, *rule.cm_message)) return false;
  if (rule.psn_offset) {
    const auto requester = requester_of(frame);
    if (!requester || !frame.rc ||
        parsed.psn().steps_from(requester->first_psn) != *rule.psn_offset) {
      return false;
    }
  }
  if (rule.message && message_of(frame) != rule.message) return false;
  if (rule.action == Action::kCorrupt) return can_corrupt(rule, parsed);
  if (rule.action == Action::kMarkEcn) return can_mark(parsed);
  return rule.action != Action::kNak || (frame.request && requester_of(frame));
}

bool Scripts::matches(const Rule& rule, const Frame& frame) const {
  if (rule.of_memory() || !matches_packet(rule, frame)) return false;
  const bool out = rule.direction != Direction::kIn, in = rule.direction != Direction::kOut;
  return (out && matches_end(rule, frame, true)) || (in && matches_end(rule, frame, false));
}

void Scripts::decide(unsigned sender, std::uint64_t now_ns, const packet::Parsed& parsed,
                     testbench::ScriptEffect& effect) {
  if (parsed.frame.size < packet::Ethernet::kBytes) return;
  const Frame frame = ends_of(sender, parsed);
  const FlowName flow{frame.sender, frame.receiver, parsed.has_bth ? parsed.bth().dest_qp() : 0};
  if (follows_ && frame.request && naks_.after_nak(flow, parsed)) {
    effect.drop = true;
    effect.text = "lost: follows a request that a fault stopped";
    return;
  }
  if (counts_messages_ && parsed.ok()) follow_messages(frame);
  Fault* firing = nullptr;
  for (Fault& fault : faults_) {
    if (!matches(fault.rule, frame)) continue;
    if (fault.rule.action == Action::kNak && !naks_.expected(flow, *requester_of(frame), parsed)) {
      continue;
    }
    ++fault.seen;
    if (firing == nullptr && fault.rule.hits(fault.seen)) firing = &fault;
  }
  if (firing != nullptr) fire(*firing, frame, now_ns, effect);
  if (follows_ && frame.rc) follow(frame, effect.drop);
}

FlowName Scripts::flow_of(const Frame& frame) {
  if (!frame.parsed.op->response) {
    return {frame.sender, frame.receiver, frame.parsed.bth().dest_qp()};
  }
  const std::uint32_t responder = frame.sending != nullptr     ? frame.sending->number
                                  : frame.receiving != nullptr ? frame.receiving->peer
                                                               : 0;
  return {frame.receiver, frame.sender, responder};
}

/// Follows what the responder receives and sends.
void Scripts::follow(const Frame& frame, bool drop) {
  if (!frame.request) return naks_.responded(flow_of(frame), frame.parsed);
  const auto requester = requester_of(frame);
  if (requester && !drop) naks_.passed(flow_of(frame), *requester, frame.parsed);
}

void Scripts::follow_messages(const Frame& frame) {
  const auto requester = requester_of(frame);
  if (!requester || !(frame.rc || packet::is_uc(frame.parsed.bth().opcode()))) return;
  if (frame.parsed.op->response) {
    messages_.responded(flow_of(frame), *requester, frame.parsed);
  } else {
    messages_.sent(flow_of(frame), *requester, frame.parsed);
  }
}

/// The number of the message to which a packet belongs, among those of its requester.
std::optional<std::uint64_t> Scripts::message_of(const Frame& frame) const {
  if (frame.parsed.has(packet::Ext::kDeth)) {  // a datagram is a message and has a PSN
    if (frame.sending == nullptr) return {};
    return frame.parsed.psn().steps_from(transport::Psn(frame.sending->sq_psn)) + 1u;
  }
  const auto requester = requester_of(frame);
  if (!requester) return {};
  return messages_.number(flow_of(frame), *requester, frame.parsed.psn());
}

}  // namespace roci::sim::faults
