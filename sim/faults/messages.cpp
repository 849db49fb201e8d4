// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/messages.hpp"

#include <algorithm>

#include "model/spec/layout/codes.hpp"
#include "model/transport/rules.hpp"

namespace roci::sim::faults {

const Messages::Flow* Messages::find(const FlowName& name, const Requester& requester) const {
  const auto found = flows_.find(name);
  const bool same = found != flows_.end() && found->second.generation == requester.generation;
  return same ? &found->second : nullptr;
}

const Messages::Message* Messages::holding(const Flow& flow, transport::Psn psn) {
  const auto found =
      std::find_if(flow.messages.rbegin(), flow.messages.rend(), [&](const Message& message) {
        return psn.in_window(message.first, message.last.steps_from(message.first) + 1);
      });
  return found == flow.messages.rend() ? nullptr : &*found;
}

void Messages::sent(const FlowName& name, const Requester& requester,
                    const packet::Parsed& request) {
  Flow& flow = flows_[name];
  if (flow.messages.empty() || flow.generation != requester.generation) {
    flow = {requester.generation, {}, {}};
    if (request.psn() == requester.first_psn) flow.before = 0;
  } else if (!request.psn().after(flow.messages.back().last)) {
    return;  // a retransmission
  }
  const transport::Psn last = request.psn() + (span_of(requester, request) - 1);
  if (!flow.messages.empty() && !request.op->start) {
    flow.messages.back().last = last;
    flow.messages.back().ended = request.op->end;
    return;
  }
  const std::uint64_t place = flow.messages.empty() ? 1 : flow.messages.back().place + 1;
  flow.messages.push_back({request.psn(), last, place, request.op->end});
  if (flow.messages.size() > kMostMessages) flow.messages.pop_front();
}

void Messages::responded(const FlowName& name, const Requester& requester,
                         const packet::Parsed& response) {
  const Flow* flow = find(name, requester);
  if (flow == nullptr || flow->before || response.bth().opcode() != packet::kRcAck ||
      transport::aeth_kind(response.aeth().syndrome()) != layout::AethKind::kAck) {
    return;
  }
  const Message* message = holding(*flow, response.psn());
  if (message == nullptr) return;
  // The MSN counts the messages that are complete; without its last packet this one is not.
  const bool complete = message->ended && response.psn() == message->last;
  const std::uint64_t number = response.aeth().msn() + (complete ? 0u : 1u);
  if (number >= message->place) flows_[name].before = number - message->place;
}

std::optional<std::uint64_t> Messages::number(const FlowName& name, const Requester& requester,
                                              transport::Psn psn) const {
  const Flow* flow = find(name, requester);
  const Message* message = flow == nullptr || !flow->before ? nullptr : holding(*flow, psn);
  if (message == nullptr) return {};
  return *flow->before + message->place;
}

}  // namespace roci::sim::faults
