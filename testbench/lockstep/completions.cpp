// SPDX-License-Identifier: Apache-2.0
// Lock-step: completions, and the state at the end of a run.
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/queues.hpp"
#include "testbench/lockstep/shadow.hpp"

namespace roci::testbench {
namespace {

constexpr std::uint32_t kPayload = layout::number(layout::VendorErr::kPayload);

template <typename Field>
auto field(const packet::Bytes& cqe, Field place) {
  return layout::get(cqe.data(), place);
}
}  // namespace

Shadow::Entry Shadow::entry_of(const std::uint8_t* cqe) {
  return {get(cqe, layout::cqe::qpn), get(cqe, layout::cqe::wqe_index),
          static_cast<std::uint32_t>(get(cqe, layout::cqe::opcode) >> 7),
          static_cast<nic::Status>(get(cqe, layout::cqe::status))};
}

std::string Shadow::Entry::text() const {
  return "completes " + std::to_string(index) + (queue != 0 ? " of receives" : " of sends") +
         ", status " + std::to_string(static_cast<unsigned>(status));
}

/// Whether two completions of one queue are equal.
bool Shadow::same(const Pair& pair, const Completion& rtl, const Completion& model,
                  std::string* fault) const {
  const auto differs = [&](auto place, const char* name) {
    if (field(rtl.cqe, place) == field(model.cqe, place)) return false;
    *fault = std::string(name) + " " + std::to_string(field(rtl.cqe, place)) + ", the model has " +
             std::to_string(field(model.cqe, place));
    return true;
  };
  if (differs(layout::cqe::wqe_index, "wqe_index")) return false;
  // The model does not count retries, so it accepts responses that come too late for the RTL's; and
  // firmware's change to ERR may reach the two at different points.
  if (pair.failed && rtl.says.out_of_retries()) return true;
  if (in_error(pair) && (rtl.says.flushed() || model.says.flushed())) return true;
  if (differs(layout::cqe::status, "status")) return false;
  if (rtl.says.status != nic::Status::kSuccess)
    return !differs(layout::cqe::vendor_err, "vendor_err");
  if (differs(layout::cqe::opcode, "opcode") || differs(layout::cqe::with_imm, "with_imm") ||
      differs(layout::cqe::with_inv, "with_inv"))
    return false;
  const std::uint32_t opcode = field(rtl.cqe, layout::cqe::opcode);
  const bool has_length = opcode >= static_cast<std::uint32_t>(nic::WcOp::kRecv) ||
                          opcode == static_cast<std::uint32_t>(nic::WcOp::kRead) ||
                          opcode == static_cast<std::uint32_t>(nic::WcOp::kCmpSwap) ||
                          opcode == static_cast<std::uint32_t>(nic::WcOp::kFetchAdd);
  if (has_length && differs(layout::cqe::byte_len, "byte_len")) return false;
  const bool word = field(rtl.cqe, layout::cqe::with_imm) || field(rtl.cqe, layout::cqe::with_inv);
  return !word || !differs(layout::cqe::imm, "imm");
}

/// A request that was flushed, or exceeded its retries, in one may have succeeded unsignaled in the
/// other.
void Shadow::skip_unmatched(Pair& pair) {
  while (in_error(pair) && !pair.rtl[0].empty() && !pair.model[0].empty()) {
    const Entry& rtl = pair.rtl[0].front().says;
    const Entry& model = pair.model[0].front().says;
    const auto lead = static_cast<std::int16_t>(rtl.index - model.index);
    const bool of_model = lead > 0 && model.flushed();
    if (!of_model && !(lead < 0 && (rtl.flushed() || rtl.out_of_retries()))) return;
    (of_model ? pair.model : pair.rtl)[0].pop_front();
  }
}

void Shadow::compare_completions(std::uint32_t qpn, Pair& pair, unsigned queue) {
  for (;;) {
    skip_unmatched(pair);
    if (!pair.compared || silent_ || pair.rtl[queue].empty() || pair.model[queue].empty()) return;
    // Receives may flush before the send that failed completes.
    if (queue == 1 && pair.rtl[1].front().says.flushed() && !in_error(pair)) return;
    const Completion rtl = std::move(pair.rtl[queue].front());
    const Completion model = std::move(pair.model[queue].front());
    pair.rtl[queue].pop_front();
    pair.model[queue].pop_front();
    std::string fault;
    const nic::QueuePair* of = model_.queue_pair(qpn);
    if (queue == 1 && of != nullptr && of->attr.srq && rtl.says.index != model.says.index) {
      return leave_out(qpn, pair, "shared receives in another order");
    }
    if (!same(pair, rtl, model, &fault)) {
      diverged(qpn, pair,
               std::string("completion of a ") + (queue != 0 ? "receive: " : "send: ") + fault);
      return;
    }
    ++counts_.completions;
    // Packets after unreadable payload may have left before the read failed.
    if (queue == 0 && field(rtl.cqe, layout::cqe::vendor_err) == kPayload) {
      pair.early.clear();
    }
    check_data(qpn, pair, rtl.says, model);
  }
}

/// Checks the memory that a completion declares written.
void Shadow::check_data(std::uint32_t qpn, const Pair& pair, const Entry& rtl,
                        const Completion& model) {
  const Psn psn(model.psn);
  const auto opcode = static_cast<nic::WcOp>(field(model.cqe, layout::cqe::opcode));
  const bool by_response =
      opcode == nic::WcOp::kRead || opcode == nic::WcOp::kCmpSwap || opcode == nic::WcOp::kFetchAdd;
  if (rtl.status == nic::Status::kSuccess) {
    // A WRITE may complete by the response to a READ after it, whose data is not due yet.
    if (rtl.queue == 1 || by_response) return check_writes(qpn, rtl.queue == 0, psn);
    return forget_reads(qpn, psn);
  }
  if (rtl.queue == 1 || rtl.flushed() || rtl.status != model.says.status) return;
  // An error completion declares the requests before it complete; a failed READ has no data.
  const nic::QueuePair* of = model_.queue_pair(qpn);
  if (of == nullptr) return;
  Psn first = psn;
  for (const auto& [begin, sent] : pair.requests) {
    const std::uint32_t packets = sent.read ? 1 + sent.bytes / of->attr.pmtu : 0;
    if (psn.in_window(Psn(begin), packets)) first = Psn(begin);
  }
  check_writes(qpn, true, first - 1);
}

void Shadow::finish(std::uint64_t now_ns) {
  if (silent_) return;
  run(now_ns);
  for (auto& [qpn, pair] : pairs_) {
    if (!pair.compared) continue;
    retry_early(qpn, pair);
    if (!pair.early.empty() && pair.error_ns == 0) {
      const packet::Parsed packet = packet::parse(pair.early.front());
      return diverged(
          qpn, pair,
          "request PSN " + std::to_string(packet.bth().psn()) + " was sent, but not by the model");
    }
    for (unsigned queue : {0u, 1u}) {
      const char* kind = queue != 0 ? "receive" : "send";
      if (!pair.rtl[queue].empty() && !(in_error(pair) && pair.rtl[queue].front().says.flushed())) {
        return diverged(qpn, pair, std::string("a ") + kind + " completed, but not in the model");
      }
      if (!pair.model[queue].empty() && pair.error_ns == 0) {
        return diverged(qpn, pair, std::string("a ") + kind + " completed in the model alone");
      }
    }
  }
}

}  // namespace roci::testbench
