// SPDX-License-Identifier: Apache-2.0
// The connections of the adapters of one node: gives each datagram to the connection that it
// belongs to, replies to those that belong to none, and keeps the deadlines.
//
//   manager.receive(path, bytes, size, now);          a datagram came to QP1
//   if (manager.deadline() <= now) manager.expire(now);
//   for (Outgoing& one : manager.take_outgoing()) carrier.send(one.path, one.bytes);
//   for (Delivery& one : manager.take_deliveries()) ...   to the program that owns one.id
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "driver/cm/connection/sidr.hpp"

namespace roci::cm {

/// From QP1 to QP1.
struct MadPath {
  unsigned adapter = 0;
  std::uint8_t gid_index = 0;
  Gid local{}, remote{};
};

struct Outgoing {
  MadPath path;
  MadBytes bytes;
};

/// News of a connection, or of a SIDR, for the program.
struct Delivery {
  std::uint32_t id;
  bool sidr;
  News news;
  std::optional<Mad> mad;
};

struct ManagerConfig {
  std::uint64_t guid = 0;             ///< GUID of an adapter of the node
  std::uint32_t first_id = 1;         ///< better one that differs after each start
  std::uint8_t service_timeout = 24;  ///< exponent: what a program may take, 68 s
  std::uint8_t sidr_timeout = 20;     ///< exponent: wait for a SIDR_REP, 4.3 s
  std::uint8_t sidr_retries = 15;
  std::size_t most_connections = 65536;
};

struct ManagerCounts {
  std::uint64_t received = 0, sent = 0;
  std::uint64_t malformed = 0;   ///< decode() gave an error
  std::uint64_t unknown = 0;     ///< messages without a connection, or of another address
  std::uint64_t unexpected = 0;  ///< messages that the state does not allow
  std::uint64_t rejected = 0;    ///< requests that were rejected without a program
  std::uint64_t stale = 0;       ///< among them: of a queue pair that is still connected
};

class Manager {
 public:
  explicit Manager(const ManagerConfig& config) : config_(config), next_id_(config.first_id) {}

  // The program. An `id` is local to the manager, and 0 is none.
  void listen(std::uint64_t service_id) { services_.insert(service_id); }
  void stop_listening(std::uint64_t service_id) { services_.erase(service_id); }
  /// Sends a REQ. 0: a value of it is not allowed, or there are too many connections.
  std::uint32_t connect(const MadPath& path, const Connect& connect, Time now);
  /// False: the event does not belong to the state, or a value of its message is not allowed.
  bool post(std::uint32_t id, const Event& event, Time now);
  /// Sends a SIDR_REQ; 0 as above.
  std::uint32_t resolve(const MadPath& path, const SidrReq& request, Time now);
  bool respond(std::uint32_t id, const Respond& response, Time now);
  /// The program is done with it. The connection ends by itself, without further deliveries.
  void release(std::uint32_t id, Time now);

  // The network and the clock.
  void receive(const MadPath& path, const std::uint8_t* bytes, std::size_t size, Time now);
  Time deadline() const { return deadlines_.empty() ? kNever : deadlines_.begin()->first; }
  void expire(Time now);

  std::vector<Outgoing> take_outgoing() { return std::exchange(outgoing_, {}); }
  std::vector<Delivery> take_deliveries() { return std::exchange(deliveries_, {}); }

  /// nullptr: there is none, or it is closed.
  const Connection* find(std::uint32_t id) const;
  /// Where the messages of a connection or SIDR go; nullptr as above.
  const MadPath* path_of(std::uint32_t id) const;
  std::size_t size() const { return connections_.size() + sidrs_.size(); }
  const ManagerCounts& counts() const { return counts_; }
  /// Service IDs that programs listen on.
  const std::set<std::uint64_t>& services() const { return services_; }

 private:
  template <typename Machine>
  struct Entry {
    Machine machine;
    MadPath path;
    bool owned = true;
    std::uint64_t peer_guid = 0;
  };
  using ConnectionEntry = Entry<Connection>;
  using SidrEntry = Entry<Sidr>;
  /// Address and GUID of the peer, and an ID or queue pair there. The address is in it so that no
  /// other host can pass for the peer.
  using PeerKey = std::tuple<Gid, std::uint64_t, std::uint32_t>;

  std::uint32_t new_id();
  bool full() const { return size() >= config_.most_connections; }
  /// Applies a step, unless one of its messages cannot be encoded: then nothing changes.
  template <typename Entries, typename AnyStep>
  bool commit(Entries& entries, typename Entries::iterator at, AnyStep step);
  /// Adds what a first step has made, unless that was not accepted.
  bool add(std::uint32_t id, const MadPath& path, std::uint64_t peer_guid, Step step);
  bool add(std::uint32_t id, const MadPath& path, SidrStep step);
  bool step(std::uint32_t id, const Event& event, Time now);
  bool step_sidr(std::uint32_t id, const SidrEvent& event, Time now);
  void index(std::uint32_t id, ConnectionEntry& entry);
  void forget(std::uint32_t id, const ConnectionEntry& entry);
  void index(std::uint32_t, SidrEntry&) {}
  void forget(std::uint32_t id, const SidrEntry& entry);

  // Messages, by kind.
  void take(const MadPath& path, const Mad& mad, const Req& req, Time now);
  void take(const MadPath& path, const Mad& mad, const Rep& rep, Time now);
  void take(const MadPath& path, const Mad& mad, const Rej& rej, Time now);
  void take(const MadPath& path, const Mad& mad, const SidrReq& request, Time now);
  void take(const MadPath& path, const Mad& mad, const SidrRep& reply, Time now);
  template <typename M>
  void take(const MadPath& path, const Mad& mad, const M& message, Time now);
  /// The connection that has this ID and this peer; nullptr: none.
  ConnectionEntry* addressed(const MadPath& path, std::uint32_t id, std::uint32_t peer_id);
  bool is_repeated(const MadPath& path, const Mad& mad, const Req& req, Time now);
  bool is_stale(const MadPath& path, std::uint64_t guid, std::uint32_t qpn, Time now);
  std::optional<Reason> objection(const MadPath& path, const Req& req) const;
  void give(std::uint32_t id, const Mad& mad, Time now);
  void reject(const MadPath& path, const Mad& mad, Rej rej);
  void send(const MadPath& path, const Mad& mad);

  ManagerConfig config_;
  std::uint32_t next_id_;
  std::set<std::uint64_t> services_;
  std::unordered_map<std::uint32_t, ConnectionEntry> connections_;
  std::unordered_map<std::uint32_t, SidrEntry> sidrs_;
  std::map<PeerKey, std::uint32_t> by_peer_id_, by_peer_qpn_;
  std::map<std::pair<Gid, std::uint32_t>, std::uint32_t> by_sidr_request_;
  std::set<std::pair<Time, std::uint32_t>> deadlines_;
  std::vector<Outgoing> outgoing_;
  std::vector<Delivery> deliveries_;
  ManagerCounts counts_;
};

}  // namespace roci::cm
