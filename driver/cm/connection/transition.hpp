// SPDX-License-Identifier: Apache-2.0
// The step of one event, being built. Part of connection.hpp's functions; for no other use.
#pragma once

#include <utility>

#include "driver/cm/connection/connection.hpp"

namespace roci::cm {

class Transition {
 public:
  Transition(const Connection& connection, Time now) : now_(now) { step_.next = connection; }
  Step apply(const Event& event);

 private:
  Connection& me() { return step_.next; }

  /// The state is one of these.
  template <typename... States>
  bool in(States... states) const {
    return ((step_.next.state == states) || ...);
  }

  template <typename M>
  Mad mad(const M& message, std::uint32_t modifier = 0) const {
    return {step_.next.transaction_id, modifier, message};
  }

  template <typename M>
  void send(const M& message) {
    step_.actions.emplace_back(Send{mad(message)});
  }

  void resend();
  /// Sends a message that is retransmitted until the next state.
  void send_until_response(const Mad& message);
  void report(News news, const Mad* mad = nullptr);
  bool enter(State state);
  /// Enters a state in which nothing expires.
  bool enter_quiet(State state);
  /// `last` is the response to a repeated DREQ.
  bool enter_time_wait(const std::optional<Mad>& last = std::nullopt);
  void send_reject(About about, Reason reason, const Data<148>& private_data = {});
  void send_delay(About about, std::uint8_t service_timeout);
  void send_disconnect(const Data<220>& private_data);
  bool reply_to_disconnect(const Data<224>& private_data = {});

  // The program: program_events.cpp. False: the event does not belong to the state.
  bool on(const Connect& event);
  bool on(const Accept& event);
  bool on(const Ready& event);
  bool on(const Reject& event);
  bool on(const Delay& event);
  bool on(const CameAlive& event);
  bool on(const Disconnect& event);
  bool on(const Abandon& event);

  // The network and the clock: network_events.cpp. The table has checked that the IDs are those of
  // the connection.
  bool on(const Received& event);
  bool on(const Expired& event);
  template <typename M>
  bool receive(const M&, const Mad&) {
    return false;
  }
  bool receive(const Req& req, const Mad& mad);
  bool receive(const Mra& mra, const Mad& mad);
  bool receive(const Rep& rep, const Mad& mad);
  bool receive(const Rtu& rtu, const Mad& mad);
  bool receive(const Rej& rej, const Mad& mad);
  bool receive(const Dreq& dreq, const Mad& mad);
  bool receive(const Drep& drep, const Mad& mad);
  bool receive(const Lap& lap, const Mad& mad);

  Time now_;
  Step step_;
};

}  // namespace roci::cm
