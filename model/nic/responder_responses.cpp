// SPDX-License-Identifier: Apache-2.0
// Responder: responses, duplicates, gaps, failures.
#include <algorithm>

#include "model/nic/queue_pair.hpp"
#include "model/transport/rules.hpp"

namespace roci::nic {
/// Handles a request after a gap: one NAK for each gap (RSP-03, RSP-04).
void Responder::ahead() {
  if (nak_sent_) {
    qp_.engine.drop(DropCause::kOutOfSequence);
    return;
  }
  nak_sent_ = true;
  nak(syndrome::kNakSequence);
}

void Responder::duplicate(const packet::Parsed& packet) {
  const std::uint8_t opcode = packet.bth().opcode();
  const bool read = opcode == packet::kRcReadRequest;
  if (!read && !packet::is_atomic(opcode)) {
    ack(last_);  // RSP-06, RSP-07
    return;
  }
  const Psn psn = packet.psn();
  for (const Slot& slot : slots_) {
    if (!psn.in_window(slot.first, slot.last.steps_from(slot.first) + 1)) continue;
    if (slot.opcode != opcode) break;
    if (read) {  // RSP-34, RSP-35: the original or the rest of it
      const packet::Reth reth = packet.reth();
      const std::uint64_t skipped = std::uint64_t{psn.steps_from(slot.first)} * qp_.attr.pmtu;
      if (reth.va() != slot.va + skipped || reth.rkey() != slot.rkey ||
          reth.dma_length() + skipped != slot.bytes) {
        break;
      }
    } else {  // RSP-43, RSP-44
      const packet::AtomicEth eth = packet.atomic_eth();
      if (eth.va() != slot.va || eth.rkey() != slot.rkey || eth.swap_add() != slot.swap_add ||
          (opcode == packet::kRcCmpSwap && eth.compare() != slot.compare)) {
        break;
      }
    }
    replay(packet, slot);
    return;
  }
  qp_.engine.drop(DropCause::kDuplicate);  // RSP-37, RSP-45
}

/// Repeats a response, unless it is still queued.
void Responder::replay(const packet::Parsed& packet, const Slot& slot) {
  const bool read = slot.opcode == packet::kRcReadRequest;
  for (Response& response : responses_) {
    const bool same = response.kind == (read ? Response::Kind::kRead : Response::Kind::kAtomic) &&
                      response.slot.first == slot.first;
    if (!same) continue;
    if (read && response.psn.after(packet.psn())) {
      response.psn = packet.psn();
      response.opens = true;
    }
    return;
  }
  Response response;
  response.kind = read ? Response::Kind::kRead : Response::Kind::kAtomic;
  response.psn = packet.psn();
  response.slot = slot;
  response.msn = slot.msn;
  response.replay = true;
  responses_.push_back(response);
}

void Responder::ack(Psn psn) {
  if (responses_.empty() || responses_.back().kind != Response::Kind::kAck) {
    responses_.emplace_back();
    responses_.back().psn = psn;
  }
  Response& response = responses_.back();  // RSP-11
  if (psn.after(response.psn)) response.psn = psn;
  response.msn = msn_;
}

/// Returns the syndrome of an ACK: the number of posted receives, or no limit (RSP-14, RSP-15).
std::uint8_t Responder::credits() const {
  if (!qp_.attr.credits || qp_.attr.srq) return syndrome::kAckNoCredits;
  return static_cast<std::uint8_t>(
      transport::credit_code(static_cast<std::uint16_t>(producer_ - consumer_)));
}

void Responder::nak(std::uint8_t syndrome) {
  Response response;
  response.kind = Response::Kind::kNak;
  response.psn = epsn_;
  response.syndrome = syndrome;
  response.msn = msn_;
  responses_.push_back(response);
}

/// Completes the receive of the message in progress in error.
void Responder::end_receive(Status status) {
  Completion completion;
  completion.status = status;
  completion.opcode = WcOp::kRecv;
  finish_receive(completion);
}

/// Ends the connection at the expected PSN: one NAK, then no response (RSP-50, RSP-51).
void Responder::fail(const Fault& fault) {
  if (receive_) end_receive(fault.receive);
  const EventKind event = fault.syndrome == syndrome::kNakOperational ? EventKind::kQpFatal
                          : fault.syndrome == syndrome::kNakAccess || fault.misaligned
                              ? EventKind::kQpAccess  // RSP-52
                              : EventKind::kQpRequest;
  nak(fault.syndrome);
  qp_.fail(event, true);
}

/// Ends the connection without a response to the message in progress: the class J of 9.9.6.3. What
/// was received before it gets its responses.
void Responder::end_silently(Status status) {
  end_receive(status);
  qp_.fail(EventKind::kQpAccess, true);
}

/// Ends the connection when a queued response can no longer be sent.
void Responder::fail_at(Psn psn, std::uint8_t syndrome, EventKind event) {
  responses_.clear();
  nak(syndrome);
  responses_.back().psn = psn;
  qp_.fail(event, true);
}

bool Responder::step() {
  if (responses_.empty()) return false;
  Response& response = responses_.front();
  if (response.kind == Response::Kind::kRead) return send_read(&response);
  PacketHeader header;
  header.psn = response.psn;
  switch (response.kind) {
    case Response::Kind::kAtomic:
      header.opcode = packet::kRcAtomicAck;
      header.add_aeth(credits(), response.msn);
      header.add_original(response.slot.original);
      break;
    case Response::Kind::kNak:
      qp_.count(QpCounter::kNaksSent);
      header.opcode = packet::kRcAck;
      header.add_aeth(response.syndrome, response.msn);
      break;
    default:
      header.opcode = packet::kRcAck;
      header.add_aeth(credits(), response.msn);
      break;
  }
  responses_.pop_front();
  qp_.send(header, 0, [](std::uint8_t*) { return true; });
  return true;
}

}  // namespace roci::nic
