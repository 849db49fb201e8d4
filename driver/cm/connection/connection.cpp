// SPDX-License-Identifier: Apache-2.0
#include "driver/cm/connection/connection.hpp"

#include "driver/cm/connection/transition.hpp"

namespace roci::cm {

Step advance(const Connection& connection, const Event& event, Time now) {
  return Transition(connection, now).apply(event);
}

Step receive_request(const Connection& fresh, const Mad& mad) {
  const Req& req = std::get<Req>(mad.message);
  Step step{fresh, {Report{News::kRequest, mad}}, true};
  Connection& me = step.next;
  me.state = State::kReqReceived;
  me.active = false;
  me.transaction_id = mad.transaction_id;
  me.remote_id = req.local_id;
  me.remote_qpn = req.qpn;
  me.retries = req.cm_retries;
  me.response_time = response_time_of(req, false);
  me.path_time = path_time_of(req);
  return step;
}

Time path_time_of(const Req& req) { return interval(req.primary.ack_timeout); }

Time response_time_of(const Req& req, bool active) {
  return interval(active ? req.remote_timeout : req.local_timeout) + path_time_of(req);
}

const char* to_string(State state) {
  constexpr const char* kNames[kStates] = {
      "Idle",         "REQ sent",       "REP wait", "REP received", "MRA (REP) sent",
      "REQ received", "MRA (REQ) sent", "REP sent", "RTU wait",     "Established",
      "DREQ sent",    "DREQ received",  "TimeWait", "Closed"};
  return kNames[static_cast<std::size_t>(state)];
}

const char* to_string(News news) {
  constexpr const char* kNames[] = {"request",      "reply",        "established",
                                    "rejected",     "unreachable",  "disconnecting",
                                    "disconnected", "TimeWait over"};
  return kNames[static_cast<std::size_t>(news)];
}

}  // namespace roci::cm
