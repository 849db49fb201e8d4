// SPDX-License-Identifier: Apache-2.0
// What firmware does without a command: it moves the queue pairs of an overflowed completion queue
// to ERR, and reports the end of draining.
#include "firmware/commands/commands.hpp"

namespace roci::fw {

void fail_queue_pairs(Device* device, uint32_t cqn) {
  Port& port = device->port;
  for (uint32_t qpn = kFirstQpn; qpn < device->objects.num_qps; ++qpn) {
    const QueuePair& qp = device->objects.qp[qpn];
    if (!qp.used || (qp.send_cqn != cqn && qp.recv_cqn != cqn)) continue;
    layout::QpState state = {};
    if (!port.read_state(qpn, &state)) return;
    if (state == layout::QpState::kReset || state == layout::QpState::kErr) continue;
    if (!port.write_state(qpn, layout::QpState::kErr)) return;
    port.post_event(number(layout::EventKind::kQpFatal), qpn);
  }
}

void forget_drain(Objects* objects, QueuePair* qp) {
  if (qp->notify) --objects->drains;
  qp->notify = false;
}

void check_drains(Device* device) {
  Objects& objects = device->objects;
  for (uint32_t qpn = kFirstQpn; qpn < objects.num_qps && objects.drains != 0; ++qpn) {
    QueuePair& qp = objects.qp[qpn];
    if (!qp.notify) continue;
    layout::QpState state = {};
    Block live = {};
    if (!device->port.read_row(layout::Table::kQpLive, qpn, &live) ||
        !device->port.read_state(qpn, &state)) {
      return;
    }
    const bool drained = live.get(layout::qp_live::sq_idle) != 0;
    if (state == layout::QpState::kSqd && !drained) continue;
    // A queue pair that failed instead has raised QpFatal.
    forget_drain(&objects, &qp);
    if (state == layout::QpState::kSqd)
      device->port.post_event(number(layout::EventKind::kSqDrained), qpn);
  }
}

}  // namespace roci::fw
