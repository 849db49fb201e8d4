// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/packet/describe.hpp"
#include "model/packet/lint.hpp"

namespace roci::judge {
namespace {

using namespace packet;

/// A complaint of lint ends in the statement: "wrong ICRC (WIRE-36)".
void add_complaint(std::size_t frame, const std::string& complaint, Report& report) {
  const std::size_t open = complaint.rfind(" (");
  report.find(frame, complaint.substr(open + 2, complaint.size() - open - 3),
              complaint.substr(0, open));
}

/// Whether the transport is RC or UC.
bool is_connected(std::uint8_t opcode) { return opcode <= kUcWriteOnlyImm; }

}  // namespace

void Judge::take(const CapturedFrame& frame) {
  ++report_.frames;
  const Parsed packet = parse(frame.bytes);
  if (packet.error == Error::kNotRoce) return;
  if (frame.bytes.size() < frame.length) {
    ++report_.truncated;
    return;
  }
  ++report_.roce;
  const std::size_t before = report_.findings.size();
  judge(frame.time_ns, packet);
  for (std::size_t i = before; i < report_.findings.size(); ++i) {
    report_.findings[i].packet = describe(frame.bytes);
  }
}

void Judge::judge(std::uint64_t time_ns, const Parsed& packet) {
  const std::vector<std::string> complaints = lint(packet.frame);
  for (const std::string& complaint : complaints) {
    add_complaint(report_.frames, complaint, report_);
  }
  // A frame with a wrong ICRC does not say what its sender meant.
  if (!packet.has_bth || !packet.icrc_ok || packet.op == nullptr ||
      packet.payload.data == nullptr) {
    return;
  }
  const std::uint8_t opcode = packet.bth().opcode();
  if (opcode == kCnp) {
    take_cnp(time_ns, packet);
  } else if (!is_connected(opcode)) {
    ++report_.datagrams;
  } else if (packet.op->response) {
    ++report_.responses;
    take_response(packet);
  } else {
    ++report_.requests;
    take_request(packet);
  }
}

void Judge::take_cnp(std::uint64_t time_ns, const Parsed& packet) {
  ++report_.cnps;
  if (!packet.bth().becn()) report_.find(report_.frames, "CC-02", "a CNP without BECN");
  const auto [last, first] = cnps_.try_emplace(flow_of(packet), time_ns);
  if (first || time_ns < last->second) return;
  const std::uint64_t interval = time_ns - last->second;
  last->second = time_ns;
  std::uint64_t& shortest = report_.cnp_interval_ns;
  if (shortest == 0 || interval < shortest) shortest = std::max<std::uint64_t>(interval, 1);
  if (interval >= cnp_interval_ns_) return;
  report_.find(report_.frames, "CC-02",
               fmt::format("a CNP {:.3f} us after another one for the queue pair, which is less "
                           "than {:.3f} us",
                           static_cast<double>(interval) / 1e3,
                           static_cast<double>(cnp_interval_ns_) / 1e3));
}

void Judge::take_request(const Parsed& packet) {
  const Flow flow = flow_of(packet);
  RequestStream& stream = requests_.try_emplace(flow, connected_once_).first->second;
  if (!stream.begun()) ++report_.streams;
  stream.take(report_.frames, packet, report_);
}

std::vector<Judge::Flow> Judge::answerable(const Parsed& packet, const Flow& responder) const {
  std::vector<Flow> flows;
  const auto& [from, to, unused] = responder;
  for (const auto& entry : requests_) {
    const Flow& flow = entry.first;
    const RequestStream& stream = entry.second;
    if (std::get<0>(flow) != to || std::get<1>(flow) != from) continue;
    if (stream.find(stream.place_of(packet.psn())) == nullptr) continue;
    const bool taken = std::any_of(responses_.begin(), responses_.end(), [&](const auto& other) {
      const std::vector<Flow>& of_other = other.second.candidates;
      return other.first != responder && of_other.size() == 1 && of_other.front() == flow;
    });
    if (!taken) flows.push_back(flow);
  }
  return flows;
}

const RequestStream* Judge::requests(const Flow& flow) const {
  const auto found = requests_.find(flow);
  return found == requests_.end() ? nullptr : &found->second;
}

std::optional<Judge::Flow> Judge::requests_of(const Flow& responses) const {
  const auto found = responses_.find(responses);
  if (found == responses_.end() || found->second.candidates.size() != 1) return {};
  return found->second.candidates.front();
}

void Judge::take_response(const Parsed& packet) {
  const Flow flow = flow_of(packet);
  Responses& responses = responses_[flow];
  if (responses.candidates.size() == 1 &&
      requests_.at(responses.candidates.front()).generation() != responses.generation) {
    responses = Responses();
  }
  if (responses.candidates.size() != 1) {
    std::vector<Flow> now = answerable(packet, flow);
    if (!responses.candidates.empty()) {  // both are in the order of requests_
      std::vector<Flow> both;
      std::set_intersection(now.begin(), now.end(), responses.candidates.begin(),
                            responses.candidates.end(), std::back_inserter(both));
      now = std::move(both);
    }
    responses.candidates = std::move(now);
    if (responses.candidates.size() != 1) return;
    responses.generation = requests_.at(responses.candidates.front()).generation();
    ++report_.paired;
  }
  responses.stream.take(report_.frames, packet, requests_.at(responses.candidates.front()),
                        report_);
}

}  // namespace roci::judge
