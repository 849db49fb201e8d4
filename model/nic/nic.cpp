// SPDX-License-Identifier: Apache-2.0
#include "model/nic/nic.hpp"

#include <utility>

#include "model/spec/layout/registers.hpp"

namespace roci::nic {

Nic::Nic(const Sizes& sizes, HostMemory& memory, Outputs outputs)
    : sizes_(sizes),
      engine_(sizes, memory, std::move(outputs)),
      qps_(std::size_t{1} << sizes.log_qps),
      tx_frame_(layout::window::kTxFrameData.bytes),
      rx_window_(layout::window::kRxFrameData.bytes) {}

QueuePair* Nic::make(std::uint32_t qpn) {
  if (qpn >= qps_.size()) return nullptr;
  if (!qps_[qpn]) qps_[qpn] = std::make_unique<QueuePair>(qpn, engine_);
  return qps_[qpn].get();
}

/// Lists a queue pair that may have something to send; it gets turns until it has nothing more.
void Nic::wake(QueuePair* qp) {
  if (!std::exchange(qp->requests_queued, true)) requests_.push_back(qp->number);
  if (!qp->responder.idle() && !std::exchange(qp->responses_queued, true)) {
    responses_.push_back(qp->number);
  }
}

/// Sends a packet of the queue pair whose turn it is; its next turn comes after those of the
/// others.
bool Nic::take_turn(Turns* turns, bool responses) {
  while (!turns->empty()) {
    QueuePair* qp = find(turns->front());
    turns->pop_front();
    bool& queued = responses ? qp->responses_queued : qp->requests_queued;
    if (responses ? qp->responder.step() : qp->requester.step()) {
      turns->push_back(qp->number);
      if (engine_.outputs.stepped) engine_.outputs.stepped(qp->number, responses);
      return true;
    }
    queued = false;
  }
  return false;
}

bool Nic::step() {
  Timers::Entry due;
  while (engine_.timers.take(&due)) {
    if (due.owner == Timers::Owner::kCompletionQueue) {
      engine_.cqs.expired(due.number, engine_.timers.now());
    } else if (QueuePair* qp = find(due.number)) {
      qp->requester.timer();
      wake(qp);
    }
  }
  // Responses and requests alternate, so that neither can starve the other.
  responses_next_ = !responses_next_;
  const bool sent = responses_next_ ? take_turn(&responses_, true) || take_turn(&requests_, false)
                                    : take_turn(&requests_, false) || take_turn(&responses_, true);
  if (!engine_.looped.empty()) deliver_looped();
  return sent;
}

bool Nic::quiescent() const {
  return requests_.empty() && responses_.empty() && engine_.timers.next() > engine_.timers.now();
}

}  // namespace roci::nic
