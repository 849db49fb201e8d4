// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/link_ledger.hpp"

#include <algorithm>
#include <cstring>

#include "model/packet/describe.hpp"
#include "model/packet/opcode.hpp"
#include "model/transport/rules.hpp"

namespace roci::soak {
namespace {

using transport::Psn;

constexpr std::uint32_t kUnknown = 1u << 23;  // more PSNs than any generation uses

}  // namespace

FlowTrace& LinkLedger::open(const FlowTrace& trace) {
  const auto key = std::make_pair(trace.connection, trace.from);
  const auto old = traces_.find(key);
  if (old != traces_.end()) {
    for (auto at = packets_.begin(); at != packets_.end();) {
      at = at->second == &old->second ? packets_.erase(at) : std::next(at);
    }
  }
  FlowTrace& mine = traces_[key] = trace;
  packets_[{trace.from, trace.responder, false}] = &mine;
  packets_[{1 - trace.from, trace.requester, true}] = &mine;
  return mine;
}

void LinkLedger::posted(FlowTrace& trace, FlowTrace::Entry entry) {
  entry.at = trace.next;
  entry.hits = trace.hits;
  entry.packets = transport::packets_of(entry.bytes, trace.pmtu);
  if (entry.kind == Kind::kCmpSwap || entry.kind == Kind::kFetchAdd) entry.packets = 1;
  trace.next += entry.packets;
  trace.entries.push_back(entry);
}

const FlowTrace::Entry* LinkLedger::entry_at(const FlowTrace& trace, std::uint32_t at) const {
  if (at >= trace.next) return nullptr;
  const auto next = std::upper_bound(
      trace.entries.begin(), trace.entries.end(), at,
      [](std::uint32_t value, const FlowTrace::Entry& entry) { return value < entry.at; });
  return &*std::prev(next);
}

void LinkLedger::frame(const testbench::FrameEvent& event) {
  const packet::Parsed& parsed = event.parsed;
  if (!parsed.has_bth || event.injected || parsed.op == nullptr) return;
  const bool is_response = parsed.op->response;
  const auto found = packets_.find({event.node, parsed.bth().dest_qp(), is_response});
  if (found == packets_.end()) return;
  FlowTrace& trace = *found->second;
  keep(trace.connection, {event.time_ns, event.node, parsed.frame.copy(), event.fault});
  const std::uint32_t at = parsed.psn().steps_from(trace.first);
  if (at >= kUnknown) return;  // a packet of the former generation
  if (is_response) return response(event, trace, at);
  const std::uint32_t packets =
      parsed.op != nullptr && parsed.bth().opcode() == packet::kRcReadRequest
          ? transport::packets_of(parsed.reth().dma_length(), trace.pmtu)
          : 1;
  trace.phase = at >= trace.highest ? Phase::kFirst : trace.cause;
  if (at >= trace.highest) trace.cause = Phase::kAfterTimer;  // until a response changes it
  trace.highest = std::max(trace.highest, at + packets);
  check(event, trace, at, false);
  count(event, trace, at,
        parsed.op->start ? (parsed.op->end ? Position::kOnly : Position::kFirst)
        : parsed.op->end ? Position::kLast
                         : Position::kMiddle);
}

void LinkLedger::response(const testbench::FrameEvent& event, FlowTrace& trace, std::uint32_t at) {
  const packet::Parsed& parsed = event.parsed;
  const std::uint8_t op = parsed.bth().opcode();
  if (op != packet::kRcAck) {
    check(event, trace, at, true);
    const Position position = op == packet::kRcAtomicAck        ? Position::kAtomicResponse
                              : op == packet::kRcReadRespFirst  ? Position::kReadFirst
                              : op == packet::kRcReadRespMiddle ? Position::kReadMiddle
                              : op == packet::kRcReadRespLast   ? Position::kReadLast
                                                                : Position::kReadOnly;
    return count(event, trace, at, position);
  }
  using layout::AethKind;
  const AethKind kind = transport::aeth_kind(parsed.aeth().syndrome());
  if (event.intact && kind == AethKind::kRnr) trace.cause = Phase::kAfterRnr;
  if (event.intact && kind == AethKind::kNak) trace.cause = Phase::kAfterNak;
  count(event, trace, at,
        kind == AethKind::kRnr   ? Position::kRnrNak
        : kind == AethKind::kNak ? Position::kNak
                                 : Position::kAck);
}

void LinkLedger::check(const testbench::FrameEvent& event, const FlowTrace& trace, std::uint32_t at,
                       bool response) {
  const packet::Parsed& parsed = event.parsed;
  const FlowTrace::Entry* entry = entry_at(trace, at);
  if (entry == nullptr || parsed.payload.size == 0 || !parsed.icrc_ok) return;
  if (response != (entry->kind == Kind::kRead) ||
      (response && !packet::is_read_response(parsed.bth().opcode()))) {
    return report_("I7: payload at a PSN of " + std::string(name_of(entry->kind)) + ": " +
                   packet::describe(parsed.frame));
  }
  // The program may overwrite a completed message while a copy of it is still sent.
  const auto number = static_cast<std::uint32_t>(entry - trace.entries.data());
  if (!entry->known || number < trace.done) return;
  const std::uint64_t offset = std::uint64_t{at - entry->at} * trace.pmtu;
  const std::size_t wrong =
      first_wrong(parsed.payload.data, parsed.payload.size, entry->key, entry->offset + offset);
  if (wrong != parsed.payload.size || offset + parsed.payload.size > entry->bytes) {
    report_("I7: byte " + std::to_string(wrong) +
            " of a payload is not of its message: " + packet::describe(parsed.frame));
  }
  ++payloads_;
}

void LinkLedger::count(const testbench::FrameEvent& event, FlowTrace& trace, std::uint32_t at,
                       Position position) {
  if (event.fault.empty()) return;
  const auto has = [&](const char* what) { return event.fault.find(what) != std::string::npos; };
  const FlowTrace::Entry* entry = entry_at(trace, at);
  const bool wrapped = (trace.first + at).value() < trace.first.value();
  const auto hit = [&](Fault fault) {
    if (entry == nullptr || !Coverage::exists(entry->kind, position)) return;
    coverage_.hit({trace.phase, fault, entry->kind, position, wrapped});
  };
  if (has("lost in a burst")) {
    hit(Fault::kBurst);
  } else if (has("lost")) {
    hit(Fault::kLoss);
  }
  if (has("corrupted")) hit(Fault::kCorrupt);
  if (has("duplicated") || has("times")) hit(Fault::kDuplicate);
  if (has("reordered") || has("delayed")) hit(Fault::kReorder);
  if (has("lost") || has("corrupted") || has("reordered") || has("delayed") || has("overtakes")) {
    ++trace.hits;
  }
}

void LinkLedger::note(unsigned connection, std::uint64_t now_ns, const std::string& text) {
  keep(connection, {now_ns, 0, {}, text});
}

void LinkLedger::keep(unsigned connection, Event event) {
  constexpr std::size_t kKept = 40;
  std::deque<Event>& events = events_[connection];
  events.push_back(std::move(event));
  if (events.size() > kKept) events.pop_front();
}

std::string LinkLedger::events(unsigned connection) const {
  std::string text;
  const auto found = events_.find(connection);
  if (found == events_.end()) return text;
  for (const Event& event : found->second) {
    text += "    " + std::to_string(event.time_ns) + " ns  ";
    if (!event.frame.empty()) {
      text += "n" + std::to_string(event.node) + " " + packet::describe(event.frame) + " ";
    }
    text += event.frame.empty() || event.text.empty() ? event.text : "<" + event.text + ">";
    text += "\n";
  }
  return text;
}

int LinkLedger::connection_of(const std::string& text) const {
  for (const char* before : {"queue pair ", " to "}) {
    const std::size_t at = text.find(before);
    if (at == std::string::npos) continue;
    const auto qpn = static_cast<std::uint32_t>(
        std::strtoul(text.c_str() + at + std::strlen(before), nullptr, 10));
    // "n0, queue pair 5"
    const bool named = at >= 4 && text[at - 4] == 'n' && text[at - 2] == ',';
    for (const auto& [key, trace] : traces_) {
      if (named && trace.from != static_cast<unsigned>(text[at - 3] - '0')) continue;
      if (trace.requester == qpn || (!named && trace.responder == qpn))
        return static_cast<int>(trace.connection);
    }
  }
  return -1;
}

}  // namespace roci::soak
