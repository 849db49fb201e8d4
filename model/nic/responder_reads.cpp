// SPDX-License-Identifier: Apache-2.0
// Responder: execution of READs and atomics.
#include <algorithm>
#include <utility>

#include "model/nic/queue_pair.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/transport/rules.hpp"

namespace roci::nic {
namespace {

constexpr std::size_t kAtomicBytes = 8;
constexpr std::uint32_t kMsnMask = 0xFFFFFF;

}  // namespace

/// Whether another READ or atomic may wait for its response (RSP-38). Replays do not count: the
/// peer may have received the response after it repeated the request.
bool Responder::room_for_response() const {
  const auto waiting = std::count_if(responses_.begin(), responses_.end(), [](const Response& a) {
    return !a.replay && (a.kind == Response::Kind::kRead || a.kind == Response::Kind::kAtomic);
  });
  return waiting < qp_.attr.max_dest_rd_atomic;
}

void Responder::read(const packet::Parsed& packet) {
  const packet::Reth reth = packet.reth();
  if (!room_for_response() || reth.dma_length() > layout::kMaxMessage) {
    return fail({syndrome::kNakInvalid, Status::kRemInvReqErr});
  }
  if (reth.dma_length() != 0 && !qp_.engine.keys
                                     .remote(reth.rkey(), reth.va(), reth.dma_length(), qp_.attr.pd,
                                             access::kRemoteRead, qp_.number)
                                     .ok) {
    return fail({syndrome::kNakAccess, Status::kLocAccessErr});
  }
  Slot slot;
  slot.opcode = packet::kRcReadRequest;
  slot.first = epsn_;
  slot.last = epsn_ + (transport::packets_of(reth.dma_length(), qp_.attr.pmtu) - 1);
  slot.va = reth.va();
  slot.rkey = reth.rkey();
  slot.bytes = reth.dma_length();
  remember(slot, Response::Kind::kRead);
}

void Responder::atomic(const packet::Parsed& packet) {
  const packet::AtomicEth eth = packet.atomic_eth();
  if (!room_for_response()) return fail({syndrome::kNakInvalid, Status::kRemInvReqErr});
  if (eth.va() % kAtomicBytes != 0) {  // RSP-41, RSP-52
    return fail({syndrome::kNakInvalid, Status::kRemInvReqErr, true});
  }
  const Place place = qp_.engine.keys.remote(eth.rkey(), eth.va(), kAtomicBytes, qp_.attr.pd,
                                             access::kRemoteAtomic, qp_.number);
  if (!place.ok) return fail({syndrome::kNakAccess, Status::kLocAccessErr});
  Slot slot;
  slot.opcode = packet.bth().opcode();
  slot.first = slot.last = epsn_;
  slot.va = eth.va();
  slot.rkey = eth.rkey();
  slot.swap_add = eth.swap_add();
  slot.compare = eth.compare();
  std::array<std::uint8_t, kAtomicBytes> word{};
  if (!qp_.engine.memory.read(place.pasid, place.addr, word.data(), word.size(),
                              MemoryUse::kBlock)) {
    return fail({syndrome::kNakOperational, Status::kFatalErr});
  }
  slot.original = layout::get_memory(word.data(), {0, 64});
  const bool add = slot.opcode == packet::kRcFetchAdd;
  if (add || slot.original == slot.compare) {  // RSP-40
    layout::put_memory(word.data(), {0, 64}, add ? slot.original + slot.swap_add : slot.swap_add);
    if (!qp_.engine.memory.write(place.pasid, place.addr, word.data(), word.size(),
                                 MemoryUse::kAtomic)) {
      return fail({syndrome::kNakOperational, Status::kFatalErr});
    }
  }
  remember(slot, Response::Kind::kAtomic);
}

/// Queues the response of an accepted READ or atomic, and keeps the request for replay.
void Responder::remember(const Slot& slot, Response::Kind kind) {
  qp_.count(QpCounter::kRxPackets);
  msn_ = (msn_ + 1) & kMsnMask;
  epsn_ = slot.last + 1;  // RSP-33
  if (!std::exchange(established_, true) && qp_.state == QpState::kRtr) {
    qp_.engine.events.post(EventKind::kCommEst, qp_.number);
  }
  Response response;
  response.kind = kind;
  response.psn = slot.first;
  response.slot = slot;
  response.msn = response.slot.msn = msn_;
  slots_.push_back(response.slot);
  while (slots_.size() > qp_.attr.max_dest_rd_atomic) {
    // The peer sent this request, so it has the response to that one.
    const Psn forgotten = slots_.front().first;
    responses_.erase(
        std::remove_if(responses_.begin(), responses_.end(),
                       [&](const Response& a) { return a.replay && a.slot.first == forgotten; }),
        responses_.end());
    slots_.pop_front();
  }
  responses_.push_back(response);
}

/// Sends one packet of a READ response, with the present content of memory.
bool Responder::send_read(Response* response) {
  const Slot& slot = response->slot;
  const std::uint64_t offset = std::uint64_t{response->psn.steps_from(slot.first)} * qp_.attr.pmtu;
  const auto bytes =
      static_cast<std::size_t>(std::min<std::uint64_t>(qp_.attr.pmtu, slot.bytes - offset));
  const bool last = response->psn == slot.last;
  PacketHeader header;
  header.opcode = transport::read_response_opcode(response->opens, last);
  header.psn = response->psn;
  if (response->opens || last) header.add_aeth(credits(), response->msn);
  Place place;
  if (bytes != 0) {
    // The key may have been invalidated since the READ was accepted (MR-07).
    place = qp_.engine.keys.remote(slot.rkey, slot.va + offset, bytes, qp_.attr.pd,
                                   access::kRemoteRead, qp_.number);
    if (!place.ok && response->replay) {
      // A late duplicate: the READ may have completed, and its key may be invalid since (RSP-35).
      qp_.engine.drop(DropCause::kDuplicate);
      responses_.pop_front();
      return true;
    }
    if (!place.ok) {
      fail_at(response->psn, syndrome::kNakAccess, EventKind::kQpAccess);
      return true;
    }
  }
  const bool sent = qp_.send(header, bytes, [&](std::uint8_t* to) {
    return bytes == 0 ||
           qp_.engine.memory.read(place.pasid, place.addr, to, bytes, MemoryUse::kPayload);
  });
  if (!sent) {
    fail_at(response->psn, syndrome::kNakOperational, EventKind::kQpFatal);  // RSP-56
    return true;
  }
  if (last) {
    responses_.pop_front();
  } else {
    ++response->psn;
    response->opens = false;
  }
  return true;
}

}  // namespace roci::nic
