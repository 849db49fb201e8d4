// SPDX-License-Identifier: Apache-2.0
// One side of a connection (IBTA volume 1, 12.9), as a pure function: state, event and time to
// state and actions. It keeps no clock, sends nothing and calls nobody.
//
//   Step step = advance(connection, Received{mad}, now);
//   connection = step.next;      for (const Action& action : step.actions) ...
//
// The caller sends what a Send holds, passes a Report to the program, and comes back with Expired
// when connection.deadline is reached.
#pragma once

#include <optional>
#include <vector>

#include "driver/cm/connection/time.hpp"
#include "driver/cm/mad/message.hpp"

namespace roci::cm {

/// Names of the specification. The active side sends the REQ.
enum class State : std::uint8_t {
  kIdle,
  kReqSent,      ///< active
  kRepWait,      ///< active: an MRA delays the REP
  kRepReceived,  ///< active: the program has the REP
  kMraRepSent,   ///< active: likewise, and the peer knows that it takes longer
  kReqReceived,  ///< passive: the program has the REQ
  kMraReqSent,   ///< passive: likewise, and the peer knows that it takes longer
  kRepSent,      ///< passive
  kRtuWait,      ///< passive: an MRA delays the RTU
  kEstablished,
  kDreqSent,
  kDreqReceived,  ///< the program has the DREQ
  kTimeWait,      ///< the queue pair must not be used again yet
  kClosed,        ///< the end: the connection can be deleted
};
inline constexpr std::size_t kStates = 14;
const char* to_string(State state);

struct Connection {
  State state = State::kIdle;
  bool active = false;
  std::uint32_t local_id = 0, remote_id = 0;
  std::uint64_t transaction_id = 0;
  std::uint64_t local_guid = 0;
  std::uint32_t local_qpn = 0, remote_qpn = 0;
  std::uint8_t service_timeout = 0;  ///< exponent for the MRA in response to a repeated message
  std::uint8_t retries = 0;          ///< as the REQ has it
  std::uint8_t retries_left = 0;
  Time response_time = 0;  ///< wait for the response to a message
  Time path_time = 0;      ///< there and back, and TIMEWAIT
  Time deadline = kNever;
  std::optional<Mad> sent;  ///< what a timeout or a repeated message of the peer retransmits
};

// Events. From the program:
struct Connect {  ///< kIdle: send this REQ
  Req req;
  std::uint32_t modifier = 0;
};
struct Accept {  ///< send this REP; IDs are filled in
  Rep rep;
  std::uint32_t modifier = 0;
};
struct Ready {  ///< send the RTU
  Data<224> private_data{};
};
struct Reject {  ///< send a REJ
  Reason reason = Reason::kConsumer;
  Data<148> private_data{};
};
struct Delay {  ///< send an MRA
  std::uint8_t service_timeout = 0;
};
struct CameAlive {};  ///< data arrived on the queue pair, which shows that the peer is ready
struct Disconnect {   ///< send a DREQ, or the DREP if the peer was first
  Data<220> private_data{};
};
struct Abandon {};  ///< the program is gone: end the connection in whatever state it is
// From the network and the clock:
struct Received {
  Mad mad;
};
struct Expired {};

using Event = std::variant<Connect, Accept, Ready, Reject, Delay, CameAlive, Disconnect, Abandon,
                           Received, Expired>;

/// What the program must know.
enum class News : std::uint8_t {
  kRequest,        ///< a REQ has come (`mad`)
  kReply,          ///< a REP has come (`mad`): Ready, Reject or Delay
  kEstablished,    ///< the RTU (`mad`) or data has come
  kRejected,       ///< a REJ has come (`mad`)
  kUnreachable,    ///< no response to REQ or REP
  kDisconnecting,  ///< a DREQ has come (`mad`): Disconnect
  kDisconnected,   ///< the DREP has come or never will
  kTimeWaitOver,   ///< the queue pair may be used again
};
const char* to_string(News news);

struct Report {
  News news;
  std::optional<Mad> mad;
};
struct Send {
  Mad mad;
};
using Action = std::variant<Send, Report>;

struct Step {
  Connection next;
  std::vector<Action> actions;
  /// False: the event does not belong to the state. Of the program, an error; of the network, a
  /// message to be dropped. Then nothing has changed.
  bool accepted = true;
};

Step advance(const Connection& connection, const Event& event, Time now);

/// The connection of a REQ that has come and passed the checks of the table: kReqReceived.
Step receive_request(const Connection& fresh, const Mad& mad);

/// The waiting times of a connection follow from its REQ.
Time response_time_of(const Req& req, bool active);
Time path_time_of(const Req& req);

}  // namespace roci::cm
