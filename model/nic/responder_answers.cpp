// SPDX-License-Identifier: Apache-2.0
// Responder: answers, duplicates, gaps, failures.
#include <algorithm>

#include "model/nic/queue_pair.hpp"
#include "model/transport/rules.hpp"

namespace roci::nic {
/// Behind a gap: one NAK a gap (RSP-03, RSP-04).
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
  if (!read && opcode != packet::kRcCmpSwap && opcode != packet::kRcFetchAdd) {
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

/// Answers again, unless the answer is still on its way out.
void Responder::replay(const packet::Parsed& packet, const Slot& slot) {
  const bool read = slot.opcode == packet::kRcReadRequest;
  for (Answer& answer : answers_) {
    const bool same = answer.kind == (read ? Answer::Kind::kRead : Answer::Kind::kAtomic) &&
                      answer.slot.first == slot.first;
    if (!same) continue;
    if (read && answer.psn.after(packet.psn())) {
      answer.psn = packet.psn();
      answer.opens = true;
    }
    return;
  }
  Answer again;
  again.kind = read ? Answer::Kind::kRead : Answer::Kind::kAtomic;
  again.psn = packet.psn();
  again.slot = slot;
  again.msn = slot.msn;
  again.replay = true;
  answers_.push_back(again);
}

void Responder::ack(Psn psn) {
  if (answers_.empty() || answers_.back().kind != Answer::Kind::kAck) {
    answers_.emplace_back();
    answers_.back().psn = psn;
  }
  Answer& answer = answers_.back();  // RSP-11
  if (psn.after(answer.psn)) answer.psn = psn;
  answer.msn = msn_;
}

/// Syndrome of an ACK: the receives that are posted, or no limit (RSP-14, RSP-15).
std::uint8_t Responder::credits() const {
  if (!qp_.attr.credits || qp_.attr.srq) return syndrome::kAckNoCredits;
  return static_cast<std::uint8_t>(
      transport::credit_code(static_cast<std::uint16_t>(producer_ - consumer_)));
}

void Responder::nak(std::uint8_t syndrome) {
  Answer answer;
  answer.kind = Answer::Kind::kNak;
  answer.psn = epsn_;
  answer.syndrome = syndrome;
  answer.msn = msn_;
  answers_.push_back(answer);
}

/// The request at the expected PSN ends the connection: NAK once, then silence (RSP-50, RSP-51).
void Responder::fail(const Fault& fault) {
  if (receive_) {
    Completion completion;
    completion.status = fault.receive;
    completion.opcode = WcOp::kRecv;
    finish_receive(completion);
  }
  const EventKind event = fault.syndrome == syndrome::kNakOperational ? EventKind::kQpFatal
                          : fault.syndrome == syndrome::kNakAccess || fault.misaligned
                              ? EventKind::kQpAccess  // RSP-52
                              : EventKind::kQpRequest;
  nak(fault.syndrome);
  qp_.fail(event, true);
}

/// An answer cannot be given any more.
void Responder::fail_at(Psn psn, std::uint8_t syndrome, EventKind event) {
  answers_.clear();
  nak(syndrome);
  answers_.back().psn = psn;
  qp_.fail(event, true);
}

bool Responder::step() {
  if (answers_.empty()) return false;
  Answer& answer = answers_.front();
  if (answer.kind == Answer::Kind::kRead) return send_read(&answer);
  PacketHeader header;
  header.psn = answer.psn;
  switch (answer.kind) {
    case Answer::Kind::kAtomic:
      header.opcode = packet::kRcAtomicAck;
      header.add_aeth(credits(), answer.msn);
      header.add_original(answer.slot.original);
      break;
    case Answer::Kind::kNak:
      qp_.count(QpCounter::kNaksSent);
      header.opcode = packet::kRcAck;
      header.add_aeth(answer.syndrome, answer.msn);
      break;
    default:
      header.opcode = packet::kRcAck;
      header.add_aeth(credits(), answer.msn);
      break;
  }
  answers_.pop_front();
  qp_.send(header, 0, [](std::uint8_t*) { return true; });
  return true;
}

}  // namespace roci::nic
