// SPDX-License-Identifier: Apache-2.0
#include "driver/cm/connection/sidr.hpp"

namespace roci::cm {
namespace {

class Transition {
 public:
  Transition(const Sidr& sidr, Time now) : now_(now) { step_.next = sidr; }

  SidrStep apply(const SidrEvent& event) {
    const Sidr before = step_.next;
    if (!std::visit([this](const auto& one) { return on(one); }, event)) {
      return {before, {}, false};
    }
    return std::move(step_);
  }

 private:
  Sidr& me() { return step_.next; }
  void resend() { step_.actions.emplace_back(Send{*me().sent}); }
  void report(News news, const Mad* mad) {
    step_.actions.emplace_back(
        Report{news, mad == nullptr ? std::nullopt : std::optional<Mad>(*mad)});
  }
  bool close() {
    me().sent.reset();
    me().deadline = kNever;
    me().state = SidrState::kClosed;
    return true;
  }

  bool on(const Resolve& event) {
    if (me().state != SidrState::kIdle) return false;
    SidrReq request = event.request;
    request.request_id = me().request_id;
    me().service_id = request.service_id;
    me().sent = Mad{me().transaction_id, 0, request};
    me().retries_left = me().retries;
    me().deadline = now_ + me().response_time;
    me().state = SidrState::kRequestSent;
    resend();
    return true;
  }

  bool on(const Respond& event) {
    if (me().state != SidrState::kRequestReceived) return false;
    SidrRep reply = event.reply;
    reply.request_id = me().request_id;
    reply.service_id = me().service_id;
    me().sent = Mad{me().transaction_id, event.modifier, reply};
    // Until the last retransmission of the peer, if it waits as long as this side would.
    me().deadline = now_ + (me().retries + Time{1}) * me().response_time;
    me().state = SidrState::kResponded;
    resend();
    return true;
  }

  bool on(const Abandon&) {
    if (me().state == SidrState::kRequestReceived) {
      SidrRep reply;
      reply.status = SidrStatus::kRejected;
      return on(Respond{reply, 0});
    }
    return me().state == SidrState::kResponded || close();
  }

  bool on(const Received& event) {
    if (std::holds_alternative<SidrReq>(event.mad.message)) return on_request(event.mad);
    const auto* reply = std::get_if<SidrRep>(&event.mad.message);
    if (reply == nullptr || me().state != SidrState::kRequestSent) return false;
    if (reply->status == SidrStatus::kValid && reply->service_id != me().service_id) return false;
    report(News::kReply, &event.mad);
    return close();
  }

  bool on_request(const Mad& mad) {
    switch (me().state) {
      case SidrState::kIdle:
        me().transaction_id = mad.transaction_id;
        me().request_id = std::get<SidrReq>(mad.message).request_id;
        me().service_id = std::get<SidrReq>(mad.message).service_id;
        me().state = SidrState::kRequestReceived;
        report(News::kRequest, &mad);
        return true;
      case SidrState::kRequestReceived:
        return true;  // the program has not responded yet
      case SidrState::kResponded:
        resend();
        return true;
      case SidrState::kRequestSent:
      case SidrState::kClosed:
        return false;
    }
    return false;
  }

  bool on(const Expired&) {
    if (me().deadline > now_) return false;
    if (me().state == SidrState::kResponded) return close();
    if (me().retries_left == 0) {
      report(News::kUnreachable, nullptr);
      return close();
    }
    --me().retries_left;
    me().deadline = now_ + me().response_time;
    resend();
    return true;
  }

  Time now_;
  SidrStep step_;
};

}  // namespace

SidrStep advance(const Sidr& sidr, const SidrEvent& event, Time now) {
  return Transition(sidr, now).apply(event);
}

}  // namespace roci::cm
