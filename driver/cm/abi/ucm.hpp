// SPDX-License-Identifier: Apache-2.0
// What the kernel has for /dev/infiniband/rdma_cm: commands and events of <rdma/rdma_user_cm.h>,
// of the version that librdmacm 44 speaks. One object is the device of one node, for all of
// its adapters.
//
// A channel is an open descriptor of the device. The caller brings the bytes that a program writes,
// copies the reply to where the command says, and makes the descriptor readable once for each event
// that `on_event` announces. Numbers are in the byte order of the machine, as in the kernel.
#pragma once

#include <rdma/rdma_user_cm.h>

#include <deque>
#include <functional>
#include <map>

#include "driver/cm/abi/address.hpp"
#include "driver/cm/connection/manager.hpp"

namespace roci::cm {

/// Kinds of events, which the headers of the kernel leave to librdmacm.
enum class UcmEvent : std::uint32_t {
  kAddressResolved = 0,
  kAddressError = 1,
  kRouteResolved = 2,
  kConnectRequest = 4,
  kConnectResponse = 5,
  kUnreachable = 7,
  kRejected = 8,
  kEstablished = 9,
  kDisconnected = 10,
  kDeviceRemoval = 11,
  kMulticastJoin = 12,
  kTimeWaitExit = 15,
};

/// An adapter, as programs see it.
struct UcmAdapter {
  std::uint64_t guid = 0;
  std::vector<Gid> gids{};  ///< in the order of the table; RoCE v2 entries alone, others are zero
};

struct UcmConfig {
  std::vector<UcmAdapter> adapters{1};
  std::uint8_t mtu = 5;  ///< 1 to 5: 256 to 4096 bytes
  std::uint8_t most_reads = 16;
  std::uint8_t ack_timeout = 18;   ///< exponent, of the local ACK timeout of new connections
  std::uint8_t cm_timeout = 20;    ///< exponent, of the response of the peer: that of Linux
  std::uint8_t sidr_timeout = 20;  ///< likewise, of a SIDR_REQ, which no MRA extends
  std::uint8_t cm_retries = 15;
  std::uint32_t first_id = 1;  ///< the first ID of the manager
};

/// What is known of the way to the peer of a path.
enum class Way {
  kKnown,
  kNone,   ///< no node and no wire leads there
  kAsked,  ///< is being resolved: Ucm::resolved() follows, or the time of the program ends
};

struct UcmReply {
  int error = 0;                      ///< an errno; 0: done
  std::uint64_t address = 0;          ///< where the program wants the reply
  std::vector<std::uint8_t> bytes{};  ///< the reply
};

template <typename Reply>
std::vector<std::uint8_t> to_bytes(const Reply& reply) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(&reply);
  return {first, first + sizeof reply};
}

class Ucm {
 public:
  using ChannelId = std::uint32_t;

  Ucm(const UcmConfig& config, std::function<Way(const MadPath&)> way,
      std::function<void(ChannelId)> on_event);

  ChannelId open();
  /// The last descriptor of a channel is closed: its identifiers are destroyed.
  void close(ChannelId channel, Time now);
  /// `option`: what SET_OPTION points to. `other`: the channel that MIGRATE_ID names, 0 for none.
  UcmReply command(ChannelId channel, const std::uint8_t* bytes, std::size_t size,
                   const std::vector<std::uint8_t>& option, ChannelId other, Time now);

  void receive(const MadPath& path, const std::uint8_t* bytes, std::size_t size, Time now);
  /// The way of a path is found: identifiers that wait for it continue.
  void resolved(const MadPath& path, Time now);
  /// Whether an identifier waits for the way of a path.
  bool awaits(const MadPath& path) const;
  /// The adapter has failed: its identifiers get DEVICE_REMOVAL, and can only be destroyed.
  void remove(unsigned adapter, Time now);
  Time deadline() const;
  void expire(Time now);
  std::vector<Outgoing> take_outgoing() { return manager_.take_outgoing(); }
  const Manager& manager() const { return manager_; }
  std::size_t identifiers() const { return ids_.size(); }
  std::size_t memberships() const { return memberships_.size(); }
  std::size_t channels() const { return channels_.size(); }

 private:
  enum class Phase { kIdle, kBound, kResolving, kAddress, kRoute, kConnect, kListen };

  struct Id {
    ChannelId channel = 0;
    std::uint64_t uid = 0;
    std::uint16_t space = 0;
    std::uint16_t ports = 0;  ///< port space of its port: `space`, unless a native address says so
    Phase phase = Phase::kIdle;
    Endpoint source, destination;
    unsigned adapter = 0;  ///< index in the configuration
    std::uint8_t gid_index = 0;
    bool has_device = false;
    bool reuse = false;
    bool left = false;     ///< the program knows that the connection is over
    bool removed = false;  ///< with its adapter
    std::uint8_t tos = 0, ack_timeout = 0;
    std::uint32_t backlog = 0;
    std::uint32_t connection = 0;  ///< ID of the connection in the manager
    std::uint32_t events = 0;      ///< that the program has fetched
    // Of the connection.
    bool active = false;
    std::uint32_t local_psn = 0;
    Req req;
    Rep rep;
    std::uint32_t qkey = 0;  ///< agreed for a datagram service

    bool datagrams() const { return space == RDMA_PS_UDP; }
  };
  /// An identifier whose peer is being resolved, and what it was before.
  struct Resolving {
    Time until = 0;
    Phase phase = Phase::kIdle;
    Endpoint source;
    bool has_device = false;
  };
  /// A membership of an identifier in a multicast group.
  struct Membership {
    std::uint32_t owner = 0;  ///< identifier
    std::uint64_t uid = 0;
    std::uint32_t events = 0;  ///< that the program has fetched
  };
  struct Event {
    std::uint32_t owner;           ///< identifier
    std::uint32_t membership = 0;  ///< that a MULTICAST_JOIN is about
    std::uint32_t request = 0;     ///< connection of a CONNECT_REQUEST, which has no identifier yet
    Req req{};
    rdma_ucm_event_resp body{};
  };
  struct Channel {
    std::deque<Event> events;
  };
  using Body = std::vector<std::uint8_t>;

  // Commands: an errno, or 0.
  template <typename Command>
  int run(int (Ucm::*action)(ChannelId, const Command&, Body&), ChannelId channel,
          const std::uint8_t* bytes, std::size_t size, UcmReply& reply);
  int create(ChannelId, const rdma_ucm_create_id&, Body&);
  int destroy(ChannelId, const rdma_ucm_destroy_id&, Body&);
  int bind(ChannelId, const rdma_ucm_bind_ip&, Body&);
  int resolve_address(ChannelId, const rdma_ucm_resolve_ip&, Body&);
  int resolve_route(ChannelId, const rdma_ucm_resolve_route&, Body&);
  int query_route(ChannelId, const rdma_ucm_query&, Body&);
  int bind_any(ChannelId, const rdma_ucm_bind&, Body&);
  int resolve_any(ChannelId, const rdma_ucm_resolve_addr&, Body&);
  int query(ChannelId, const rdma_ucm_query&, Body&);
  int connect(ChannelId, const rdma_ucm_connect&, Body&);
  int listen(ChannelId, const rdma_ucm_listen&, Body&);
  int accept(ChannelId, const rdma_ucm_accept&, Body&);
  int reject(ChannelId, const rdma_ucm_reject&, Body&);
  int disconnect(ChannelId, const rdma_ucm_disconnect&, Body&);
  int init_qp_attr(ChannelId, const rdma_ucm_init_qp_attr&, Body&);
  int get_event(ChannelId, const rdma_ucm_get_event&, Body&);
  int set_option(ChannelId, const rdma_ucm_set_option&, Body&);
  int notify(ChannelId, const rdma_ucm_notify&, Body&);
  int migrate(ChannelId, const rdma_ucm_migrate_id&, Body&);
  int join(ChannelId, const rdma_ucm_join_mcast&, Body&);
  int join_ip(ChannelId, const rdma_ucm_join_ip_mcast&, Body&);
  int leave(ChannelId, const rdma_ucm_destroy_id&, Body&);
  int join_group(ChannelId, std::uint32_t number, std::uint64_t uid, const Endpoint&, Body&);

  Id* find(ChannelId channel, std::uint32_t id, int& error);
  std::uint32_t new_id();
  int give_port(Id& id) const;
  bool is_free(const Id& id, const Endpoint& wanted) const;
  /// Gives an identifier the adapter and the entry of its table that have `address`. False: none.
  bool set_device(Id& id, const Gid& address) const;
  int choose_source(Id& id, const Gid& destination) const;
  int resolve_loopback(std::uint32_t number, Id& id, const Endpoint& destination);
  int bind_native(Id& id, const sockaddr_ib& address) const;
  bool choose_native_source(Id& id) const;
  int query_addresses(const Id& id, bool native, Body& body) const;
  int query_path(const Id& id, Body& body) const;
  /// Writes the paths of the route; their number.
  std::uint32_t paths_of(const Id& id, ib_user_path_rec (&paths)[2]) const;
  void finish_resolving(std::uint32_t number, UcmEvent kind, int status);
  void stop_listening(std::uint32_t number, const Id& id);
  void drop(std::uint32_t number);
  void queue(std::uint32_t number, UcmEvent kind, int status);
  void push(const Event& event);
  void deliver();
  void on_request(const Delivery& delivery);
  void on_datagram_request(const Delivery& delivery);
  void on_datagram_reply(std::uint32_t number, Id& id, const SidrRep& reply);
  int connect_datagrams(std::uint32_t number, Id& id, const rdma_ucm_conn_param& param);
  int accept_datagrams(Id& id, const rdma_ucm_accept& command);
  void on_news(std::uint32_t number, Id& id, const Delivery& delivery);
  Id* listener_of(const Req& req, std::uint32_t& number);
  MadPath path_of(const Id& id) const;

  UcmConfig config_;
  std::function<Way(const MadPath&)> way_;
  std::function<void(ChannelId)> on_event_;
  Manager manager_;
  std::map<ChannelId, Channel> channels_;
  std::map<std::uint32_t, Id> ids_;
  std::map<std::uint32_t, Resolving> resolving_;
  std::map<std::uint32_t, Membership> memberships_;
  std::map<std::uint32_t, std::uint32_t> by_connection_;
  ChannelId next_channel_ = 1;
  std::uint32_t next_id_ = 0, next_membership_ = 0, next_psn_ = 0x1234;
  mutable std::uint16_t next_port_ = 0;
  // What the command that runs has brought.
  Time now_ = 0;
  const std::vector<std::uint8_t>* option_ = nullptr;
  std::size_t room_ = 0;  ///< for the reply
  ChannelId other_ = 0;
};

}  // namespace roci::cm
