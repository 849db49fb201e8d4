// SPDX-License-Identifier: Apache-2.0
// Posting and retiring work requests.
#include <cstring>
#include <stdexcept>

#include "driver/queue_pair.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver {
namespace {

constexpr std::uint64_t kAtomicBytes = 8;

/// Whether the operation stays in the adapter and sends no packets.
bool local(Opcode opcode) {
  return opcode == Opcode::kLocalInv || opcode == Opcode::kBindMw || opcode == Opcode::kRegMr;
}

/// Whether the transport service has the operation (9.2.1).
bool permitted(Service service, Opcode opcode) {
  if (service == Service::kRc || opcode == Opcode::kSend || opcode == Opcode::kSendImm) return true;
  if (service == Service::kUd) return false;
  return opcode == Opcode::kWrite || opcode == Opcode::kWriteImm || local(opcode);
}

/// Whether the engine has what the operation needs.
bool possible(const DeviceLimits& limits, Opcode opcode) {
  switch (opcode) {
    case Opcode::kCmpSwap:
    case Opcode::kFetchAdd:
      return !limits.lacks(Option::kAtomics);
    case Opcode::kLocalInv:
    case Opcode::kBindMw:
    case Opcode::kRegMr:
      return !limits.lacks(Option::kKeyOps);
    default:
      return true;
  }
}

}  // namespace

PostError QueuePair::check(const SendRequest& request) const {
  if (context_.device().gone()) return PostError::kGone;
  // A queue pair enters SQE by itself, so the state here is RTS then.
  if (state_ != QpState::kRts && state_ != QpState::kSqd && state_ != QpState::kErr) {
    return PostError::kState;
  }
  if (!permitted(service_, request.opcode) && !(lenient_ && !local(request.opcode))) {
    return PostError::kOpcode;
  }
  if (!possible(context_.limits(), request.opcode)) return PostError::kUnsupported;
  if (send_.room() == 0) return PostError::kQueueFull;
  if (request.sges.size() > send_sges_) return PostError::kSges;
  const std::uint64_t bytes = list_bytes(request.sges);
  switch (request.opcode) {
    case Opcode::kSend:
    case Opcode::kSendImm:
    case Opcode::kSendInv:
    case Opcode::kWrite:
    case Opcode::kWriteImm:
      if (request.inline_data != nullptr &&
          (request.inline_bytes > max_inline_ || !request.sges.empty())) {
        return PostError::kInline;
      }
      break;
    case Opcode::kRead:
      if (request.inline_data != nullptr) return PostError::kInline;
      break;
    case Opcode::kCmpSwap:
    case Opcode::kFetchAdd:
      if (request.inline_data != nullptr) return PostError::kInline;
      if (!lenient_ && bytes != kAtomicBytes) return PostError::kAtomic;
      break;
    case Opcode::kLocalInv:
    case Opcode::kBindMw:
    case Opcode::kRegMr:
      if (request.inline_data != nullptr) return PostError::kInline;
      if (!request.sges.empty()) return PostError::kSges;
      break;
    default:
      return PostError::kOpcode;
  }
  return bytes > layout::kMaxMessage ? PostError::kLength : PostError::kNone;
}

void QueuePair::write(const SendRequest& request) {
  const bool inlined = request.inline_data != nullptr && request.inline_bytes != 0;
  std::uint8_t* wqe = send_.entry(send_.head);
  std::memset(wqe, 0, layout::kBlockBytes);
  put(wqe, layout::wqe::opcode, request.opcode);
  put(wqe, layout::wqe::signaled, request.signaled);
  put(wqe, layout::wqe::solicited, request.solicited);
  put(wqe, layout::wqe::fence, request.fence);
  put(wqe, layout::wqe::inline_data, inlined);
  put(wqe, layout::wqe::num_sge, request.sges.size());
  put(wqe, layout::wqe::imm, request.imm);
  put(wqe, layout::wqe::length, inlined ? request.inline_bytes : list_bytes(request.sges));
  if (service_ == Service::kUd) {
    put(wqe, layout::ud_wqe::qkey, request.qkey);
    put(wqe, layout::ud_wqe::dest_qpn, request.remote_qpn);
    put(wqe, layout::ud_wqe::ah, request.ah);
  } else {
    put(wqe, layout::wqe::rkey, request.remote_key);
    put(wqe, layout::wqe::remote_addr, request.remote_address);
    put(wqe, layout::wqe::swap_add, request.swap_add);
    put(wqe, layout::wqe::compare, request.compare);
  }
  if (inlined) {
    std::memcpy(wqe + layout::kBlockBytes, request.inline_data, request.inline_bytes);
  } else {
    put_list(wqe, request.sges);
  }
  if (request.opcode == Opcode::kBindMw) {
    put(wqe, layout::wqe::sge0_lkey, request.region_key);
  } else if (request.opcode == Opcode::kRegMr) {
    put(wqe, layout::wqe::sge0_addr, request.dma_address);
  }
}

PostResult QueuePair::post_send(const SendRequest* requests, std::size_t count) {
  PostResult result;
  while (result.posted < count) {
    const SendRequest& request = requests[result.posted];
    result.error = check(request);
    if (result.error != PostError::kNone) break;
    write(request);
    send_.ids[send_.head & (send_.ids.size() - 1)] = request.id;
    context_.observer().send_posted(number_, send_.head, request);
    ++send_.head;
    ++result.posted;
  }
  if (result.posted == 1 && posts_) write_post(static_cast<std::uint16_t>(send_.head - 1));
  if (result.posted != 0) ring_doorbell(layout::sq_doorbell_offset(number_), send_.head);
  return result;
}

void QueuePair::write_post(std::uint16_t index) {
  const std::size_t bytes = std::size_t{layout::kBlockBytes} << send_.stride_log;
  if (bytes > layout::kPostBytes) return;
  context_.device().write_words(layout::post_offset(number_), send_.entry(index), bytes);
}

PostResult QueuePair::post_receive(const ReceiveRequest* requests, std::size_t count) {
  PostResult result;
  while (result.posted < count) {
    const ReceiveRequest& request = requests[result.posted];
    if (context_.device().gone()) {
      result.error = PostError::kGone;
    } else if (srq_ != nullptr) {
      result.error = PostError::kShared;
    } else if (state_ == QpState::kReset) {
      result.error = PostError::kState;
    } else if (receive_.room() == 0) {
      result.error = PostError::kQueueFull;
    } else if (request.sges.size() > receive_sges_) {
      result.error = PostError::kSges;
    } else if (list_bytes(request.sges) > layout::kMaxMessage) {
      result.error = PostError::kLength;
    }
    if (result.error != PostError::kNone) break;
    put_receive(receive_.entry(receive_.head), request, 0);
    receive_.ids[receive_.head & (receive_.ids.size() - 1)] = request.id;
    context_.observer().receive_posted(number_, receive_.head, request);
    ++receive_.head;
    ++result.posted;
  }
  if (result.posted != 0) ring_doorbell(layout::rq_doorbell_offset(number_), receive_.head);
  return result;
}

void QueuePair::send(const SendRequest& request) {
  const PostResult result = post_send(&request, 1);
  if (result.error == PostError::kUnsupported) {
    throw Error(AdminStatus::kUnsupported, 0, text_of(result.error));
  }
  if (!result) throw std::runtime_error(text_of(result.error));
}

void QueuePair::receive(const ReceiveRequest& request) {
  const PostResult result = post_receive(&request, 1);
  if (!result) throw std::runtime_error(text_of(result.error));
}

void QueuePair::ring_doorbell(std::uint32_t address, std::uint16_t head) {
  entries_before_doorbell();
  context_.device().write32(address, head);
}

std::uint64_t QueuePair::retire(bool receive_queue, std::uint16_t index) {
  if (receive_queue && srq_ != nullptr) return srq_->retire(index);
  Ring& ring = receive_queue ? receive_ : send_;
  const auto distance = static_cast<std::uint16_t>(index - ring.tail);
  if (distance >= ring.used()) {
    throw Error(AdminStatus::kHardwareError, 0,
                "queue pair " + std::to_string(number_) + " completed request " +
                    std::to_string(index) + (receive_queue ? " of its receive" : " of its send") +
                    " queue, which is not outstanding");
  }
  ring.tail = static_cast<std::uint16_t>(index + 1);
  return ring.ids[index & (ring.ids.size() - 1)];
}

void QueuePair::flush(const CompletionQueue& cq, std::deque<Completion>& out) {
  Completion flushed;
  flushed.status = Status::kWrFlushErr;
  flushed.qpn = number_;
  const auto add = [&](std::uint64_t id) {
    flushed.id = id;
    out.push_back(flushed);
  };
  if (&send_cq_ == &cq) send_.flush(add);
  flushed.receive = true;
  flushed.opcode = WcOpcode::kRecv;
  if (&receive_cq_ == &cq && srq_ == nullptr) receive_.flush(add);
}

}  // namespace roci::driver
