// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/faults/link_watch.hpp"

#include <algorithm>

namespace roci::testbench::faults {

using transport::Psn;

FaultRule drop_psn(std::uint32_t psn, unsigned count) {
  FaultRule rule;
  rule.psn = psn & 0xFFFFFF;
  rule.count = count;
  return rule;
}
FaultRule drop_opcode(std::uint8_t opcode, unsigned first, unsigned count) {
  FaultRule rule;
  rule.opcode = opcode;
  rule.first = first;
  rule.count = count;
  return rule;
}
FaultRule drop_syndrome(std::uint8_t syndrome, unsigned first, unsigned count) {
  FaultRule rule = drop_opcode(packet::kRcAck, first, count);
  rule.when = [syndrome](const packet::Parsed& p, std::uint64_t) {
    const std::uint8_t seen = p.aeth().syndrome();
    return syndrome == kRnrNak ? transport::aeth_kind(seen) == layout::AethKind::kRnr
                               : seen == syndrome;
  };
  return rule;
}

void LinkWatch::connect(unsigned from, std::uint32_t qpn, std::uint32_t peer_qpn,
                        std::uint32_t psn) {
  connections_.erase(std::remove_if(connections_.begin(), connections_.end(),
                                    [&](const Connection& c) {
                                      return c.from == from &&
                                             (c.peer_qpn == peer_qpn || c.qpn == qpn);
                                    }),
                     connections_.end());
  connections_.push_back({from, qpn, peer_qpn, psn, psn, psn, {}, {}});
}

void LinkWatch::forget(std::uint32_t qpn, std::uint32_t peer_qpn) {
  connections_.erase(
      std::remove_if(connections_.begin(), connections_.end(),
                     [&](const Connection& c) { return c.qpn == qpn && c.peer_qpn == peer_qpn; }),
      connections_.end());
}

void LinkWatch::message(unsigned from, std::uint32_t peer_qpn, const Message& message,
                        std::uint64_t pattern) {
  for (Connection& c : connections_) {
    if (c.from != from || c.peer_qpn != peer_qpn) continue;
    c.spans.push_back({c.next_psn, message.packets(), message.bytes, message.read(), pattern});
    c.next_psn = (c.next_psn + message.packets()) & 0xFFFFFF;
  }
}

const Seen& LinkWatch::seen(unsigned from, std::uint32_t peer_qpn) const {
  for (const Connection& c : connections_) {
    if (c.from == from && c.peer_qpn == peer_qpn) return c.seen;
  }
  throw std::logic_error("no such connection is watched");
}

const LinkWatch::Connection* LinkWatch::find(const FrameEvent& event) const {
  const std::uint32_t to = event.parsed.bth().dest_qp();
  const bool response = event.parsed.op->response;
  for (const Connection& c : connections_) {
    if (response ? c.from != event.node && c.qpn == to : c.from == event.node && c.peer_qpn == to) {
      return &c;
    }
  }
  return nullptr;
}

bool LinkWatch::payload_is_right(const FrameEvent& event) const {
  const packet::Parsed& p = event.parsed;
  const Connection* c = find(event);
  if (c == nullptr || trusts_) return true;  // the program declared no payload
  for (auto span = c->spans.rbegin(); span != c->spans.rend(); ++span) {
    const std::uint32_t at =
        static_cast<std::uint32_t>(p.psn().distance_from(Psn(span->first))) & 0xFFFFFF;
    if (at >= span->packets) continue;
    if (span->read != p.op->response) return false;
    const std::size_t offset = std::size_t{at} * kPmtu;
    if (offset + p.payload.size > span->bytes) return false;
    for (std::size_t i = 0; i < p.payload.size; ++i) {
      if (p.payload.data[i] != pattern(span->pattern, offset + i)) return false;
    }
    return std::all_of(p.pad.data, p.pad.data + p.pad.size,
                       [](std::uint8_t byte) { return byte == 0; });
  }
  return false;
}

void LinkWatch::frame(const FrameEvent& event) {
  if (!event.parsed.has_bth || event.parsed.op == nullptr || event.injected) return;
  const Connection* found = find(event);
  if (found == nullptr) return;
  Connection& c = connections_[static_cast<std::size_t>(found - connections_.data())];
  Seen& seen = c.seen;
  const packet::Parsed& p = event.parsed;
  const std::uint8_t op = p.bth().opcode();
  if (!event.fault.empty()) seen.first_fault_ns = std::min(seen.first_fault_ns, event.time_ns);
  if (!p.op->response) {
    ++seen.requests;
    const bool again = p.psn().before(Psn(c.next_sent));
    const std::uint32_t packets =
        op == packet::kRcReadRequest ? transport::packets_of(p.reth().dma_length(), kPmtu) : 1;
    if (again) {
      ++seen.repeats;
      if (op == packet::kRcReadRequest) ++seen.rereads;
      seen.first_repeat_ns = std::min(seen.first_repeat_ns, event.time_ns);
    } else {
      c.next_sent = (Psn(p.bth().psn()) + packets).value();
    }
    return;
  }
  if (op != packet::kRcAck) {
    ++seen.responses;
    if (p.psn().before(Psn(c.next_new_response))) {
      ++seen.replays;
    } else {
      c.next_new_response = (p.psn() + 1).value();
    }
    return;
  }
  const std::uint8_t syndrome = p.aeth().syndrome();
  switch (transport::aeth_kind(syndrome)) {
    case layout::AethKind::kAck:
      ++seen.acks;
      break;
    case layout::AethKind::kRnr:
      ++seen.rnr_naks;
      break;
    default:
      ++(syndrome == kNakSequence ? seen.sequence_naks : seen.fatal_naks);
  }
}

}  // namespace roci::testbench::faults
