// SPDX-License-Identifier: Apache-2.0
// The side of the program, and the deadlines. The side of the network is in dispatch.cpp.
#include "driver/cm/connection/manager.hpp"

namespace roci::cm {

std::uint32_t Manager::new_id() {
  while (next_id_ == 0 || connections_.count(next_id_) != 0 || sidrs_.count(next_id_) != 0) {
    ++next_id_;
  }
  return next_id_++;
}

void Manager::send(const MadPath& path, const Mad& mad) {
  const auto encoded = encode(mad);
  if (const MadBytes* bytes = std::get_if<MadBytes>(&encoded)) {
    outgoing_.push_back({path, *bytes});
    ++counts_.sent;
  }
}

template <typename Entries, typename AnyStep>
bool Manager::commit(Entries& entries, typename Entries::iterator at, AnyStep step) {
  constexpr bool kSidr = std::is_same_v<Entries, decltype(sidrs_)>;
  if (!step.accepted) return false;
  for (const Action& action : step.actions) {
    const Send* send = std::get_if<Send>(&action);
    if (send != nullptr && !std::holds_alternative<MadBytes>(encode(send->mad))) return false;
  }
  const std::uint32_t id = at->first;
  auto& entry = at->second;
  const Time before = entry.machine.deadline, after = step.next.deadline;
  entry.machine = std::move(step.next);
  for (const Action& action : step.actions) {
    if (const Send* message = std::get_if<Send>(&action)) {
      send(entry.path, message->mad);
    } else if (entry.owned) {
      const auto& report = std::get<Report>(action);
      deliveries_.push_back({id, kSidr, report.news, report.mad});
    }
  }
  if (before != after) {
    if (before != kNever) deadlines_.erase({before, id});
    if (after != kNever) deadlines_.insert({after, id});
  }
  index(id, entry);
  if (entry.machine.state == decltype(entry.machine.state)::kClosed) {
    forget(id, entry);
    entries.erase(at);
  }
  return true;
}

bool Manager::add(std::uint32_t id, const MadPath& path, std::uint64_t peer_guid, Step step) {
  const auto at = connections_.insert({id, {Connection{}, path, true, peer_guid}}).first;
  if (commit(connections_, at, std::move(step))) return true;
  connections_.erase(at);
  return false;
}

bool Manager::add(std::uint32_t id, const MadPath& path, SidrStep step) {
  const auto at = sidrs_.insert({id, {Sidr{}, path, true, 0}}).first;
  if (commit(sidrs_, at, std::move(step))) return true;
  sidrs_.erase(at);
  return false;
}

bool Manager::step(std::uint32_t id, const Event& event, Time now) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return false;
  return commit(connections_, found, advance(found->second.machine, event, now));
}

bool Manager::step_sidr(std::uint32_t id, const SidrEvent& event, Time now) {
  const auto found = sidrs_.find(id);
  if (found == sidrs_.end()) return false;
  return commit(sidrs_, found, advance(found->second.machine, event, now));
}

/// Notes what the connection is found by when a request comes.
void Manager::index(std::uint32_t id, ConnectionEntry& entry) {
  const Connection& connection = entry.machine;
  if (connection.remote_qpn == 0) return;
  const auto key = [&](std::uint32_t number) {
    return PeerKey{entry.path.remote, entry.peer_guid, number};
  };
  if (!connection.active) by_peer_id_.insert({key(connection.remote_id), id});
  by_peer_qpn_.insert({key(connection.remote_qpn), id});
}

void Manager::forget(std::uint32_t id, const ConnectionEntry& entry) {
  const auto erase = [id](auto& map, const auto& key) {
    const auto found = map.find(key);
    if (found != map.end() && found->second == id) map.erase(found);
  };
  erase(by_peer_id_, PeerKey{entry.path.remote, entry.peer_guid, entry.machine.remote_id});
  erase(by_peer_qpn_, PeerKey{entry.path.remote, entry.peer_guid, entry.machine.remote_qpn});
}

void Manager::forget(std::uint32_t id, const SidrEntry& entry) {
  const auto found = by_sidr_request_.find({entry.path.remote, entry.machine.request_id});
  if (found != by_sidr_request_.end() && found->second == id) by_sidr_request_.erase(found);
}

std::uint32_t Manager::connect(const MadPath& path, const Connect& connect, Time now) {
  if (full()) return 0;
  const std::uint32_t id = new_id();
  Connection connection;
  connection.local_id = id;
  connection.transaction_id = config_.guid << 32 | id;
  connection.service_timeout = config_.service_timeout;
  return add(id, path, 0, advance(connection, connect, now)) ? id : 0;
}

bool Manager::post(std::uint32_t id, const Event& event, Time now) { return step(id, event, now); }

std::uint32_t Manager::resolve(const MadPath& path, const SidrReq& request, Time now) {
  if (full()) return 0;
  const std::uint32_t id = new_id();
  Sidr sidr;
  sidr.request_id = id;
  sidr.transaction_id = config_.guid << 32 | id;
  sidr.retries = config_.sidr_retries;
  sidr.response_time = interval(config_.sidr_timeout);
  return add(id, path, advance(sidr, Resolve{request}, now)) ? id : 0;
}

bool Manager::respond(std::uint32_t id, const Respond& response, Time now) {
  return step_sidr(id, response, now);
}

void Manager::release(std::uint32_t id, Time now) {
  if (const auto found = connections_.find(id); found != connections_.end()) {
    found->second.owned = false;
    step(id, Abandon{}, now);
  }
  if (const auto found = sidrs_.find(id); found != sidrs_.end()) {
    found->second.owned = false;
    step_sidr(id, Abandon{}, now);
  }
}

void Manager::expire(Time now) {
  while (deadline() <= now) {
    const std::uint32_t id = deadlines_.begin()->second;
    if (connections_.count(id) != 0) {
      step(id, Expired{}, now);
    } else {
      step_sidr(id, Expired{}, now);
    }
  }
}

const Connection* Manager::find(std::uint32_t id) const {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : &found->second.machine;
}

const MadPath* Manager::path_of(std::uint32_t id) const {
  if (const auto found = connections_.find(id); found != connections_.end()) {
    return &found->second.path;
  }
  const auto found = sidrs_.find(id);
  return found == sidrs_.end() ? nullptr : &found->second.path;
}

}  // namespace roci::cm
