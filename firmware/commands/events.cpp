// SPDX-License-Identifier: Apache-2.0
// What firmware does by itself: queue pairs of an overflowed completion queue fail, and the end of
// draining is told.
#include "firmware/commands/commands.hpp"

namespace roci::fw {

void fail_queue_pairs(Device* device, uint32_t cqn) {
  Port& port = device->port;
  for (uint32_t qpn = kFirstQpn; qpn < device->objects.num_qps; ++qpn) {
    const QueuePair& qp = device->objects.qp[qpn];
    if (!qp.used || (qp.send_cqn != cqn && qp.recv_cqn != cqn)) continue;
    uint32_t state = 0;
    if (!port.read_state(qpn, &state)) return;
    if (state == layout::kQpReset || state == layout::kQpErr) continue;
    if (!port.write_state(qpn, layout::kQpErr)) return;
    port.post_event(layout::kEventQpFatal, qpn);
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
    uint32_t state = 0;
    Block live = {};
    if (!device->port.read_row(layout::kTableQpLive, qpn, &live) ||
        !device->port.read_state(qpn, &state)) {
      return;
    }
    const bool drained = live.get(layout::qp_live::sq_idle) != 0;
    if (state == layout::kQpSqd && !drained) continue;
    // A queue pair that failed instead has told so.
    forget_drain(&objects, &qp);
    if (state == layout::kQpSqd) device->port.post_event(layout::kEventSqDrained, qpn);
  }
}

}  // namespace roci::fw
