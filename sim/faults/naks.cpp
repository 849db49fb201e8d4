// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/naks.hpp"

#include "model/packet/builder.hpp"
#include "model/transport/rules.hpp"

namespace roci::sim::faults {
namespace {

constexpr std::uint32_t kMsnMask = 0xFFFFFF;

}  // namespace

std::uint32_t span_of(const Requester& requester, const packet::Parsed& request) {
  if (request.bth().opcode() != packet::kRcReadRequest) return 1;
  return transport::packets_of(request.reth().dma_length(), requester.mtu);
}

Naks::Flow& Naks::flow(const FlowName& name, const Requester& requester,
                       const packet::Parsed& request) {
  const auto [at, is_new] = flows_.try_emplace(name);
  Flow& flow = at->second;
  if (is_new || flow.generation != requester.generation) {
    flow = {};
    flow.generation = requester.generation;
    flow.expected = request.psn();
    flow.awaited = flow.responded_to = request.psn() - 1;
  }
  return flow;
}

bool Naks::expected(const FlowName& name, const Requester& requester,
                    const packet::Parsed& request) {
  return flow(name, requester, request).expected == request.psn();
}

bool Naks::after_nak(const FlowName& name, const packet::Parsed& request) {
  const auto found = flows_.find(name);
  if (found == flows_.end() || !found->second.stopped) return false;
  const Flow::Stopped stopped = *found->second.stopped;
  if (request.psn().before(stopped.psn)) return false;
  if (request.psn() != stopped.psn || !stopped.sent) return true;
  found->second.stopped.reset();
  return false;
}

packet::Bytes Naks::stop(const FlowName& name, const Requester& requester,
                         const packet::Parsed& request, std::uint8_t syndrome) {
  Flow& stopping = flow(name, requester, request);
  stopping.stopped = Flow::Stopped{request.psn(), false};
  packet::Builder builder;
  builder.ethernet(request.ethernet().src_mac(), request.ethernet().dst_mac());
  if (request.vlan) builder.vlan(request.vlan_tag().vid(), request.vlan_tag().pcp());
  if (request.ipv6) {
    builder.ipv6(request.dst(), request.src());
  } else {
    builder.gids(request.dst(), request.src());
  }
  builder.roce_v1(request.roce_v1)
      .traffic_class(request.traffic_class())
      .bth(packet::kRcAck, requester.number, request.psn())
      .pkey(request.bth().pkey())
      .mig_req(request.bth().mig_req())
      .aeth(syndrome, stopping.msn);
  if (!request.roce_v1) builder.src_port(request.udp().src_port());
  return builder.build();
}

void Naks::passed(const FlowName& name, const Requester& requester, const packet::Parsed& request) {
  Flow& passing = flow(name, requester, request);
  if (request.psn() != passing.expected) return;
  passing.expected += span_of(requester, request);
  if (request.bth().opcode() == packet::kRcReadRequest ||
      packet::is_atomic(request.bth().opcode())) {
    passing.awaited = passing.expected - 1;
  }
  if (request.op->end) passing.msn = (passing.msn + 1) & kMsnMask;
}

bool Naks::may_send(const FlowName& name, bool at_last) {
  const auto found = flows_.find(name);
  if (found == flows_.end() || !found->second.stopped) return true;
  Flow& flow = found->second;
  if (!at_last && flow.responded_to.before(flow.awaited)) return false;
  flow.stopped->sent = true;
  return true;
}

void Naks::responded(const FlowName& name, const packet::Parsed& response) {
  const auto found = flows_.find(name);
  if (found == flows_.end()) return;
  Flow& flow = found->second;
  if (flow.responded_to.before(response.psn())) flow.responded_to = response.psn();
  if (!response.has(packet::Ext::kAeth)) return;
  if (transport::aeth_kind(response.aeth().syndrome()) == layout::AethKind::kAck) {
    // The responder has counted at least these messages; later requests are on their way.
    const std::uint32_t ahead = (response.aeth().msn() - flow.msn) & kMsnMask;
    if (ahead <= kMsnMask / 2) flow.msn = response.aeth().msn();
  } else {
    flow.expected = response.psn();
    flow.msn = response.aeth().msn();
  }
}

}  // namespace roci::sim::faults
