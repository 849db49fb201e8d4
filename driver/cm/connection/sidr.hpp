// SPDX-License-Identifier: Apache-2.0
// One side of a service ID resolution (12.11), by which datagram programs learn a queue pair: a
// pure function like that of connection.hpp.
#pragma once

#include "driver/cm/connection/connection.hpp"

namespace roci::cm {

enum class SidrState : std::uint8_t {
  kIdle,
  kRequestSent,
  kRequestReceived,  ///< the program has the SIDR_REQ
  kResponded,        ///< repeated requests get the same reply
  kClosed,
};

struct Sidr {
  SidrState state = SidrState::kIdle;
  std::uint32_t request_id = 0;
  std::uint64_t transaction_id = 0;
  std::uint64_t service_id = 0;
  std::uint8_t retries = 0, retries_left = 0;
  Time response_time = 0;
  Time deadline = kNever;
  std::optional<Mad> sent;
};

/// Sends a SIDR_REQ; the request ID is filled in.
struct Resolve {
  SidrReq request;
};
/// Sends the SIDR_REP; request and service ID are filled in.
struct Respond {
  SidrRep reply;
  std::uint32_t modifier = 0;
};

using SidrEvent = std::variant<Resolve, Respond, Abandon, Received, Expired>;

struct SidrStep {
  Sidr next;
  std::vector<Action> actions;
  bool accepted = true;
};

/// Reports kRequest, kReply (whatever its status) or kUnreachable.
SidrStep advance(const Sidr& sidr, const SidrEvent& event, Time now);

}  // namespace roci::cm
