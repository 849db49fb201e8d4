// SPDX-License-Identifier: Apache-2.0
// What a program asks of its connection.
#include "driver/cm/connection/transition.hpp"

namespace roci::cm {

bool Transition::on(const Connect& event) {
  if (!in(State::kIdle)) return false;
  Req req = event.req;
  req.local_id = me().local_id;
  me().active = true;
  me().local_guid = req.ca_guid;
  me().local_qpn = req.qpn;
  me().retries = req.cm_retries;
  me().response_time = response_time_of(req, true);
  me().path_time = path_time_of(req);
  send_until_response(mad(req, event.modifier));
  return enter(State::kReqSent);
}

bool Transition::on(const Accept& event) {
  if (!in(State::kReqReceived, State::kMraReqSent)) return false;
  Rep rep = event.rep;
  rep.local_id = me().local_id;
  rep.remote_id = me().remote_id;
  me().local_qpn = rep.qpn;
  me().local_guid = rep.ca_guid;
  send_until_response(mad(rep, event.modifier));
  return enter(State::kRepSent);
}

bool Transition::on(const Ready& event) {
  if (!in(State::kRepReceived, State::kMraRepSent)) return false;
  me().deadline = kNever;
  me().sent = mad(Rtu{me().local_id, me().remote_id, event.private_data});
  resend();
  return enter(State::kEstablished);
}

bool Transition::on(const Reject& event) {
  if (in(State::kReqReceived, State::kMraReqSent)) {
    send_reject(About::kReq, event.reason, event.private_data);
    return enter_quiet(State::kClosed);
  }
  if (in(State::kRepReceived, State::kMraRepSent)) {
    send_reject(About::kRep, event.reason, event.private_data);
    return enter_time_wait();
  }
  return false;
}

bool Transition::on(const Delay& event) {
  if (event.service_timeout > 31) return false;
  if (in(State::kReqReceived, State::kMraReqSent)) {
    send_delay(About::kReq, event.service_timeout);
    return enter(State::kMraReqSent);
  }
  if (in(State::kRepReceived, State::kMraRepSent)) {
    send_delay(About::kRep, event.service_timeout);
    return enter(State::kMraRepSent);
  }
  return false;
}

bool Transition::on(const CameAlive&) {
  if (in(State::kEstablished)) return true;
  if (!in(State::kRepSent, State::kRtuWait)) return false;
  report(News::kEstablished);
  return enter_quiet(State::kEstablished);
}

bool Transition::on(const Disconnect& event) {
  if (in(State::kDreqReceived)) return reply_to_disconnect();
  if (!in(State::kEstablished)) return false;
  send_disconnect(event.private_data);
  return true;
}

bool Transition::on(const Abandon&) {
  switch (me().state) {
    case State::kIdle:
      return enter_quiet(State::kClosed);
    case State::kReqSent:
    case State::kRepWait:
      send_reject(About::kReq, Reason::kTimeout);
      return enter_quiet(State::kClosed);
    case State::kReqReceived:
    case State::kMraReqSent:
    case State::kRepReceived:
    case State::kMraRepSent:
      return on(Reject{});
    case State::kRepSent:
    case State::kRtuWait:
      send_reject(About::kRep, Reason::kConsumer);
      return enter_time_wait();
    case State::kEstablished:
      return on(Disconnect{});
    case State::kDreqReceived:
      return reply_to_disconnect();
    case State::kDreqSent:
    case State::kTimeWait:
    case State::kClosed:
      return true;  // goes on by itself
  }
  return false;
}

}  // namespace roci::cm
