// SPDX-License-Identifier: Apache-2.0
// Requester: the next work request, and its checks before the first packet.
#include <algorithm>

#include "model/nic/queue_pair.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::nic {
namespace {

using transport::MessageKind;

constexpr std::size_t kMostMessages = 128;  // begun and not complete
constexpr std::uint32_t kAtomicBytes = 8;

std::optional<MessageKind> kind_of(WrOp op) {
  switch (op) {
    case WrOp::kSend:
      return MessageKind::kSend;
    case WrOp::kSendImm:
      return MessageKind::kSendImm;
    case WrOp::kSendInv:
      return MessageKind::kSendInv;
    case WrOp::kWrite:
      return MessageKind::kWrite;
    case WrOp::kWriteImm:
      return MessageKind::kWriteImm;
    case WrOp::kRead:
      return MessageKind::kRead;
    case WrOp::kCmpSwap:
      return MessageKind::kCmpSwap;
    case WrOp::kFetchAdd:
      return MessageKind::kFetchAdd;
    default:
      return std::nullopt;
  }
}

}  // namespace

/// Starts the next work request. True also for one that sends no packets.
bool Requester::begin() {
  if (qp_.state == QpState::kSqd || fetched_ == producer_) return false;
  if (sent_.size() >= kMostMessages || outstanding() >= kMostOutstanding) return false;
  Message message;
  message.index = fetched_;
  message.first = next_;
  const QpAttr& attr = qp_.attr;
  if (!read_entry(qp_.engine.memory, attr.pasid, attr.sq_base, attr.sq_log, attr.sq_stride_log,
                  fetched_, &message.wqe)) {
    message.error = Status::kFatalErr;
    message.vendor = VendorErr::kLocalFetch;
  } else {
    if (message.wqe.fence && responses_awaited() != 0) return false;  // RQ-48
    const auto op = static_cast<WrOp>(message.wqe.opcode);
    const bool local = op == WrOp::kLocalInv || op == WrOp::kBindMw || op == WrOp::kRegMr;
    if (local && qp_.service != Service::kUd) return local_operation(message.wqe);
    if (check(&message)) {
      message.packets = message.atomic() ? 1 : transport::packets_of(message.wqe.length, attr.pmtu);
      if (message.read() && outstanding() + message.packets > Psn::kHalf) return false;  // RQ-11
      message.number = begun_ + 1;
      if (!may_send(message)) return false;
    }
  }
  ++fetched_;
  ++begun_;
  if (qp_.service == Service::kUd) return send_datagram(&message);
  sent_.push_back(message);
  if (message.error != Status::kSuccess) {
    settle();
    return true;
  }
  return send_packet(&sent_.back());
}

/// Executes LocalInv, BindMw or RegMr when everything before it has completed (RQ-54).
bool Requester::local_operation(const Wqe& wqe) {
  if (!sent_.empty()) return false;
  Message message;
  message.wqe = wqe;
  message.index = fetched_++;
  Completion completion;
  completion.wqe_index = message.index;
  KeyTable& keys = qp_.engine.keys;
  const std::uint16_t pd = qp_.attr.pd;
  const KeyTable::Range range{wqe.remote_addr, wqe.swap_add, static_cast<unsigned>(wqe.compare)};
  bool done = false;
  Status failure = Status::kLocQpOpErr;
  switch (static_cast<WrOp>(wqe.opcode)) {
    case WrOp::kLocalInv:
      completion.opcode = WcOp::kLocalInv;
      done = keys.invalidate(wqe.rkey, pd, qp_.number);
      break;
    case WrOp::kBindMw:
      completion.opcode = WcOp::kBindMw;
      failure = Status::kMwBindErr;
      done = keys.bind(wqe.rkey, wqe.sge[0].lkey, range, pd, qp_.number);
      break;
    default:
      completion.opcode = WcOp::kRegMr;
      done = keys.register_region(wqe.rkey, range, wqe.sge[0].addr, pd);
      break;
  }
  completed_ = fetched_;
  completion.status = done ? Status::kSuccess : failure;
  if (!done) completion.vendor_err = VendorErr::kKeyOperation;
  if (wqe.signaled || !done) qp_.complete(qp_.attr.send_cqn, completion);
  if (!done) qp_.fail_sends();
  return true;
}

/// Whether the transport service has the operation (9.2.1).
bool Requester::permitted(const Message& message) const {
  switch (qp_.service) {
    case Service::kUc:
      return !message.needs_response() && message.kind != MessageKind::kSendInv;
    case Service::kUd:
      return message.kind == MessageKind::kSend || message.kind == MessageKind::kSendImm;
    default:
      return true;
  }
}

/// Checks a message before its first packet (QP-21, RQ-43, RQ-44). False: the message has an error.
bool Requester::check(Message* message) {
  const Wqe& wqe = message->wqe;
  const auto kind = kind_of(static_cast<WrOp>(wqe.opcode));
  const unsigned inline_room =
      std::min(layout::kMaxInline, ((1u << qp_.attr.sq_stride_log) - 1) * layout::kBlockBytes);
  if (kind) message->kind = *kind;
  if (!kind || !permitted(*message) || wqe.num_sge > list_room(qp_.attr.sq_stride_log) ||
      (wqe.inline_data &&
       (wqe.num_sge != 0 || wqe.length > inline_room || message->needs_response()))) {
    message->fail_with(Status::kLocQpOpErr, VendorErr::kLocalFormat);
  } else if (wqe.length > layout::kMaxMessage ||
             (message->atomic() && wqe.length != kAtomicBytes)) {
    message->fail_with(Status::kLocLenErr, VendorErr::kLocalLength);
  } else if (message->needs_response() && qp_.attr.max_rd_atomic == 0) {
    message->fail_with(Status::kLocQpOpErr, VendorErr::kNoDepth);
  } else if (message->needs_response()) {
    const Segments target =
        find_segments(qp_.engine.keys, wqe, 0, wqe.length, qp_.attr.pd, access::kLocalWrite);
    if (target.status == Status::kLocProtErr) {
      message->fail_with(Status::kLocProtErr, VendorErr::kLocalKey);
    } else if (target.status != Status::kSuccess) {
      message->fail_with(Status::kLocLenErr, VendorErr::kLocalLength);
    }
  }
  return message->error == Status::kSuccess;
}

}  // namespace roci::nic
