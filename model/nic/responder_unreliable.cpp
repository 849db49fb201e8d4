// SPDX-License-Identifier: Apache-2.0
// Responder of UC and UD: no responses. What cannot be delivered is dropped silently, and the
// receive that it held serves the next message. Only a fault of the receive itself, which the
// program made, or of the memory of a WRITE ends the queue pair: no packet can do that.
#include <algorithm>
#include <array>

#include "model/nic/queue_pair.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::nic {
namespace {

using packet::is_send;

constexpr std::uint8_t kOperation = 0x1F;  // bits of an opcode that name the same operation in RC
constexpr std::size_t kGrhBytes = packet::Ipv6::kBytes;

/// What the first 40 bytes of a datagram's buffer hold (A17): an IPv6 header, or an IPv4 header in
/// the last 20.
void put_grh(const packet::Parsed& packet, std::uint8_t* to) {
  const std::size_t bytes = packet.ipv6 ? packet::Ipv6::kBytes : packet::Ipv4::kBytes;
  std::copy_n(packet.frame.data + packet.ip_at, bytes, to + kGrhBytes - bytes);
}

}  // namespace

/// Completes the receive in error and ends the queue pair (10.3.1).
bool Responder::fail_receive(Status status) {
  in_ = In::kNothing;
  if (receive_) end_receive(status);
  qp_.fail(EventKind::kQpFatal);
  return false;
}

/// Holds a receive: that of a message that was dropped, or the next one. False: there is none.
bool Responder::hold_receive() {
  if (receive_) return true;
  const Taken taken = next_receive();
  if (taken == Taken::kBroken) return fail_receive(Status::kFatalErr);
  return taken == Taken::kYes;
}

/// UD: a packet is a message; its PSN is not checked (UD-01).
void Responder::unconnected(const packet::Parsed& packet) {
  if (packet.deth().qkey() != qp_.qkey) {  // UD-03
    return qp_.engine.count_port(layout::number(layout::PortCounter::kQkeyViolations));
  }
  const std::size_t bytes = packet.payload.size;
  if (bytes > qp_.attr.pmtu || !hold_receive()) return qp_.engine.discard();  // UD-08
  if (receive_->wqe.num_sge > layout::kMaxSge) {
    fail_receive(Status::kLocQpOpErr);
    return;
  }
  const Segments segments = find_segments(qp_.engine.keys, receive_->wqe, 0, kGrhBytes + bytes,
                                          receive_->pd, access::kLocalWrite);
  if (segments.status == Status::kLocLenErr) return qp_.engine.discard();  // UD-09
  packet::Bytes message(kGrhBytes + bytes);
  put_grh(packet, message.data());
  std::copy_n(packet.payload.data, bytes, message.data() + kGrhBytes);
  if (segments.status != Status::kSuccess) {
    fail_receive(segments.status);
    return;
  }
  if (!scatter(qp_.engine.memory, segments, message.data())) {
    fail_receive(Status::kFatalErr);
    return;
  }
  bytes_ = message.size();
  qp_.count(QpCounter::kRxPackets);
  qp_.count(QpCounter::kRxBytes, bytes);
  complete_receive(WcOp::kRecv, packet);
}

/// UC: a first or only packet begins a message whatever its PSN; any other must be the next one of
/// the message in progress, or the rest of the message is dropped (UC-02, UC-03).
void Responder::unacknowledged(const packet::Parsed& packet) {
  const packet::OpcodeInfo& info = *packet.op;
  const std::uint8_t operation = packet.bth().opcode() & kOperation;
  if (info.start) {
    epsn_ = packet.psn();
    in_ = In::kNothing;
    bytes_ = 0;
  } else if (packet.psn() != epsn_ || in_ != (is_send(operation) ? In::kSend : In::kWrite)) {
    in_ = In::kNothing;
    return qp_.engine.discard();
  }
  if (is_send(operation) ? deliver_send(packet) : deliver_write(packet)) {
    executed(packet, info.end);
    if (!info.end) return;
    if (is_send(operation)) {
      complete_receive(WcOp::kRecv, packet);
    } else if (packet.has(packet::Ext::kImmDt)) {
      complete_receive(WcOp::kRecvWriteImm, packet);
    }
  } else if (qp_.state != QpState::kErr) {
    in_ = In::kNothing;
    if (info.start) ++epsn_;
    qp_.engine.discard();
  }
}

/// Returns whether the packet was placed; false: its message is dropped, or the receive failed.
bool Responder::deliver_send(const packet::Parsed& packet) {
  if (!hold_receive()) return false;  // UC-04
  in_ = In::kSend;
  const auto fault = place_send(packet);
  if (!fault) return true;
  const bool of_packet =
      fault->receive == Status::kRemInvReqErr || fault->receive == Status::kLocLenErr;  // UC-05
  return of_packet ? false : fail_receive(fault->receive);
}

bool Responder::deliver_write(const packet::Parsed& packet) {
  if ((qp_.attr.access & access::kRemoteWrite) == 0) return false;
  if (packet.op->start) {
    const packet::Reth reth = packet.reth();
    write_va_ = reth.va();
    write_left_ = reth.dma_length();
    write_rkey_ = reth.rkey();
  }
  if (check_write(packet)) return false;
  if (packet.has(packet::Ext::kImmDt) && !hold_receive()) return false;
  if (const auto fault = place_write(packet)) {
    // Lost data must not pass as delivered: a failure of local memory is reported (9.9.3).
    if (fault->receive != Status::kFatalErr) return false;
    if (packet.has(packet::Ext::kImmDt)) return fail_receive(Status::kFatalErr);
    qp_.fail(EventKind::kQpFatal);
    return false;
  }
  in_ = In::kWrite;
  return true;
}

}  // namespace roci::nic
