// SPDX-License-Identifier: Apache-2.0
// Messages of the peer, and deadlines.
#include "driver/cm/connection/transition.hpp"

namespace roci::cm {

bool Transition::on(const Received& event) {
  return std::visit([&](const auto& message) { return receive(message, event.mad); },
                    event.mad.message);
}

/// The REQ of this connection once more.
bool Transition::receive(const Req&, const Mad&) {
  if (me().active) return false;
  if (in(State::kReqReceived, State::kMraReqSent)) {
    if (in(State::kMraReqSent)) {
      resend();
      return true;
    }
    return on(Delay{me().service_timeout});
  }
  if (!in(State::kRepSent)) return false;
  resend();
  return true;
}

bool Transition::receive(const Mra& mra, const Mad&) {
  const Time extended = now_ + interval(mra.service_timeout) + me().path_time;
  if (mra.about == About::kReq && in(State::kReqSent, State::kRepWait)) {
    me().deadline = extended;
    return enter(State::kRepWait);
  }
  if (mra.about == About::kRep && in(State::kRepSent, State::kRtuWait)) {
    me().deadline = extended;
    return enter(State::kRtuWait);
  }
  return false;
}

bool Transition::receive(const Rep& rep, const Mad& mad) {
  if (in(State::kReqSent, State::kRepWait)) {
    me().remote_id = rep.local_id;
    me().remote_qpn = rep.qpn;
    report(News::kReply, &mad);
    return enter_quiet(State::kRepReceived);
  }
  if (!me().active || rep.local_id != me().remote_id || rep.qpn != me().remote_qpn) return false;
  if (in(State::kRepReceived)) return on(Delay{me().service_timeout});
  if (!in(State::kMraRepSent, State::kEstablished)) return false;
  resend();  // the MRA, or the RTU
  return true;
}

bool Transition::receive(const Rtu&, const Mad& mad) {
  if (!in(State::kRepSent, State::kRtuWait)) return false;
  report(News::kEstablished, &mad);
  return enter_quiet(State::kEstablished);
}

bool Transition::receive(const Rej& rej, const Mad& mad) {
  switch (me().state) {
    case State::kReqSent:
    case State::kRepWait:
      report(News::kRejected, &mad);
      return rej.reason == Reason::kStale ? enter_time_wait() : enter_quiet(State::kClosed);
    case State::kReqReceived:
    case State::kMraReqSent:
      report(News::kRejected, &mad);
      return enter_quiet(State::kClosed);
    case State::kRepSent:
    case State::kRtuWait:
    case State::kRepReceived:
    case State::kMraRepSent:
    case State::kEstablished:
      report(News::kRejected, &mad);
      return enter_time_wait();
    case State::kDreqSent:
      report(News::kDisconnected);
      return enter_time_wait();
    case State::kIdle:
    case State::kDreqReceived:
    case State::kTimeWait:
    case State::kClosed:
      return false;
  }
  return false;
}

bool Transition::receive(const Dreq& dreq, const Mad& mad) {
  if (dreq.remote_qpn != me().local_qpn) return false;
  me().transaction_id = mad.transaction_id;
  switch (me().state) {
    case State::kRepSent:
    case State::kRtuWait:  // the RTU was lost
    case State::kEstablished:
      report(News::kDisconnecting, &mad);
      return enter_quiet(State::kDreqReceived);
    case State::kDreqSent:  // both sides at once
      report(News::kDisconnected);
      return reply_to_disconnect();
    case State::kDreqReceived:
      return true;  // the program has not responded yet
    case State::kTimeWait:
      if (!me().sent) return reply_to_disconnect();
      resend();
      return true;
    default:
      return false;
  }
}

bool Transition::receive(const Drep&, const Mad&) {
  if (!in(State::kDreqSent)) return false;
  report(News::kDisconnected);
  return enter_time_wait();
}

bool Transition::receive(const Lap&, const Mad&) {
  if (!in(State::kEstablished)) return false;
  send(Apr{me().local_id, me().remote_id, 0, ApStatus::kNotSupported, {}, {}});
  return true;
}

bool Transition::on(const Expired&) {
  if (me().deadline > now_) return false;
  if (in(State::kTimeWait)) {
    report(News::kTimeWaitOver);
    return enter_quiet(State::kClosed);
  }
  if (me().retries_left != 0) {
    --me().retries_left;
    me().deadline = now_ + me().response_time;
    resend();
    if (in(State::kRepWait)) enter(State::kReqSent);
    if (in(State::kRtuWait)) enter(State::kRepSent);
    return true;
  }
  if (in(State::kDreqSent)) {
    report(News::kDisconnected);
    return enter_time_wait();
  }
  report(News::kUnreachable);
  if (in(State::kReqSent, State::kRepWait)) {
    send_reject(About::kReq, Reason::kTimeout);
    return enter_quiet(State::kClosed);
  }
  send_reject(About::kRep, Reason::kTimeout);
  return enter_time_wait();
}

}  // namespace roci::cm
