// SPDX-License-Identifier: Apache-2.0
#include "driver/cm/connection/transition.hpp"

namespace roci::cm {

Step Transition::apply(const Event& event) {
  const Connection before = step_.next;
  if (!std::visit([this](const auto& one) { return on(one); }, event)) {
    return {before, {}, false};
  }
  return std::move(step_);
}

void Transition::resend() { step_.actions.emplace_back(Send{*me().sent}); }

void Transition::send_until_response(const Mad& message) {
  me().sent = message;
  me().retries_left = me().retries;
  me().deadline = now_ + me().response_time;
  resend();
}

void Transition::report(News news, const Mad* mad) {
  step_.actions.emplace_back(
      Report{news, mad == nullptr ? std::nullopt : std::optional<Mad>(*mad)});
}

bool Transition::enter(State state) {
  me().state = state;
  return true;
}

bool Transition::enter_quiet(State state) {
  me().deadline = kNever;
  me().sent.reset();
  return enter(state);
}

bool Transition::enter_time_wait(const std::optional<Mad>& last) {
  me().sent = last;
  me().deadline = now_ + me().path_time;
  return enter(State::kTimeWait);
}

void Transition::send_reject(About about, Reason reason, const Data<148>& private_data) {
  Rej rej{me().local_id, me().remote_id, about, 0, reason, {}, private_data};
  if (reason == Reason::kTimeout) {  // names the sender, whose ID the peer may not know
    rej.info_length = sizeof me().local_guid;
    for (unsigned i = 0; i < sizeof me().local_guid; ++i) {
      rej.info[i] = static_cast<std::uint8_t>(me().local_guid >> (56 - 8 * i));
    }
  }
  send(rej);
}

void Transition::send_delay(About about, std::uint8_t service_timeout) {
  me().sent = mad(Mra{me().local_id, me().remote_id, about, service_timeout, {}});
  resend();
}

void Transition::send_disconnect(const Data<220>& private_data) {
  send_until_response(mad(Dreq{me().local_id, me().remote_id, me().remote_qpn, private_data}));
  enter(State::kDreqSent);
}

bool Transition::reply_to_disconnect(const Data<224>& private_data) {
  const Mad reply = mad(Drep{me().local_id, me().remote_id, private_data});
  step_.actions.emplace_back(Send{reply});
  return enter_time_wait(reply);
}

}  // namespace roci::cm
