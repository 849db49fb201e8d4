// SPDX-License-Identifier: Apache-2.0
// Responder: execution of requests at the expected PSN.
#include "model/nic/responder.hpp"

#include <algorithm>
#include <utility>

#include "model/nic/queue_pair.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/transport/rules.hpp"

namespace roci::nic {
namespace {

using packet::is_atomic;
using packet::is_send;
using packet::is_write;

constexpr std::uint32_t kMsnMask = 0xFFFFFF;

}  // namespace

void Responder::reset() {
  start();
  producer_ = consumer_ = 0;
}

void Responder::start() {
  epsn_ = qp_.attr.rq_psn;
  last_ = epsn_ - 1;
  msn_ = 0;
  in_ = In::kNothing;
  receive_.reset();
  nak_sent_ = established_ = false;
  slots_.clear();
  responses_.clear();
}

void Responder::silence() { responses_.clear(); }

void Responder::flush() {
  Completion flushed;
  flushed.status = Status::kWrFlushErr;
  flushed.opcode = WcOp::kRecv;
  const bool srq = qp_.attr.srq;
  if (receive_) finish_receive(flushed);
  while (!srq && consumer_ != producer_) {
    flushed.wqe_index = consumer_++;
    qp_.complete(qp_.attr.recv_cqn, flushed);
  }
  in_ = In::kNothing;
  if (srq) qp_.engine.events.post(EventKind::kQpLastWqe, qp_.number);  // QP-16
}

void Responder::doorbell(std::uint16_t producer) {
  if (qp_.state == QpState::kReset || qp_.attr.srq) return;
  producer_ = producer;
  if (qp_.state != QpState::kErr) return;
  Completion flushed;  // QP-11
  flushed.status = Status::kWrFlushErr;
  flushed.opcode = WcOp::kRecv;
  while (consumer_ != producer_) {
    flushed.wqe_index = consumer_++;
    qp_.complete(qp_.attr.recv_cqn, flushed);
  }
}

void Responder::request(const packet::Parsed& packet) {
  if (qp_.service == Service::kUc) return unacknowledged(packet);
  if (qp_.service == Service::kUd) return unconnected(packet);
  const std::int32_t distance = packet.psn().distance_from(epsn_);
  if (distance > 0) {
    ahead();
  } else if (distance < 0) {
    duplicate(packet);
  } else {
    expected(packet);
  }
}

/// Checks the rules in the order of 9.7.4.1 (RSP-02); the first violated one decides.
void Responder::expected(const packet::Parsed& packet) {
  nak_sent_ = false;
  const std::uint8_t opcode = packet.bth().opcode();
  if (!in_sequence(*packet.op, opcode)) return fail({syndrome::kNakInvalid, Status::kRemInvReqErr});
  if (!allowed(opcode)) return fail({syndrome::kNakInvalid, Status::kRemInvReqErr});
  if (is_send(opcode)) {
    send(packet);
  } else if (is_write(opcode)) {
    write(packet);
  } else if (opcode == packet::kRcReadRequest) {
    read(packet);
  } else {
    atomic(packet);
  }
}

bool Responder::in_sequence(const packet::OpcodeInfo& info, std::uint8_t opcode) const {
  if (in_ == In::kNothing) return info.start;
  return !info.start && (in_ == In::kSend ? is_send(opcode) : is_write(opcode));  // RSP-22
}

/// Checks the access rights of the queue pair (RSP-24, RSP-39).
bool Responder::allowed(std::uint8_t opcode) const {
  if (is_send(opcode)) return true;
  const unsigned right = is_write(opcode)    ? access::kRemoteWrite
                         : is_atomic(opcode) ? access::kRemoteAtomic
                                             : access::kRemoteRead;
  if ((qp_.attr.access & right) == 0) return false;
  return is_write(opcode) || qp_.attr.max_dest_rd_atomic != 0;
}

/// Takes the next receive. One whose entry cannot be read is kept too, to complete in error.
Taken Responder::next_receive() {
  Receive taken;
  Taken result = Taken::kEmpty;
  const QpAttr& attr = qp_.attr;
  if (attr.srq) {
    result = qp_.engine.srqs.take(attr.srqn, &taken.wqe, &taken.pd);
    taken.index = static_cast<std::uint16_t>(taken.wqe.imm);
  } else if (consumer_ != producer_) {
    taken.index = consumer_++;
    taken.pd = attr.pd;
    const bool good = read_entry(qp_.engine.memory, attr.pasid, attr.rq_base, attr.rq_log,
                                 attr.rq_stride_log, taken.index, &taken.wqe);
    if (good && taken.wqe.num_sge > list_room(attr.rq_stride_log)) {
      taken.wqe.num_sge = layout::kMaxSge + 1;
    }
    result = good ? Taken::kYes : Taken::kBroken;
    if (!good) receive_ = taken;
  }
  if (result == Taken::kYes) receive_ = taken;
  return result;
}

/// Takes a receive, or sends an RNR NAK when there is none. False: the request is not executed now.
bool Responder::take_receive() {
  const Taken result = next_receive();
  if (result == Taken::kEmpty) {
    nak(static_cast<std::uint8_t>(syndrome::kRnrNak | qp_.attr.min_rnr_timer));  // RSP-16
    nak_sent_ = true;                                                            // RSP-05
    return false;
  }
  if (result == Taken::kBroken) {
    fail({syndrome::kNakOperational, Status::kFatalErr});
    return false;
  }
  return true;
}

void Responder::send(const packet::Parsed& packet) {
  const packet::OpcodeInfo& info = *packet.op;
  if (info.start) {
    if (!take_receive()) return;
    bytes_ = 0;
  }
  if (const auto fault = place_send(packet)) return fail(*fault);
  in_ = In::kSend;
  const std::uint8_t opcode = packet.bth().opcode();
  const bool invalidates = opcode == packet::kRcSendLastInv || opcode == packet::kRcSendOnlyInv;
  if (invalidates && !qp_.engine.keys.invalidate(packet.ieth().rkey(), qp_.attr.pd, qp_.number)) {
    return end_silently(Status::kLocAccessErr);  // RSP-47
  }
  executed(packet, info.end);
  if (info.end) complete_receive(WcOp::kRecv, packet);
}

/// What is acknowledged has been written.
MemoryUse Responder::use_of(const packet::Parsed& packet) const {
  return packet.op->end || packet.bth().ack_req() ? MemoryUse::kPayload : MemoryUse::kPart;
}

/// Checks length and list of a SEND packet and writes its payload to memory.
std::optional<Responder::Fault> Responder::place_send(const packet::Parsed& packet) {
  const packet::OpcodeInfo& info = *packet.op;
  const std::uint64_t bytes = packet.payload.size;
  const std::uint32_t pmtu = qp_.attr.pmtu;
  // RSP-25
  const bool fits = info.end ? bytes <= pmtu && (info.start || bytes != 0) : bytes == pmtu;
  if (!fits || bytes_ + bytes > layout::kMaxMessage) {
    return Fault{syndrome::kNakInvalid, Status::kRemInvReqErr};
  }
  if (receive_->wqe.num_sge > layout::kMaxSge) {
    return Fault{syndrome::kNakOperational, Status::kLocQpOpErr};
  }
  const Segments segments = find_segments(qp_.engine.keys, receive_->wqe, bytes_, bytes,
                                          receive_->pd, access::kLocalWrite);
  if (segments.status == Status::kLocLenErr)
    return Fault{syndrome::kNakInvalid, Status::kLocLenErr};
  if (segments.status != Status::kSuccess) return Fault{syndrome::kNakOperational, segments.status};
  const MemoryUse use = receive_->wqe.num_sge == 1 ? use_of(packet) : MemoryUse::kPayload;
  if (!scatter(qp_.engine.memory, segments, packet.payload.data, use)) {
    return Fault{syndrome::kNakOperational, Status::kFatalErr};
  }
  bytes_ += bytes;
  return std::nullopt;
}

void Responder::write(const packet::Parsed& packet) {
  const packet::OpcodeInfo& info = *packet.op;
  const bool immediate = packet.has(packet::Ext::kImmDt);
  if (immediate && !take_receive()) return;  // RSP-17
  if (info.start) {
    const packet::Reth reth = packet.reth();
    write_va_ = reth.va();
    write_left_ = reth.dma_length();
    write_rkey_ = reth.rkey();
    bytes_ = 0;
  }
  if (const auto fault = check_write(packet)) return fail(*fault);
  if (const auto fault = place_write(packet)) return fail(*fault);
  in_ = In::kWrite;
  executed(packet, info.end);
  if (immediate) complete_receive(WcOp::kRecvWriteImm, packet);
}

/// Writes the payload of a WRITE packet to memory.
std::optional<Responder::Fault> Responder::place_write(const packet::Parsed& packet) {
  const std::size_t bytes = packet.payload.size;
  if (bytes != 0) {
    const Place place = qp_.engine.keys.remote(write_rkey_, write_va_, bytes, qp_.attr.pd,
                                               access::kRemoteWrite, qp_.number);
    if (!place.ok) return Fault{syndrome::kNakAccess, Status::kLocAccessErr};
    if (!qp_.engine.memory.write(place.pasid, place.addr, packet.payload.data, bytes,
                                 use_of(packet))) {
      return Fault{syndrome::kNakOperational, Status::kFatalErr};
    }
  }
  write_va_ += bytes;
  write_left_ -= bytes;
  bytes_ += bytes;
  return std::nullopt;
}

/// Checks the lengths of a WRITE (RSP-26 to RSP-28), then the key for the whole message (RSP-29,
/// RSP-31).
std::optional<Responder::Fault> Responder::check_write(const packet::Parsed& packet) {
  const packet::OpcodeInfo& info = *packet.op;
  const std::uint64_t bytes = packet.payload.size;
  const std::uint32_t pmtu = qp_.attr.pmtu;
  const bool fits = info.end ? bytes == write_left_ && bytes <= pmtu && (info.start || bytes != 0)
                             : bytes == pmtu && write_left_ > pmtu;
  if (!fits || write_left_ > layout::kMaxMessage) {
    return Fault{syndrome::kNakInvalid, Status::kRemInvReqErr};
  }
  if (info.start && write_left_ != 0 &&
      !qp_.engine.keys
           .remote(write_rkey_, write_va_, write_left_, qp_.attr.pd, access::kRemoteWrite,
                   qp_.number)
           .ok) {
    return Fault{syndrome::kNakAccess, Status::kLocAccessErr};
  }
  return std::nullopt;
}

/// Ends the execution of a SEND or WRITE packet.
void Responder::executed(const packet::Parsed& packet, bool ends) {
  qp_.count(QpCounter::kRxPackets);
  qp_.count(QpCounter::kRxBytes, packet.payload.size);
  last_ = epsn_;
  ++epsn_;
  if (ends) {
    msn_ = (msn_ + 1) & kMsnMask;
    in_ = In::kNothing;
  }
  if (!std::exchange(established_, true) && qp_.state == QpState::kRtr) {  // RSP-53
    qp_.engine.events.post(EventKind::kCommEst, qp_.number);
  }
  if (packet.bth().ack_req() && qp_.reliable()) ack(last_);
}

void Responder::complete_receive(WcOp opcode, const packet::Parsed& packet) {
  Completion completion;
  completion.opcode = opcode;
  completion.byte_len = static_cast<std::uint32_t>(bytes_);
  if (qp_.service == Service::kUd) {
    completion.src_qp = packet.deth().src_qp();
    completion.with_grh = true;
  }
  completion.solicited = packet.bth().solicited();
  if (packet.has(packet::Ext::kImmDt)) {
    completion.with_imm = true;
    completion.imm = packet.imm_dt().immediate();
  } else if (packet.has(packet::Ext::kIeth)) {
    completion.with_inv = true;
    completion.imm = packet.ieth().rkey();
  }
  finish_receive(completion);
}

void Responder::finish_receive(Completion completion) {
  completion.wqe_index = receive_->index;
  receive_.reset();
  qp_.complete(qp_.attr.recv_cqn, completion);
}

}  // namespace roci::nic
