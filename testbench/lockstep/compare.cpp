// Lock-step: what must be equal, and what may differ.
#include <algorithm>

#include "packet/icrc.hpp"
#include "testbench/lockstep/shadow.hpp"

namespace roci::testbench {
namespace {

constexpr std::size_t kEventsKept = 32;
constexpr std::uint32_t kPayload = spec::code_of(spec::kVendorErrs, "Payload");
constexpr std::uint64_t kRaceNs = 5000;  // within which a receive and a SEND may swap places

std::uint32_t field(const packet::Bytes& cqe, spec::Place place) {
  return static_cast<std::uint32_t>(spec::get_memory(cqe.data(), place));
}
nic::Status status_of(const packet::Bytes& cqe) {
  return static_cast<nic::Status>(field(cqe, spec::place_of(spec::kCqe, "status")));
}

}  // namespace

/// Equal for packets that differ in identification, AckReq and what depends on them alone.
std::uint32_t Shadow::digest_of(const packet::Parsed& p) {
  packet::Bytes copy = p.frame.sub(p.ip_at, p.icrc_at - p.ip_at).copy();
  if (!p.ipv6) packet::MutableIpv4(copy.data()).set_identification(0);
  const std::size_t bth = p.bth_at - p.ip_at;
  packet::MutableBth(&copy[bth]).set_ack_req(false);
  if (p.has(packet::Ext::kAeth) && p.aeth().syndrome() >> 5 == 0) {
    // Credits are those of the moment, also in an answer that is given again.
    const std::size_t at = bth + packet::Bth::kBytes + p.op->offset_of(packet::Ext::kAeth);
    packet::MutableAeth(&copy[at]).set_syndrome(0);
  }
  return packet::icrc(copy, bth, p.network());
}

void Shadow::note(Pair& pair, std::uint64_t now_ns, const std::string& text) {
  pair.events.push_back(std::to_string(now_ns) + " ns " + text);
  if (pair.events.size() > kEventsKept) pair.events.pop_front();
}

void Shadow::diverged(std::uint32_t qpn, const Pair& pair, const std::string& text) {
  if (silent_) return;
  silent_ = true;
  std::string all = "lock-step: " + node_ + ", queue pair " + std::to_string(qpn) + ": " + text;
  for (const std::string& event : pair.events) all += "\n    " + event;
  report_(all);
}

void Shadow::drop_expected(std::uint32_t qpn) {
  for (auto at = expected_.begin(); at != expected_.end();) {
    if (at->qpn != qpn) {
      ++at;
      continue;
    }
    told_ -= at->told;
    at = expected_.erase(at);
  }
}

/// From here to its RESET the queue pair is not compared.
void Shadow::leave_out(std::uint32_t qpn, Pair& pair, const char* why) {
  note(pair, now_ns_, std::string("not compared any more: ") + why);
  ++counts_.left_out;
  pair.compared = false;
  for (unsigned queue : {0u, 1u}) {
    pair.model[queue].clear();
    pair.rtl[queue].clear();
  }
  pair.early.clear();
  drop_expected(qpn);
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
  // What is repeated after its ACK came must be what it was (RQ-20).
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

/// The first byte that is not in memory yet, if any; bytes that newer writes cover are theirs.
std::optional<std::size_t> Shadow::missing(std::deque<Expected>::const_iterator at) const {
  packet::Bytes now(at->bytes.size());
  if (!peek_(at->pasid, at->address, now.data(), now.size())) return {};
  std::vector<bool> covered(now.size());
  for (auto newer = std::next(at); newer != expected_.end(); ++newer) {
    const std::uint64_t first = std::max(newer->address, at->address);
    const std::uint64_t end =
        std::min(newer->address + newer->bytes.size(), at->address + at->bytes.size());
    for (std::uint64_t a = first; a < end; ++a) covered[a - at->address] = true;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!covered[i] && now[i] != at->bytes[i]) return i;
  }
  return {};
}

/// Data that must be in memory by now.
void Shadow::check_writes(std::uint32_t qpn, bool answer, Psn up_to) {
  for (auto at = expected_.begin(); at != expected_.end();) {
    if (at->qpn != qpn || at->answer != answer || Psn(at->psn).after(up_to)) {
      ++at;
      continue;
    }
    if (const auto byte = missing(at)) {
      diverged(qpn, pairs_[qpn],
               "payload of PSN " + std::to_string(at->psn) + ", byte " + std::to_string(*byte) +
                   " of " + std::to_string(at->bytes.size()) + ", is not in memory");
      return;
    }
    ++counts_.writes;
    told_ -= at->told;
    at = expected_.erase(at);
  }
}

/// From a completion on, the program may use the memory of unsignaled READs before it again.
void Shadow::forget_reads(std::uint32_t qpn, Psn up_to) {
  for (auto at = expected_.begin(); at != expected_.end();) {
    const bool read = at->qpn == qpn && at->answer && !Psn(at->psn).after(up_to);
    if (read) told_ -= at->told;
    at = read ? expected_.erase(at) : std::next(at);
  }
}

/// A NAK told that these arrived; they may still be on the way to memory (decision 0003). The peer
/// may change them when they are there, so they are looked at whenever memory has changed.
void Shadow::await_writes(std::uint32_t qpn, Psn before) {
  for (Expected& e : expected_) {
    if (e.qpn != qpn || e.answer || e.told || !Psn(e.psn).before(before)) continue;
    e.told = true;
    ++told_;
  }
  memory_changed();
}

void Shadow::memory_changed() {
  for (auto at = expected_.begin(); told_ != 0 && at != expected_.end();) {
    if (!at->told || missing(at)) {
      ++at;
      continue;
    }
    ++counts_.writes;
    --told_;
    at = expected_.erase(at);
  }
}

void Shadow::answer_sent(std::uint64_t now_ns, std::uint32_t qpn, Pair& pair,
                         const packet::Parsed& packet) {
  const nic::QueuePair* model = model_.queue_pair(qpn);
  if (model == nullptr) return;
  const Psn psn = packet.psn();
  const Psn expected = model->responder.expected_psn();
  const std::string what = "answer to PSN " + std::to_string(psn.value()) + ": ";
  if (packet.bth().opcode() == packet::kRcAck) {
    const std::uint8_t syndrome = packet.aeth().syndrome();
    const bool nak = syndrome >= nic::syndrome::kRnr;
    const bool gap = syndrome == nic::syndrome::kSequence;
    // The model judges a request when it comes, the RTL when its turn comes; and which queue pair
    // gets the last receive of a shared queue hangs on the order between them.
    const auto asked = pair.asked_ns.find(psn.value());
    const bool contended = model->attr.srq && syndrome < nic::syndrome::kSequence;
    const bool race =
        contended || now_ns < pair.receive_posted_ns + kRaceNs ||
        (asked != pair.asked_ns.end() && asked->second < pair.receive_posted_ns + kRaceNs);
    if (gap && psn.before(expected) && pair.naks.count({psn.value(), syndrome}) == 0) {
      // The model took a packet that the receive buffer had no room for: World compares how many.
      ++counts_.full;
    } else if (nak && pair.naks.count({psn.value(), syndrome}) == 0) {
      if (race) return leave_out(qpn, pair, "a receive came with the request");
      diverged(qpn, pair, what + "the model has no NAK " + std::to_string(syndrome));
      return;
    }
    if (!nak && !psn.before(expected)) {
      if (race) return leave_out(qpn, pair, "a receive came with the request");
      diverged(qpn, pair,
               what + "an ACK, but the model expects PSN " + std::to_string(expected.value()));
      return;
    }
    const std::uint32_t behind = (model->responder.msn() - packet.aeth().msn()) & 0xFFFFFF;
    const bool newest = !nak && psn + 1 == expected;
    if (behind >= Psn::kHalf || (newest && behind != 0)) {
      diverged(qpn, pair,
               what + "MSN " + std::to_string(packet.aeth().msn()) + ", the model has " +
                   std::to_string(model->responder.msn()));
      return;
    }
    if (gap) {
      await_writes(qpn, psn);
    } else {
      check_writes(qpn, false, nak ? psn - 1 : psn);
    }
  } else {
    const auto found = pair.answers.find(psn.value());
    if (found == pair.answers.end()) {
      diverged(qpn, pair, what + "the model gave none");
      return;
    }
    if (found->second.digest != digest_of(packet)) {
      // Memory may have changed between the two looks at it, and an answer may begin anew.
      packet::Bytes now(packet.payload.size);
      const bool there =
          peek_(found->second.source_pasid, found->second.source, now.data(), now.size());
      const bool same_bytes = packet.payload == found->second.payload ||
                              (there && packet.payload == packet::ByteView(now));
      if (!same_bytes || packet.has(packet::Ext::kAtomicAckEth)) {
        diverged(qpn, pair, what + "not the model's answer");
        return;
      }
    }
    check_writes(qpn, false, psn);
  }
  ++counts_.responses;
}

/// Whether two completions of one queue say the same.
bool Shadow::same(const Pair& pair, const Completion& rtl, const Completion& model,
                  std::string* fault) const {
  const auto differs = [&](std::string_view name) {
    const spec::Place place = spec::place_of(spec::kCqe, name);
    if (field(rtl.cqe, place) == field(model.cqe, place)) return false;
    *fault = std::string(name) + " " + std::to_string(field(rtl.cqe, place)) + ", the model has " +
             std::to_string(field(model.cqe, place));
    return true;
  };
  if (differs("wqe_index")) return false;
  const nic::Status status = status_of(rtl.cqe);
  // Retries are the RTL's, and an answer that comes too late for them the model still takes; and
  // what firmware's ERR still caught may differ.
  if (pair.failed &&
      (status == nic::Status::kRetryExcErr || status == nic::Status::kRnrRetryExcErr)) {
    return true;
  }
  const bool in_error = pair.failed || pair.error_ns != 0;
  if (in_error && status == nic::Status::kWrFlushErr) return true;
  if (differs("status")) return false;
  if (status != nic::Status::kSuccess) return !differs("vendor_err");
  if (differs("opcode") || differs("with_imm") || differs("with_inv")) return false;
  const std::uint32_t opcode = field(rtl.cqe, spec::place_of(spec::kCqe, "opcode"));
  const bool has_length = opcode >= static_cast<std::uint32_t>(nic::WcOp::kRecv) ||
                          opcode == static_cast<std::uint32_t>(nic::WcOp::kRead) ||
                          opcode == static_cast<std::uint32_t>(nic::WcOp::kCmpSwap) ||
                          opcode == static_cast<std::uint32_t>(nic::WcOp::kFetchAdd);
  if (has_length && differs("byte_len")) return false;
  const bool word = field(rtl.cqe, spec::place_of(spec::kCqe, "with_imm")) != 0 ||
                    field(rtl.cqe, spec::place_of(spec::kCqe, "with_inv")) != 0;
  return !word || !differs("imm");
}

void Shadow::compare_completions(std::uint32_t qpn, Pair& pair, unsigned queue) {
  while (pair.compared && !silent_ && !pair.rtl[queue].empty() && !pair.model[queue].empty()) {
    const Completion rtl = std::move(pair.rtl[queue].front());
    const Completion model = std::move(pair.model[queue].front());
    pair.rtl[queue].pop_front();
    pair.model[queue].pop_front();
    std::string fault;
    if (!same(pair, rtl, model, &fault)) {
      diverged(qpn, pair,
               std::string("completion of a ") + (queue != 0 ? "receive: " : "send: ") + fault);
      return;
    }
    ++counts_.completions;
    // Packets behind unreadable payload may have left before it was known.
    if (queue == 0 && field(rtl.cqe, spec::place_of(spec::kCqe, "vendor_err")) == kPayload) {
      pair.early.clear();
    }
    // A WRITE may complete by the answer to a READ behind it, whose data is not due yet.
    const std::uint32_t opcode = field(rtl.cqe, spec::place_of(spec::kCqe, "opcode"));
    const bool due = queue != 0 || opcode == static_cast<std::uint32_t>(nic::WcOp::kRead) ||
                     opcode == static_cast<std::uint32_t>(nic::WcOp::kCmpSwap) ||
                     opcode == static_cast<std::uint32_t>(nic::WcOp::kFetchAdd);
    if (status_of(rtl.cqe) != nic::Status::kSuccess) continue;
    if (due) {
      check_writes(qpn, queue == 0, Psn(model.psn));
    } else {
      forget_reads(qpn, Psn(model.psn));
    }
  }
}

void Shadow::finish(std::uint64_t now_ns) {
  if (silent_) return;
  run(now_ns);
  for (auto& [qpn, pair] : pairs_) {
    if (!pair.compared) continue;
    retry_early(qpn, pair);
    if (!pair.early.empty()) {
      const packet::Parsed packet = packet::parse(pair.early.front());
      return diverged(
          qpn, pair,
          "request PSN " + std::to_string(packet.bth().psn()) + " was sent, but not by the model");
    }
    for (unsigned queue : {0u, 1u}) {
      const char* kind = queue != 0 ? "receive" : "send";
      if (!pair.rtl[queue].empty()) {
        return diverged(qpn, pair, std::string("a ") + kind + " completed, but not in the model");
      }
      if (!pair.model[queue].empty() && pair.error_ns == 0) {
        return diverged(qpn, pair, std::string("a ") + kind + " completed in the model alone");
      }
    }
  }
}

}  // namespace roci::testbench
