// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/judge/path_judge.hpp"

#include <fmt/format.h>

#include "model/packet/describe.hpp"
#include "model/transport/rules.hpp"

namespace roci::judge {
namespace {

using namespace packet;
using layout::AethKind;

constexpr std::uint8_t kEcn = 3;  // RFC 3168: all ones is congestion experienced

bool is_rc(const Parsed& packet) {
  return packet.op != nullptr && packet.bth().opcode() <= kRcSendOnlyInv;
}
bool is_cnp(const Parsed& packet) { return packet.ok() && packet.bth().opcode() == kCnp; }

}  // namespace

/// What a stream finds, with the end that it is about.
class PathJudge::Found final : public PathReport {
 public:
  Found(PathJudge& judge, unsigned requester, std::uint64_t now_ns)
      : judge_(judge), requester_(requester), now_ns_(now_ns) {}
  void find(bool requester, const char* statement, std::string text, bool of_frame) override {
    judge_.findings_.push_back({requester ? requester_ : 1 - requester_, judge_.report().frames,
                                now_ns_, statement, std::move(text),
                                of_frame ? judge_.line_ : std::string()});
  }
  void note(std::string text) override {
    judge_.notes_.push_back({judge_.report().frames, std::move(text)});
  }

 private:
  PathJudge& judge_;
  unsigned requester_;
  std::uint64_t now_ns_;
};

std::optional<PathJudge::Flow> PathJudge::flow_of(const Parsed& packet) const {
  const Flow flow = Judge::flow_of(packet);
  if (packet.op->response) return judge_.requests_of(flow);
  return judge_.requests(flow) == nullptr ? std::nullopt : std::optional(flow);
}

PathStream& PathJudge::stream_of(const Flow& flow, unsigned requester) {
  return streams_.try_emplace(flow, Stream{PathStream(rules_), requester}).first->second.stream;
}

void PathJudge::take_findings(unsigned end, std::uint64_t now_ns) {
  for (; taken_ < report().findings.size(); ++taken_) {
    const Finding& one = report().findings[taken_];
    findings_.push_back({end, one.frame, now_ns, one.statement, one.text, one.packet});
  }
  for (; noted_ < report().notes.size(); ++noted_) notes_.push_back(report().notes[noted_]);
}

void PathJudge::count(unsigned end, const Parsed& packet) {
  Counts& counts = counts_[end];
  if (is_cnp(packet)) ++counts.cnps;
  if (!is_rc(packet)) return;
  ++(packet.op->response ? counts.responses : counts.requests);
  if (packet.bth().opcode() != kRcAck) return;
  const std::uint8_t syndrome = packet.aeth().syndrome();
  if (transport::aeth_kind(syndrome) == AethKind::kRnr) ++counts.rnr_naks;
  if (syndrome == layout::syndrome::kNakSequence) ++counts.sequence_naks;
}

void PathJudge::sent(unsigned end, std::uint64_t now_ns, const Bytes& frame) {
  judge_.take({now_ns, frame, frame.size()});
  take_findings(end, now_ns);
  const Parsed packet = parse(frame);
  if (!packet.ok()) return;
  line_ = describe(frame);
  count(end, packet);
  if (is_cnp(packet)) return judge_cnp(end, now_ns, packet);
  if (!is_rc(packet)) return;
  const auto flow = flow_of(packet);
  if (!flow) return;
  const RequestStream& requests = *judge_.requests(*flow);
  const unsigned requester = packet.op->response ? 1 - end : end;
  Found found(*this, requester, now_ns);
  PathStream& stream = stream_of(*flow, requester);
  if (packet.op->response) return stream.responded(now_ns, packet, requests, found);
  const std::uint64_t before = stream.retransmitted();
  stream.requested(now_ns, packet, requests, found);
  counts_[end].retransmitted += stream.retransmitted() - before;
}

void PathJudge::reached(unsigned end, std::uint64_t now_ns, const Bytes& frame) {
  const Parsed packet = parse(frame);
  if (!packet.has_bth || packet.op == nullptr) return;
  if (packet.ok() && !packet.roce_v1 && (packet.traffic_class() & kEcn) == kEcn) {
    ++counts_[end].marked;
    ++marked_[{packet.src(), packet.dst()}];
  }
  if (!is_rc(packet)) return;
  const auto flow = flow_of(packet);
  if (!flow) return;
  const RequestStream& requests = *judge_.requests(*flow);
  if (packet.op->response) {
    stream_of(*flow, end).response_reached(now_ns, packet, requests);
  } else {
    stream_of(*flow, 1 - end).request_reached(now_ns, packet, requests);
  }
}

/// A receiver sends it to the source of frames that were marked on their way.
void PathJudge::judge_cnp(unsigned end, std::uint64_t now_ns, const Parsed& packet) {
  if (marked_.count({packet.dst(), packet.src()}) != 0) return;
  findings_.push_back({end, report().frames, now_ns, "CC-02",
                       "a CNP, but no frame of its receiver came with congestion experienced",
                       line_});
}

void PathJudge::look(std::uint64_t now_ns) {
  for (auto& [flow, one] : streams_) {
    Found found(*this, one.requester, now_ns);
    one.stream.look(now_ns, found);
  }
}

void PathJudge::finish(std::uint64_t now_ns) {
  look(now_ns);
  for (auto& [flow, one] : streams_) {
    Found found(*this, one.requester, now_ns);
    one.stream.finish(found);
  }
  for (unsigned end : {0u, 1u}) {
    if (counts_[end].marked == 0 || counts_[end].cnps != 0) continue;
    notes_.push_back({report().frames,
                      fmt::format("{} frames reached the {} end with congestion experienced, and "
                                  "it sent no CNP",
                                  counts_[end].marked, end == 0 ? "first" : "second")});
  }
}

}  // namespace roci::judge
