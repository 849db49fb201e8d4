// SPDX-License-Identifier: Apache-2.0
// Requester: makes packets from work requests.
#include "model/nic/requester.hpp"

#include <algorithm>

#include "model/nic/queue_pair.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::nic {
namespace {

using transport::MessageKind;

constexpr unsigned kAckEvery = 16;  // packets between two requests for an ACK (RQ-08)

WcOp completion_op(MessageKind kind) {
  switch (kind) {
    case MessageKind::kWrite:
    case MessageKind::kWriteImm:
      return WcOp::kWrite;
    case MessageKind::kRead:
      return WcOp::kRead;
    case MessageKind::kCmpSwap:
      return WcOp::kCmpSwap;
    case MessageKind::kFetchAdd:
      return WcOp::kFetchAdd;
    default:
      return WcOp::kSend;
  }
}

}  // namespace

bool Requester::Message::takes_receive() const {
  return kind == MessageKind::kSend || kind == MessageKind::kSendImm ||
         kind == MessageKind::kSendInv || kind == MessageKind::kWriteImm;
}

void Requester::reset() {
  sent_.clear();
  producer_ = fetched_ = completed_ = 0;
  start();
  deadline_ns_ = kNever;
}

void Requester::start() {
  sent_.clear();
  at_ = 0;
  una_ = cursor_ = next_ = qp_.attr.sq_psn;
  begun_ = done_ = 0;
  limit_.reset();
  since_ack_req_ = 0;
  retries_ = qp_.attr.retry_cnt;
  rnr_retries_ = qp_.attr.rnr_retry;
  returned_to_.reset();
  waiting_rnr_ = false;
  deadline_ns_ = kNever;
}

void Requester::flush() {
  sent_.clear();
  at_ = 0;
  deadline_ns_ = kNever;
  waiting_rnr_ = false;
  while (completed_ != producer_) {
    Completion flushed;
    flushed.wqe_index = completed_++;
    flushed.status = Status::kWrFlushErr;
    qp_.complete(qp_.attr.send_cqn, flushed);
  }
  fetched_ = completed_;
}

void Requester::doorbell(std::uint16_t producer) {
  if (qp_.state == QpState::kReset) return;
  producer_ = producer;
  if (qp_.state == QpState::kErr || qp_.state == QpState::kSqe) flush();
}

bool Requester::step() {
  const bool may_run = qp_.state == QpState::kRts || qp_.state == QpState::kSqd;
  if (!may_run || waiting_rnr_) return false;
  if (at_ == sent_.size()) return begin();
  Message& message = sent_[at_];
  if (message.error != Status::kSuccess || !may_send(message)) return false;
  return send_packet(&message);
}

/// Number of READs and atomics that were requested and have no response yet.
unsigned Requester::responses_awaited() const {
  unsigned count = 0;
  for (std::size_t i = 0; i < std::min(at_, sent_.size()); ++i) count += sent_[i].needs_response();
  return count;
}

/// Limits on what is outstanding: READs and atomics (RQ-09), receives of the peer (RQ-50).
bool Requester::may_send(const Message& message) const {
  if (message.needs_response()) return responses_awaited() < qp_.attr.max_rd_atomic;
  if (outstanding() >= kMostOutstanding && cursor_ == next_) return false;
  const bool limited = limit_ && static_cast<std::int32_t>(message.number - *limit_) > 0;
  if (!limited || !message.takes_receive()) return true;
  // One packet is sent as a probe; the rest follows when it is acknowledged.
  return una_.after(message.first) || (una_ == message.first && cursor_ == message.first);
}

bool Requester::send_packet(Message* message) {
  const std::uint32_t step = cursor_.steps_from(message->first);
  if (message->needs_response()) return send_request(message);
  const Wqe& wqe = message->wqe;
  const std::uint64_t offset = std::uint64_t{step} * qp_.attr.pmtu;
  const auto bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(qp_.attr.pmtu, wqe.length - offset));
  const bool first = step == 0;
  const bool last = step + 1 == message->packets;

  PacketHeader header;
  header.opcode = transport::opcode_for(message->kind, first, last);
  header.psn = cursor_;
  if (qp_.reliable()) {
    header.ack_req = last || ++since_ack_req_ >= kAckEvery || (limit_ && message->takes_receive());
    if (header.ack_req) since_ack_req_ = 0;
  } else {
    header.opcode |= packet::kUcSendFirst;
  }
  header.solicited = last && wqe.solicited && message->takes_receive();  // WIRE-43
  const bool write =
      message->kind == MessageKind::kWrite || message->kind == MessageKind::kWriteImm;
  if (write && first) header.add_reth(wqe.remote_addr, wqe.rkey, wqe.length);
  const bool word = message->kind == MessageKind::kSendImm ||
                    message->kind == MessageKind::kSendInv ||
                    message->kind == MessageKind::kWriteImm;
  if (word && last) header.add_word(wqe.imm);

  if (!send_payload(message, qp_.frames, header, offset, bytes)) {
    settle();
    return true;
  }
  ++cursor_;
  if (cursor_ == message->end()) ++at_;
  if (cursor_.after(next_)) next_ = cursor_;
  if (!qp_.reliable()) {  // UC: what was sent is done
    una_ = next_;
    if (last) retire();
  }
  restart_timer();
  return true;
}

/// Sends a packet with `bytes` of the message from `offset` on. False: the message has an error.
bool Requester::send_payload(Message* message, const FrameMaker& maker, const PacketHeader& header,
                             std::uint64_t offset, std::uint32_t bytes) {
  const Wqe& wqe = message->wqe;
  Segments segments;
  if (wqe.inline_data) {
    segments.count = bytes != 0 ? 1 : 0;
    segments.segment[0] = {wqe.address + layout::kBlockBytes + offset, qp_.attr.pasid, bytes};
  } else {
    segments = find_segments(qp_.engine.keys, wqe, offset, bytes, qp_.attr.pd, 0);
  }
  const auto fill = [&](std::uint8_t* to) { return gather(qp_.engine.memory, segments, to); };
  if (segments.status == Status::kLocProtErr) {
    message->fail_with(Status::kLocProtErr, VendorErr::kLocalKey);
  } else if (segments.status != Status::kSuccess) {
    message->fail_with(Status::kLocLenErr, VendorErr::kLocalLength);
  } else if (!qp_.send(maker, header, bytes, fill)) {
    message->fail_with(Status::kLocProtErr, VendorErr::kPayload);
  }
  return message->error == Status::kSuccess;
}

/// Sends the request of an atomic, or of a READ for the bytes that are missing (RQ-35).
bool Requester::send_request(Message* message) {
  const Wqe& wqe = message->wqe;
  PacketHeader header;
  header.opcode = transport::opcode_for(message->kind, true, true);
  header.psn = cursor_;
  header.ack_req = true;
  if (message->read()) {
    const std::uint64_t have = std::uint64_t{cursor_.steps_from(message->first)} * qp_.attr.pmtu;
    header.add_reth(wqe.remote_addr + have, wqe.rkey,
                    static_cast<std::uint32_t>(wqe.length - have));
  } else {
    header.add_atomic(wqe.remote_addr, wqe.rkey, wqe.swap_add, wqe.compare);
  }
  message->repeated |= cursor_.before(next_);
  qp_.send(header, 0, [](std::uint8_t*) { return true; });
  cursor_ = message->end();
  ++at_;
  if (cursor_.after(next_)) next_ = cursor_;
  restart_timer();
  return true;
}

/// A message that cannot be sent ends when everything before it has completed.
void Requester::settle() {
  if (sent_.empty() || sent_.front().error == Status::kSuccess) return;
  fail_front(sent_.front().error, sent_.front().vendor);
}

void Requester::complete(const Message& message, Status status, VendorErr vendor) {
  completed_ = static_cast<std::uint16_t>(message.index + 1);
  if (status == Status::kSuccess && !message.wqe.signaled) return;  // RQ-47
  Completion completion;
  completion.wqe_index = message.index;
  completion.status = status;
  completion.vendor_err = vendor;
  completion.opcode = completion_op(message.kind);
  if (message.needs_response()) completion.byte_len = message.wqe.length;
  qp_.complete(qp_.attr.send_cqn, completion);
}

void Requester::run_timer(std::uint64_t ns) {
  deadline_ns_ = qp_.engine.timers.now() + ns;
  if (deadline_ns_ < looked_at_ns_) {
    looked_at_ns_ = deadline_ns_;
    qp_.engine.timers.add(deadline_ns_, Timers::Owner::kQueuePair, qp_.number);
  }
}

void Requester::restart_timer() {
  if (waiting_rnr_) return;
  const std::uint64_t t = transport::timeout_ns(qp_.attr.timeout);
  if (una_ == next_ || t == 0) {
    deadline_ns_ = kNever;
  } else {
    run_timer(t);
  }
}

void Requester::timer() {
  const std::uint64_t now = qp_.engine.timers.now();
  if (looked_at_ns_ <= now) looked_at_ns_ = kNever;
  if (deadline_ns_ == kNever) return;
  if (deadline_ns_ > now) {
    run_timer(deadline_ns_ - now);
    return;
  }
  deadline_ns_ = kNever;
  if (qp_.state != QpState::kRts && qp_.state != QpState::kSqd) return;
  if (waiting_rnr_) {
    waiting_rnr_ = false;
    restart_timer();
    return;
  }
  qp_.count(QpCounter::kTimeouts);
  returned_to_.reset();
  retransmit(VendorErr::kRetryTimeout);
}

}  // namespace roci::nic
