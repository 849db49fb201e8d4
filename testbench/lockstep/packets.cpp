// SPDX-License-Identifier: Apache-2.0
// Lock-step: requests and responses.
#include <algorithm>

#include "model/packet/icrc.hpp"
#include "model/transport/rules.hpp"
#include "testbench/lockstep/shadow.hpp"

namespace roci::testbench {
namespace {

// Span within which a receive and a SEND may change their order.
constexpr std::uint64_t kRaceNs = 5000;

std::string response_to(transport::Psn psn) {
  return "response to PSN " + std::to_string(psn.value()) + ": ";
}

}  // namespace

/// Masks identification, AckReq and the fields that depend on them, for a comparison.
std::uint32_t Shadow::digest_of(const packet::Parsed& p) {
  packet::Bytes copy = p.frame.sub(p.ip_at, p.icrc_at - p.ip_at).copy();
  if (!p.ipv6) packet::MutableIpv4(copy.data()).set_identification(0);
  const std::size_t bth = p.bth_at - p.ip_at;
  packet::MutableBth(&copy[bth]).set_ack_req(false);
  if (p.has(packet::Ext::kAeth) &&
      transport::aeth_kind(p.aeth().syndrome()) == layout::AethKind::kAck) {
    // Credits are current, also in a repeated response.
    const std::size_t at = bth + packet::Bth::kBytes + p.op->offset_of(packet::Ext::kAeth);
    packet::MutableAeth(&copy[at]).set_syndrome(0);
  }
  return packet::icrc(copy, bth, p.network());
}

/// Whether the model sent this packet as well. `fault`: it sent another one at that PSN.
bool Shadow::known_request(std::uint32_t qpn, Pair& pair, const packet::Parsed& packet,
                           std::string* fault) {
  const std::uint32_t psn = packet.bth().psn();
  const auto found = pair.requests.find(psn);
  if (packet.bth().opcode() != packet::kRcReadRequest) {
    if (found == pair.requests.end()) return false;
    if (found->second.digest != digest_of(packet)) {
      *fault = "this request differs from the model's of that PSN";
    }
    return true;
  }
  if (found != pair.requests.end() && found->second.digest == digest_of(packet)) {
    if (!pair.reads.insert(psn).second) model_.note_repeated_read(qpn, Psn(psn));
    return true;
  }
  // The request for the rest of a READ: same end, with a higher address and a smaller length.
  for (const auto& [first, whole] : pair.requests) {
    const std::uint64_t skipped = packet.reth().va() - whole.va;
    if (whole.bytes == 0 || Psn(psn).before(Psn(first)) || skipped >= whole.bytes) continue;
    if (packet.reth().dma_length() + skipped != whole.bytes) continue;
    model_.note_repeated_read(qpn, Psn(psn));
    return true;
  }
  if (found != pair.requests.end()) *fault = "this READ is no part of one that the model sent";
  return found != pair.requests.end();
}

void Shadow::request_sent(std::uint32_t qpn, Pair& pair, const packet::Parsed& packet) {
  const nic::QueuePair* model = model_.queue_pair(qpn);
  if (model == nullptr) return;
  // A retransmission after its ACK equals the first transmission (RQ-20).
  const bool late = packet.psn().before(model->requester.oldest_psn());
  std::string fault;
  if (!known_request(qpn, pair, packet, &fault)) {
    if (late) {
      diverged(qpn, pair,
               "PSN " + std::to_string(packet.bth().psn()) +
                   ": acknowledged, and not sent by the model");
      return;
    }
    pair.early.push_back(packet.frame.copy());  // the model may still send it
    return;
  }
  if (!fault.empty()) {
    diverged(qpn, pair, "PSN " + std::to_string(packet.bth().psn()) + ": " + fault);
    return;
  }
  ++(late ? counts_.late : counts_.requests);
}

void Shadow::retry_early(std::uint32_t qpn, Pair& pair) {
  while (!pair.early.empty()) {
    const packet::Parsed packet = packet::parse(pair.early.front());
    std::string fault;
    if (!known_request(qpn, pair, packet, &fault)) return;
    if (!fault.empty()) {
      diverged(qpn, pair, "PSN " + std::to_string(packet.bth().psn()) + ": " + fault);
      return;
    }
    ++counts_.requests;
    pair.early.pop_front();
  }
}

/// The model handles a request on arrival, the RTL when its turn comes; which queue pair gets the
/// last receive of a shared queue depends on that order.
bool Shadow::receive_was_open(std::uint64_t now_ns, const Pair& pair, bool shared, Psn psn) {
  const auto requested = pair.requested_ns.find(psn.value());
  const std::uint64_t until_ns = pair.receive_posted_ns + kRaceNs;
  return shared || now_ns < until_ns || (pair.rnr_ns != 0 && pair.rnr_ns < until_ns) ||
         (requested != pair.requested_ns.end() && requested->second < until_ns);
}

void Shadow::check_response(std::uint64_t now_ns, std::uint32_t qpn, Pair& pair,
                            const packet::Parsed& packet) {
  const nic::QueuePair* model = model_.queue_pair(qpn);
  if (model == nullptr) return;
  const Psn psn = packet.psn();
  const bool plain = packet.bth().opcode() == packet::kRcAck;
  const std::uint8_t syndrome = plain ? packet.aeth().syndrome() : 0;
  const bool nak = syndrome >= nic::syndrome::kRnrNak;
  const bool known_nak = nak && pair.naks.count({psn.value(), syndrome}) != 0;
  const Psn expected = model->responder.expected_psn();
  const bool done = psn.before(expected);  // executed by the model
  // The model accepted a packet that found the receive buffer full: World compares the numbers.
  const bool full = syndrome == nic::syndrome::kNakSequence && done && !known_nak;
  const bool agreed = full || (nak ? known_nak : done);
  if (!agreed) {
    const bool shared = model->attr.srq && syndrome < nic::syndrome::kNakSequence;
    if (receive_was_open(now_ns, pair, shared, psn)) {
      return leave_out(qpn, pair, "a receive came with the request");
    }
    return diverged(
        qpn, pair,
        response_to(psn) + (nak ? "the model has no NAK " + std::to_string(syndrome)
                                : "the model expects PSN " + std::to_string(expected.value())));
  }
  counts_.full += full;
  if (plain) {
    ack_sent(qpn, pair, packet, *model);
  } else {
    response_sent(qpn, pair, packet);
  }
  counts_.responses += !silent_;
}

void Shadow::ack_sent(std::uint32_t qpn, Pair& pair, const packet::Parsed& packet,
                      const nic::QueuePair& model) {
  const Psn psn = packet.psn();
  const std::uint8_t syndrome = packet.aeth().syndrome();
  const bool nak = syndrome >= nic::syndrome::kRnrNak;
  const std::uint32_t msn_lag = (model.responder.msn() - packet.aeth().msn()) & 0xFFFFFF;
  const bool newest = !nak && psn + 1 == model.responder.expected_psn();
  const auto known = pair.naks.find({psn.value(), syndrome});
  const bool same_nak = known == pair.naks.end() || !known->second.has_value() ||
                        *known->second == packet.aeth().msn();
  if (msn_lag >= Psn::kHalf || (newest && msn_lag != 0) || !same_nak) {
    return diverged(qpn, pair,
                    response_to(psn) + "MSN " + std::to_string(packet.aeth().msn()) +
                        ", the model has " +
                        std::to_string(same_nak ? model.responder.msn() : *known->second));
  }
  if (syndrome == nic::syndrome::kNakSequence) {
    await_writes(qpn, psn);
  } else {
    check_writes(qpn, false, nak ? psn - 1 : psn, false);
  }
}

void Shadow::response_sent(std::uint32_t qpn, Pair& pair, const packet::Parsed& packet) {
  const Psn psn = packet.psn();
  const auto found = pair.responses.find(psn.value());
  if (found == pair.responses.end()) {
    return diverged(qpn, pair, response_to(psn) + "the model sent none");
  }
  // Memory may have changed between the two reads, and a response may begin anew.
  if (found->second.digest != digest_of(packet) &&
      (packet.has(packet::Ext::kAtomicAckEth) || !bytes_of(found->second, packet.payload))) {
    return diverged(qpn, pair, response_to(psn) + "not the model's response");
  }
  check_writes(qpn, false, psn, false);
}

}  // namespace roci::testbench
