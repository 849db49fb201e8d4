// SPDX-License-Identifier: Apache-2.0
// Judges the RoCE frames of a capture from anywhere, without knowledge of the adapters.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "model/packet/capture.hpp"
#include "testbench/verify/judge/response_stream.hpp"

namespace roci::judge {

/// Takes the frames of a capture in their order.
///
/// Each frame is held to the rules of a single frame (packet::lint). Requests are followed by the
/// queue pair that they are for. A response does not say whose queue pair sent it: it belongs to
/// those requests between the same two addresses that it can respond to, once only one stream of
/// them is left.
class Judge {
 public:
  /// `connected_once`: no two connections of the capture are between the same queue pairs.
  /// `cnp_interval_ns`: CNPs for a queue pair that follow each other faster are a finding.
  explicit Judge(bool connected_once = false, std::uint64_t cnp_interval_ns = 0)
      : connected_once_(connected_once), cnp_interval_ns_(cnp_interval_ns) {}

  using Flow = std::tuple<packet::Gid, packet::Gid, std::uint32_t>;  ///< from, to, queue pair
  static Flow flow_of(const packet::Parsed& packet) {
    return {packet.src(), packet.dst(), packet.bth().dest_qp()};
  }

  void take(const packet::CapturedFrame& frame);
  /// What was found; complete after the last frame.
  const Report& report() const { return report_; }

  /// The requests of a flow; nullptr: none was seen.
  const RequestStream* requests(const Flow& flow) const;
  /// The requests to which the responses of a flow belong, once it is known.
  std::optional<Flow> requests_of(const Flow& responses) const;

 private:
  struct Responses {
    ResponseStream stream;
    std::vector<Flow> candidates;  ///< streams of requests that may be the ones; one: it is
    unsigned generation = 0;       ///< that the one had then
  };

  void judge(std::uint64_t time_ns, const packet::Parsed& packet);
  void take_cnp(std::uint64_t time_ns, const packet::Parsed& packet);
  void take_request(const packet::Parsed& packet);
  void take_response(const packet::Parsed& packet);
  std::vector<Flow> answerable(const packet::Parsed& packet, const Flow& responder) const;

  bool connected_once_;
  std::uint64_t cnp_interval_ns_;
  std::map<Flow, std::uint64_t> cnps_;  ///< time of the last one
  Report report_;
  std::map<Flow, RequestStream> requests_;
  std::map<Flow, Responses> responses_;
};

}  // namespace roci::judge
