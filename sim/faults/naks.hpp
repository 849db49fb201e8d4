// SPDX-License-Identifier: Apache-2.0
// What the responders of RC connections have received, as the link sees it, and the NAKs that
// faults send for them (decision 0010).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "model/packet/parser.hpp"

namespace roci::sim::faults {

/// A connection by the ends of its requests: sender, receiver (both as senders of the link), queue
/// pair of the responder.
using FlowName = std::tuple<unsigned, unsigned, std::uint32_t>;

/// What a link needs to know of the queue pair of the requester.
struct Requester {
  std::uint32_t number;
  transport::Psn first_psn;
  unsigned mtu;
  std::uint64_t generation;  ///< differs when the queue pair was connected anew
};

/// PSNs that a request takes: a READ takes one for each response.
std::uint32_t span_of(const Requester& requester, const packet::Parsed& request);

class Naks {
 public:
  /// Whether the responder expects this request next.
  bool expected(const FlowName& name, const Requester& requester, const packet::Parsed& request);
  /// Whether the request follows one that was stopped and is dropped therefore.
  bool after_nak(const FlowName& name, const packet::Parsed& request);
  /// The NAK to a request, and the state of the connection after it: the request is stopped until
  /// it is retransmitted after the NAK.
  packet::Bytes stop(const FlowName& name, const Requester& requester,
                     const packet::Parsed& request, std::uint8_t syndrome);
  /// Whether the responses to the READs and atomics before the stopped request have left, so that
  /// its NAK may follow; `at_last`: it does in any case.
  bool may_send(const FlowName& name, bool at_last);
  /// A request that reaches the responder.
  void passed(const FlowName& name, const Requester& requester, const packet::Parsed& request);
  /// A response that the responder sent; `name` is that of its requests.
  void responded(const FlowName& name, const packet::Parsed& response);
  void clear() { flows_.clear(); }

 private:
  struct Flow {
    std::uint64_t generation = 0;  ///< that of the requester
    transport::Psn expected;
    std::uint32_t msn = 0;
    transport::Psn awaited;       ///< last PSN of the last READ or atomic
    transport::Psn responded_to;  ///< last PSN of the responses
    struct Stopped {
      transport::Psn psn;
      bool sent;
    };
    std::optional<Stopped> stopped;
  };
  Flow& flow(const FlowName& name, const Requester& requester, const packet::Parsed& request);

  std::map<FlowName, Flow> flows_;
};

}  // namespace roci::sim::faults
