// SPDX-License-Identifier: Apache-2.0
#include "model/nic/queue_pair.hpp"

#include <utility>

namespace roci::nic {

void QueuePair::set_state(QpState next) {
  if (state == QpState::kErr && next != QpState::kReset) return;
  const QpState before = std::exchange(state, next);
  switch (next) {
    case QpState::kReset:
      requester.reset();
      responder.reset();
      counters = {};
      break;
    case QpState::kRtr:
      if (before != QpState::kRtr) responder.start();
      break;
    case QpState::kRts:
      if (before == QpState::kRtr) requester.start();
      break;
    case QpState::kErr:
      if (before != QpState::kErr) enter_error(false);
      break;
    case QpState::kInit:
    case QpState::kSqd:
    case QpState::kSqe:  // entered by the adapter itself
      break;
  }
}

void QueuePair::enter_error(bool closing) {
  if (!closing) responder.silence();
  requester.flush();
  responder.flush();
}

void QueuePair::fail(EventKind kind, bool closing) {
  if (state == QpState::kReset || state == QpState::kErr) return;
  state = QpState::kErr;
  engine.events.report(kind, number);
  engine.events.post(kind, number);
  enter_error(closing);
}

void QueuePair::fail_sends() {
  if (reliable()) return fail(EventKind::kQpFatal);
  if (state != QpState::kRts && state != QpState::kSqd) return;
  state = QpState::kSqe;
  requester.flush();
}

void QueuePair::complete(std::uint32_t cqn, Completion completion) {
  completion.qpn = number;
  if (!engine.cqs.complete(cqn, completion)) fail(EventKind::kQpFatal);
}

}  // namespace roci::nic
