// SPDX-License-Identifier: Apache-2.0
// The side of the network: which connection a datagram belongs to, and the response to one that
// belongs to none.
#include "driver/cm/connection/manager.hpp"

namespace roci::cm {
namespace {

constexpr std::uint8_t kLeastMtu = 1, kMostMtu = 5;  // 256 to 4096 bytes

/// The GUID that a REJ for a timeout names.
std::optional<std::uint64_t> guid_in(const Rej& rej) {
  if (rej.reason != Reason::kTimeout || rej.info_length < sizeof(std::uint64_t)) {
    return std::nullopt;
  }
  std::uint64_t guid = 0;
  for (std::size_t i = 0; i < sizeof guid; ++i) guid = guid << 8 | rej.info[i];
  return guid;
}

}  // namespace

void Manager::receive(const MadPath& path, const std::uint8_t* bytes, std::size_t size, Time now) {
  ++counts_.received;
  const auto decoded = decode(bytes, size);
  const Mad* mad = std::get_if<Mad>(&decoded);
  if (mad == nullptr) {
    ++counts_.malformed;
    return;
  }
  std::visit([&](const auto& message) { take(path, *mad, message, now); }, mad->message);
}

void Manager::give(std::uint32_t id, const Mad& mad, Time now) {
  if (!step(id, Received{mad}, now)) ++counts_.unexpected;
}

void Manager::reject(const MadPath& path, const Mad& mad, Rej rej) {
  ++counts_.rejected;
  send(path, {mad.transaction_id, 0, rej});
}

Manager::ConnectionEntry* Manager::addressed(const MadPath& path, std::uint32_t id,
                                             std::uint32_t peer_id) {
  const auto found = connections_.find(id);
  if (found == connections_.end() || found->second.path.remote != path.remote) return nullptr;
  const Connection& connection = found->second.machine;
  // Before the REP has come, the peer's ID is not known.
  const bool known = connection.state != State::kReqSent && connection.state != State::kRepWait;
  return known && connection.remote_id != peer_id ? nullptr : &found->second;
}

/// MRA, RTU, DREQ, DREP, LAP, APR: by the two IDs.
template <typename M>
void Manager::take(const MadPath& path, const Mad& mad, const M& message, Time now) {
  if (addressed(path, message.remote_id, message.local_id) != nullptr) {
    return give(message.remote_id, mad, now);
  }
  ++counts_.unknown;
  if constexpr (std::is_same_v<M, Dreq>) {  // its DREP was lost, and the connection is over here
    send(path, {mad.transaction_id, 0, Drep{message.remote_id, message.local_id, {}}});
  }
}

void Manager::take(const MadPath& path, const Mad& mad, const Req& req, Time now) {
  if (is_repeated(path, mad, req, now)) return;
  Rej rej{0, req.local_id, About::kReq, 0, Reason::kStale, {}, {}};
  if (is_stale(path, req.ca_guid, req.qpn, now)) return reject(path, mad, rej);
  if (const std::optional<Reason> reason = objection(path, req)) {
    rej.reason = *reason;
    return reject(path, mad, rej);
  }
  const std::uint32_t id = new_id();
  Connection connection;
  connection.local_id = id;
  connection.service_timeout = config_.service_timeout;
  add(id, path, req.ca_guid, receive_request(connection, mad));
}

/// A REQ of a connection that is here: the same once more, or of a peer that has forgotten it.
bool Manager::is_repeated(const MadPath& path, const Mad& mad, const Req& req, Time now) {
  const auto known = by_peer_id_.find({path.remote, req.ca_guid, req.local_id});
  if (known == by_peer_id_.end()) return false;
  const Connection& connection = connections_.at(known->second).machine;
  if (connection.transaction_id == mad.transaction_id && connection.remote_qpn == req.qpn &&
      connection.state != State::kTimeWait) {
    give(known->second, mad, now);
    return true;
  }
  is_stale(path, req.ca_guid, connection.remote_qpn, now);
  reject(path, mad, {0, req.local_id, About::kReq, 0, Reason::kStale, {}, {}});
  return true;
}

/// A connection with this queue pair of the peer is here. The peer does not know of it any more, so
/// it is disconnected.
bool Manager::is_stale(const MadPath& path, std::uint64_t guid, std::uint32_t qpn, Time now) {
  const auto known = by_peer_qpn_.find({path.remote, guid, qpn});
  if (known == by_peer_qpn_.end()) return false;
  ++counts_.stale;
  if (connections_.at(known->second).machine.state == State::kEstablished) {
    step(known->second, Disconnect{}, now);
  }
  return true;
}

/// Why a REQ cannot be given to a program.
std::optional<Reason> Manager::objection(const MadPath& path, const Req& req) const {
  if (services_.count(req.service_id) == 0) return Reason::kInvalidService;
  if (req.transport != Transport::kRc && req.transport != Transport::kUc) {
    return Reason::kInvalidTransport;
  }
  if (req.mtu < kLeastMtu || req.mtu > kMostMtu) return Reason::kInvalidMtu;
  if (req.primary.remote_gid != path.local) return Reason::kInvalidGid;
  if (full()) return Reason::kNoResources;
  return std::nullopt;
}

void Manager::take(const MadPath& path, const Mad& mad, const Rep& rep, Time now) {
  ConnectionEntry* entry = addressed(path, rep.remote_id, rep.local_id);
  Rej rej{rep.remote_id, rep.local_id, About::kRep, 0, Reason::kInvalidId, {}, {}};
  if (entry == nullptr) {
    ++counts_.unknown;
    return reject(path, mad, rej);
  }
  const State state = entry->machine.state;
  if (state == State::kReqSent || state == State::kRepWait) {
    if (is_stale(path, rep.ca_guid, rep.qpn, now)) {
      rej.reason = Reason::kStale;
      return reject(path, mad, rej);
    }
    entry->peer_guid = rep.ca_guid;
  }
  give(rep.remote_id, mad, now);
}

void Manager::take(const MadPath& path, const Mad& mad, const Rej& rej, Time now) {
  if (addressed(path, rej.remote_id, rej.local_id) != nullptr) {
    return give(rej.remote_id, mad, now);
  }
  // A REQ is withdrawn: the sender may not know our ID.
  if (const std::optional<std::uint64_t> guid = guid_in(rej)) {
    const auto known = by_peer_id_.find({path.remote, *guid, rej.local_id});
    if (known != by_peer_id_.end()) return give(known->second, mad, now);
  }
  ++counts_.unknown;
}

void Manager::take(const MadPath& path, const Mad& mad, const SidrReq& request, Time now) {
  const auto key = std::make_pair(path.remote, request.request_id);
  if (const auto known = by_sidr_request_.find(key); known != by_sidr_request_.end()) {
    if (!step_sidr(known->second, Received{mad}, now)) ++counts_.unexpected;
    return;
  }
  if (services_.count(request.service_id) == 0 || full()) {
    ++counts_.rejected;
    SidrRep reply;
    reply.request_id = request.request_id;
    reply.service_id = request.service_id;
    reply.status = full() ? SidrStatus::kNoQp : SidrStatus::kNotSupported;
    return send(path, {mad.transaction_id, 0, reply});
  }
  const std::uint32_t id = new_id();
  Sidr sidr;
  sidr.retries = config_.sidr_retries;
  sidr.response_time = interval(config_.sidr_timeout);
  by_sidr_request_.insert({key, id});
  add(id, path, advance(sidr, Received{mad}, now));
}

void Manager::take(const MadPath& path, const Mad& mad, const SidrRep& reply, Time now) {
  const auto found = sidrs_.find(reply.request_id);
  if (found == sidrs_.end() || found->second.path.remote != path.remote) {
    ++counts_.unknown;
  } else if (!step_sidr(reply.request_id, Received{mad}, now)) {
    ++counts_.unexpected;
  }
}

}  // namespace roci::cm
