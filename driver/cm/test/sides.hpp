// SPDX-License-Identifier: Apache-2.0
// Messages and states for the tests of the state machine.
#pragma once

#include <string>

#include "driver/cm/connection/connection.hpp"

namespace roci::cm::sides {

// Both sides of the connection of these tests.
inline constexpr std::uint32_t kOurId = 0x11, kTheirId = 0x22;
inline constexpr std::uint32_t kOurQpn = 0x101, kTheirQpn = 0x202;
inline constexpr std::uint64_t kOurGuid = 0xA1, kTheirGuid = 0xB2;
inline constexpr std::uint64_t kTransaction = 0x1234;
inline constexpr std::uint64_t kService = 0x0000000001061C06;
inline constexpr std::uint8_t kActiveTimeout = 10, kPassiveTimeout = 11, kAckTimeout = 8;
inline constexpr std::uint8_t kRetries = 2, kServiceTimeout = 14;

inline Req req_of(std::uint32_t id, std::uint32_t qpn, std::uint64_t guid) {
  Req req;
  req.local_id = id;
  req.service_id = kService;
  req.ca_guid = guid;
  req.qpn = qpn;
  req.remote_timeout = kActiveTimeout;
  req.local_timeout = kPassiveTimeout;
  req.cm_retries = kRetries;
  req.mtu = 5;
  req.primary.ack_timeout = kAckTimeout;
  return req;
}

inline Rep rep_of(std::uint32_t id, std::uint32_t remote, std::uint32_t qpn, std::uint64_t guid) {
  Rep rep;
  rep.local_id = id;
  rep.remote_id = remote;
  rep.qpn = qpn;
  rep.ca_guid = guid;
  return rep;
}

template <typename M>
Event from_peer(const M& message) {
  return Received{{kTransaction, 0, message}};
}

/// Events by the names of the tables below.
inline Event event_of(const std::string& name) {
  const std::uint32_t us = kOurId, them = kTheirId;
  if (name == "connect") return Connect{req_of(0, kOurQpn, kOurGuid), 0};
  if (name == "accept") return Accept{rep_of(0, 0, kOurQpn, kOurGuid), 0};
  if (name == "ready") return Ready{};
  if (name == "reject") return Reject{};
  if (name == "delay") return Delay{kServiceTimeout};
  if (name == "alive") return CameAlive{};
  if (name == "disconnect") return Disconnect{};
  if (name == "abandon") return Abandon{};
  if (name == "REQ") return from_peer(req_of(them, kTheirQpn, kTheirGuid));
  if (name == "MRA REQ") return from_peer(Mra{them, us, About::kReq, kServiceTimeout, {}});
  if (name == "MRA REP") return from_peer(Mra{them, us, About::kRep, kServiceTimeout, {}});
  if (name == "REJ") {
    return from_peer(Rej{them, us, About::kReq, 0, Reason::kConsumer, {}, {}});
  }
  if (name == "REJ stale") {
    return from_peer(Rej{them, us, About::kReq, 0, Reason::kStale, {}, {}});
  }
  if (name == "REP") return from_peer(rep_of(them, us, kTheirQpn, kTheirGuid));
  if (name == "strange REP") return from_peer(rep_of(them + 1, us, kTheirQpn, kTheirGuid));
  if (name == "other REP") return from_peer(rep_of(them, us, kTheirQpn + 1, kTheirGuid));
  if (name == "RTU") return from_peer(Rtu{them, us, {}});
  if (name == "DREQ") return from_peer(Dreq{them, us, kOurQpn, {}});
  if (name == "other DREQ") return from_peer(Dreq{them, us, kOurQpn + 1, {}});
  if (name == "DREP") return from_peer(Drep{them, us, {}});
  if (name == "LAP") {
    Lap lap;
    lap.local_id = them;
    lap.remote_id = us;
    return from_peer(lap);
  }
  return Expired{};
}

/// A connection of one side before its first event.
inline Connection fresh() {
  Connection connection;
  connection.local_id = kOurId;
  connection.transaction_id = kTransaction;
  connection.local_guid = kOurGuid;
  connection.service_timeout = kServiceTimeout;
  return connection;
}

inline Connection active(std::initializer_list<const char*> events) {
  Connection connection = fresh();
  for (const char* event : events) {
    connection = advance(connection, event_of(event), 0).next;
  }
  return connection;
}

inline Connection passive(std::initializer_list<const char*> events) {
  const Mad mad{kTransaction, 0, req_of(kTheirId, kTheirQpn, kTheirGuid)};
  Connection connection = receive_request(fresh(), mad).next;
  for (const char* event : events) {
    connection = advance(connection, event_of(event), 0).next;
  }
  return connection;
}

}  // namespace roci::cm::sides
