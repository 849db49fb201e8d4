// SPDX-License-Identifier: Apache-2.0
// Requester: responses, which lead to progress, retries and completions.
#include <algorithm>

#include "model/nic/queue_pair.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::nic {
namespace {

using layout::AethKind;

constexpr std::uint8_t kCodeMask = 0x1F;
constexpr unsigned kForEver = 7;  // this value of rnr_retry means no limit (RQ-28, RQ-34)
constexpr std::size_t kAtomicBytes = 8;

}  // namespace

void Requester::response(const packet::Parsed& packet) {
  const Psn psn = packet.psn();
  if (psn.steps_from(una_) >= outstanding()) {  // RQ-16, RQ-17, RQ-22
    if (packet.bth().opcode() == packet::kRcAck && psn + 1 == una_) take_credits(packet);
    qp_.engine.drop(DropCause::kGhost);
    return;
  }
  qp_.count(QpCounter::kRxPackets);
  take_credits(packet);
  switch (packet.bth().opcode()) {
    case packet::kRcAck: {
      const std::uint8_t syndrome = packet.aeth().syndrome();
      const AethKind kind = transport::aeth_kind(syndrome);
      if (kind == AethKind::kAck) {
        acknowledge(packet);
      } else if (kind == AethKind::kRnr) {
        qp_.count(QpCounter::kNaksReceived);
        receiver_not_ready(psn, syndrome & kCodeMask);
      } else if (kind == AethKind::kNak) {
        qp_.count(QpCounter::kNaksReceived);
        nak(packet, syndrome);
      } else if (reach(owner(psn))) {  // RQ-24
        fail_front(Status::kBadRespErr, VendorErr::kResponseSyndrome);
      }
      break;
    }
    case packet::kRcAtomicAck:
      atomic_response(packet);
      break;
    default:
      read_response(packet);
      break;
  }
}

/// Returns the message that a PSN of the window belongs to.
Requester::Message* Requester::owner(Psn psn) {
  for (Message& message : sent_) {
    if (psn.in_window(message.first, message.packets)) return &message;
  }
  return nullptr;
}

/// Takes everything before `to` as acknowledged (RQ-12, RQ-14). False: a READ or atomic before `to`
/// has no response yet (RQ-13).
bool Requester::advance(Psn to) {
  while (una_.before(to) && !sent_.empty()) {
    const Message& oldest = sent_.front();
    if (oldest.needs_response()) return false;
    una_ = oldest.end().after(to) ? to : oldest.end();
    if (una_ == oldest.end()) retire();
    progressed();
  }
  return true;
}

/// Completes the oldest message.
void Requester::retire() {
  const Message message = sent_.front();
  sent_.pop_front();
  done_ = message.number;
  if (at_ > 0) --at_;
  if (cursor_.before(una_)) cursor_ = una_;
  complete(message, Status::kSuccess, VendorErr::kNone);
}

void Requester::progressed() {
  if (cursor_.before(una_)) {  // the peer acknowledged what was to be retransmitted
    cursor_ = una_;
  }
  retries_ = qp_.attr.retry_cnt;
  rnr_retries_ = qp_.attr.rnr_retry;
  returned_to_.reset();
  waiting_rnr_ = false;
  restart_timer();
  settle();
}

/// Completes the messages before `message`. False: one of them cannot complete, or the queue pair
/// has failed.
bool Requester::reach(Message* message) {
  if (message == nullptr) return false;
  const Psn first = message->first;
  if (!advance(first)) {
    retransmit_once(VendorErr::kRetryImplied);
    return false;
  }
  return !sent_.empty() && sent_.front().first == first;
}

void Requester::acknowledge(const packet::Parsed& packet) {
  const Psn psn = packet.psn();
  const Message* own = owner(psn);
  if (own == nullptr) return;
  // A READ or atomic completes by its response only: an ACK for it is ignored (RQ-40).
  const Psn to = own->needs_response() ? own->first : psn + 1;
  if (!advance(to)) retransmit_once(VendorErr::kRetryImplied);
}

/// Takes the credits of a response that acknowledges, also where one before it is missing: they
/// say which receives are posted (RQ-50).
void Requester::take_credits(const packet::Parsed& packet) {
  if (!packet.has(packet::Ext::kAeth)) return;
  const std::uint8_t syndrome = packet.aeth().syndrome();
  if (transport::aeth_kind(syndrome) != AethKind::kAck) return;
  const unsigned code = syndrome & kCodeMask;
  if (code == transport::kNoLimit) {
    limit_.reset();
  } else {
    // The MSN, of 24 bits, that is nearest to the number of the newest message retired.
    const std::int32_t ahead = Psn(packet.aeth().msn()).distance_from(Psn(done_));
    limit_ = done_ + static_cast<std::uint32_t>(ahead) + transport::credits_of(code);
  }
}

void Requester::nak(const packet::Parsed& packet, std::uint8_t code) {
  const Psn psn = packet.psn();
  if (code == syndrome::kNakSequence) {
    if (!advance(psn)) {
      retransmit_once(VendorErr::kRetryImplied);
    } else if (!sent_.empty()) {
      retransmit_once(VendorErr::kRetrySequence);
    }
    return;
  }
  if (!reach(owner(psn))) return;
  switch (code) {
    case syndrome::kNakInvalid:
      fail_front(Status::kRemInvReqErr, VendorErr::kPeerNak);
      break;
    case syndrome::kNakAccess:
      fail_front(Status::kRemAccessErr, VendorErr::kPeerNak);
      break;
    case syndrome::kNakOperational:
      fail_front(Status::kRemOpErr, VendorErr::kPeerNak);
      break;
    default:  // RQ-24
      fail_front(Status::kBadRespErr, VendorErr::kResponseSyndrome);
      break;
  }
}

void Requester::receiver_not_ready(Psn psn, unsigned code) {
  const Message* own = owner(psn);
  if (own == nullptr) return;
  if (own->needs_response() ? !reach(owner(psn)) : !advance(psn)) {
    retransmit_once(VendorErr::kRetryImplied);
    return;
  }
  if (sent_.empty() || una_ != psn || waiting_rnr_) return;
  if (rnr_retries_ == 0) {
    fail_front(Status::kRnrRetryExcErr, VendorErr::kRetryRnr);
    return;
  }
  if (rnr_retries_ != kForEver) --rnr_retries_;
  qp_.count(QpCounter::kRetries);
  cursor_ = una_;
  at_ = 0;
  waiting_rnr_ = true;
  run_timer(transport::rnr_ns(code));
}

void Requester::read_response(const packet::Parsed& packet) {
  if (packet.has(packet::Ext::kAeth)) {
    const std::uint8_t syndrome = packet.aeth().syndrome();
    if (transport::aeth_kind(syndrome) != AethKind::kAck) {
      if (reach(owner(packet.psn()))) {
        fail_front(Status::kBadRespErr, VendorErr::kResponseSyndrome);
      }
      return;
    }
  }
  if (!reach(owner(packet.psn()))) return;
  const Message& message = sent_.front();
  if (!message.read()) {
    fail_front(Status::kBadRespErr, VendorErr::kResponseKind);
    return;
  }
  if (packet.psn() != una_) {  // RQ-37
    retransmit_once(VendorErr::kRetryImplied);
    return;
  }
  const std::uint32_t step = una_.steps_from(message.first);
  const std::uint64_t offset = std::uint64_t{step} * qp_.attr.pmtu;
  const std::uint64_t left = message.wqe.length - offset;
  const bool last = step + 1 == message.packets;
  const std::uint8_t opcode = packet.bth().opcode();
  // A response begins at the PSN of its request.
  const bool may_begin = step == 0 || message.repeated;
  const bool may_go_on = step != 0;
  if (!((may_begin && opcode == transport::read_response_opcode(true, last)) ||
        (may_go_on && opcode == transport::read_response_opcode(false, last)))) {
    fail_front(Status::kBadRespErr, VendorErr::kResponseKind);
    return;
  }
  const packet::ByteView payload = packet.payload;
  if (payload.size != (last ? left : qp_.attr.pmtu)) {  // RQ-38
    fail_front(Status::kLocLenErr, VendorErr::kResponseLength);
    return;
  }
  const Segments segments = find_segments(qp_.engine.keys, message.wqe, offset, payload.size,
                                          qp_.attr.pd, access::kLocalWrite);
  if (segments.status != Status::kSuccess) {
    fail_front(Status::kLocProtErr, VendorErr::kPlaceKey);
    return;
  }
  const bool part = !last && message.wqe.num_sge == 1;
  if (!scatter(qp_.engine.memory, segments, payload.data,
               part ? MemoryUse::kPart : MemoryUse::kPayload)) {
    fail_front(Status::kFatalErr, VendorErr::kNone);
    return;
  }
  qp_.count(QpCounter::kRxBytes, payload.size);
  ++una_;
  if (last) retire();
  if (qp_.state != QpState::kErr) progressed();
}

void Requester::atomic_response(const packet::Parsed& packet) {
  if (!reach(owner(packet.psn()))) return;
  const Message& message = sent_.front();
  const std::uint8_t syndrome = packet.aeth().syndrome();
  if (!message.atomic()) {
    fail_front(Status::kBadRespErr, VendorErr::kResponseKind);
    return;
  }
  if (transport::aeth_kind(syndrome) != AethKind::kAck) {
    fail_front(Status::kBadRespErr, VendorErr::kResponseSyndrome);
    return;
  }
  const Segments segments = find_segments(qp_.engine.keys, message.wqe, 0, kAtomicBytes,
                                          qp_.attr.pd, access::kLocalWrite);
  if (segments.status != Status::kSuccess) {
    fail_front(Status::kLocProtErr, VendorErr::kPlaceKey);
    return;
  }
  std::array<std::uint8_t, kAtomicBytes> value{};
  layout::put_memory(value.data(), {0, 64}, packet.atomic_ack_eth().original());
  if (!scatter(qp_.engine.memory, segments, value.data())) {
    fail_front(Status::kFatalErr, VendorErr::kNone);
    return;
  }
  ++una_;
  retire();
  if (qp_.state != QpState::kErr) progressed();
}

/// Retransmits from the oldest unacknowledged packet; costs a retry (RQ-21, RQ-33).
void Requester::retransmit(VendorErr reason) {
  if (sent_.empty()) return;
  if (retries_ == 0) {
    fail_front(Status::kRetryExcErr, reason);
    return;
  }
  --retries_;
  qp_.count(QpCounter::kRetries);
  cursor_ = una_;
  at_ = 0;
  restart_timer();
}

/// Does the same for a NAK that a responder sends once for each gap: late copies are ignored.
void Requester::retransmit_once(VendorErr reason) {
  if (waiting_rnr_ || returned_to_ == una_) return;
  retransmit(reason);
  returned_to_ = una_;
}

void Requester::fail_front(Status status, VendorErr vendor) {
  const Message message = sent_.front();
  sent_.clear();
  at_ = 0;
  complete(message, status, vendor);
  qp_.fail_sends();
}

}  // namespace roci::nic
