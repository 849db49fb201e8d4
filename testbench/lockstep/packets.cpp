// SPDX-License-Identifier: Apache-2.0
// Lock-step: requests and responses.
#include <algorithm>

#include "model/packet/icrc.hpp"
#include "testbench/lockstep/shadow.hpp"

namespace roci::testbench {
namespace {

constexpr std::uint64_t kRaceNs = 5000;  // within which a receive and a SEND may swap places

std::string answer_to(transport::Psn psn) {
  return "answer to PSN " + std::to_string(psn.value()) + ": ";
}

}  // namespace

/// Equal for packets that differ in identification, AckReq and what depends on them alone.
std::uint32_t Shadow::digest_of(const packet::Parsed& p) {
  packet::Bytes copy = p.frame.sub(p.ip_at, p.icrc_at - p.ip_at).copy();
  if (!p.ipv6) packet::MutableIpv4(copy.data()).set_identification(0);
  const std::size_t bth = p.bth_at - p.ip_at;
  packet::MutableBth(&copy[bth]).set_ack_req(false);
  if (p.has(packet::Ext::kAeth) && p.aeth().syndrome() >> 5 == 0) {
    // Credits are those of the moment, also in a response that is given again.
    const std::size_t at = bth + packet::Bth::kBytes + p.op->offset_of(packet::Ext::kAeth);
    packet::MutableAeth(&copy[at]).set_syndrome(0);
  }
  return packet::icrc(copy, bth, p.network());
}

/// Whether the model sent this as well. `fault`: it sent something else at that PSN.
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
    if (!pair.reads.insert(psn).second) model_.asked_again(qpn, Psn(psn));
    return true;
  }
  // The rest of a READ: same end, and as many bytes further in address as fewer in length.
  for (const auto& [first, whole] : pair.requests) {
    const std::uint64_t skipped = packet.reth().va() - whole.va;
    if (whole.bytes == 0 || Psn(psn).before(Psn(first)) || skipped >= whole.bytes) continue;
    if (packet.reth().dma_length() + skipped != whole.bytes) continue;
    model_.asked_again(qpn, Psn(psn));
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
                   ": acknowledged, and nothing that the model sent");
      return;
    }
    pair.early.push_back(packet.frame.copy());  // the model may come to it yet
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

/// The model judges a request when it comes, the RTL when its turn comes; and which queue pair gets
/// the last receive of a shared queue hangs on the order between them.
bool Shadow::receive_was_open(std::uint64_t now_ns, const Pair& pair, bool shared, Psn psn) {
  const auto asked = pair.asked_ns.find(psn.value());
  const std::uint64_t until_ns = pair.receive_posted_ns + kRaceNs;
  return shared || now_ns < until_ns || (pair.rnr_ns != 0 && pair.rnr_ns < until_ns) ||
         (asked != pair.asked_ns.end() && asked->second < until_ns);
}

void Shadow::answer_sent(std::uint64_t now_ns, std::uint32_t qpn, Pair& pair,
                         const packet::Parsed& packet) {
  const nic::QueuePair* model = model_.queue_pair(qpn);
  if (model == nullptr) return;
  const Psn psn = packet.psn();
  const bool plain = packet.bth().opcode() == packet::kRcAck;
  const std::uint8_t syndrome = plain ? packet.aeth().syndrome() : 0;
  const bool nak = syndrome >= nic::syndrome::kRnrNak;
  const bool known_nak = nak && pair.naks.count({psn.value(), syndrome}) != 0;
  const Psn expected = model->responder.expected_psn();
  const bool done = psn.before(expected);  // by the model
  // The model took a packet that the receive buffer had no room for: World compares how many.
  const bool full = syndrome == nic::syndrome::kNakSequence && done && !known_nak;
  const bool agreed = full || (nak ? known_nak : done);
  if (!agreed) {
    const bool shared = model->attr.srq && syndrome < nic::syndrome::kNakSequence;
    if (receive_was_open(now_ns, pair, shared, psn)) {
      return leave_out(qpn, pair, "a receive came with the request");
    }
    return diverged(
        qpn, pair,
        answer_to(psn) + (nak ? "the model has no NAK " + std::to_string(syndrome)
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
  const std::uint32_t behind = (model.responder.msn() - packet.aeth().msn()) & 0xFFFFFF;
  const bool newest = !nak && psn + 1 == model.responder.expected_psn();
  const auto known = pair.naks.find({psn.value(), syndrome});
  const bool same_nak = known == pair.naks.end() || !known->second.has_value() ||
                        *known->second == packet.aeth().msn();
  if (behind >= Psn::kHalf || (newest && behind != 0) || !same_nak) {
    return diverged(qpn, pair,
                    answer_to(psn) + "MSN " + std::to_string(packet.aeth().msn()) +
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
  const auto found = pair.answers.find(psn.value());
  if (found == pair.answers.end()) {
    return diverged(qpn, pair, answer_to(psn) + "the model gave none");
  }
  // Memory may have changed between the two looks at it, and a response may begin anew.
  if (found->second.digest != digest_of(packet) &&
      (packet.has(packet::Ext::kAtomicAckEth) || !bytes_of(found->second, packet.payload))) {
    return diverged(qpn, pair, answer_to(psn) + "not the model's answer");
  }
  check_writes(qpn, false, psn, false);
}

}  // namespace roci::testbench
