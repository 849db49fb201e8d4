// SPDX-License-Identifier: Apache-2.0
// Two nodes with the device of rdma_cm, and programs on them that send commands as librdmacm 44
// does.
#pragma once

#include <doctest/doctest.h>

#include <cerrno>

#include "driver/cm/abi/ucm.hpp"

namespace roci::cm {

inline constexpr std::uint16_t kPort = 7174;
inline constexpr std::uint8_t kAckTimeout = 18;

inline Gid address(std::uint8_t host) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, host};
}
inline Gid ipv6(std::uint8_t host) {
  return {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host};
}

/// Two nodes, 10.0.0.1 and 10.0.0.2, and what carries their datagrams.
struct Fabric {
  std::map<Ucm::ChannelId, unsigned> announced[2];
  std::vector<Ucm> nodes;
  Time now = 0;
  bool carries = true;         ///< false: the test takes the datagrams
  std::vector<MadPath> asked;  ///< ways to hosts that are no nodes, from 10.0.0.128 on

  explicit Fabric(const std::function<void(unsigned, UcmConfig&)>& change = {}) {
    for (unsigned i = 0; i < 2; ++i) {
      UcmConfig config;
      config.adapters[0].guid = 0xA1 + i;
      const auto host = static_cast<std::uint8_t>(i + 1);
      config.adapters[0].gids = {address(host), ipv6(host)};
      config.first_id = 0x100 * (i + 1);
      config.ack_timeout = kAckTimeout;
      if (change) change(i, config);
      const auto way = [this](const MadPath& path) {
        const std::uint8_t to = path.remote[15];
        if (to == 1 || to == 2) return Way::kKnown;
        if (to < 128) return Way::kNone;
        asked.push_back(path);
        return Way::kAsked;
      };
      nodes.emplace_back(config, way,
                         [this, i](Ucm::ChannelId channel) { ++announced[i][channel]; });
    }
  }
  void carry() {
    for (bool any = carries; any;) {
      any = false;
      for (unsigned i = 0; i < 2; ++i) {
        for (const Outgoing& one : nodes[i].take_outgoing()) {
          any = true;
          const MadPath back{0, one.path.gid_index, one.path.remote, one.path.local};
          const unsigned to = one.path.remote[15] - 1u;
          nodes[to].receive(back, one.bytes.data(), one.bytes.size(), now);
        }
      }
    }
  }
};

/// A program with one channel.
struct Program {
  Fabric& fabric;
  unsigned node;
  Ucm::ChannelId channel;

  Program(Fabric& on, unsigned index) : fabric(on), node(index), channel(on.nodes[index].open()) {}
  Ucm& ucm() { return fabric.nodes[node]; }

  /// Sends a command without carrying datagrams; its error, and its reply.
  template <typename Command>
  int bare(std::uint32_t kind, const Command& command, void* reply = nullptr,
           std::size_t reply_bytes = 0, Ucm::ChannelId other = 0) {
    rdma_ucm_cmd_hdr header{kind, sizeof command, static_cast<std::uint16_t>(reply_bytes)};
    std::vector<std::uint8_t> bytes(sizeof header + sizeof command);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, &command, sizeof command);
    const UcmReply done = ucm().command(channel, bytes.data(), bytes.size(), {}, other, fabric.now);
    if (done.error == 0) {
      CHECK(done.bytes.size() <= reply_bytes);
      if (reply != nullptr && !done.bytes.empty())
        std::memcpy(reply, done.bytes.data(), done.bytes.size());
    }
    return done.error;
  }
  template <typename... Arguments>
  int send(Arguments... arguments) {
    const int error = bare(arguments...);
    fabric.carry();
    return error;
  }

  std::uint32_t create(std::uint64_t uid, std::uint16_t space = RDMA_PS_TCP) {
    rdma_ucm_create_id command{};
    command.uid = uid;
    command.ps = space;
    command.response = 1;
    rdma_ucm_create_id_resp reply{};
    CHECK(send(RDMA_USER_CM_CMD_CREATE_ID, command, &reply, sizeof reply) == 0);
    return reply.id;
  }
  int bind(std::uint32_t id, const Endpoint& to) {
    rdma_ucm_bind_ip command{};
    command.id = id;
    command.addr = sockaddr_of(to);
    return send(RDMA_USER_CM_CMD_BIND_IP, command);
  }
  int listen(std::uint32_t id, std::uint32_t backlog = 4) {
    return send(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{id, backlog});
  }
  int resolve(std::uint32_t id, const Endpoint& to) {
    rdma_ucm_resolve_ip command{};
    command.id = id;
    command.dst_addr = sockaddr_of(to);
    return send(RDMA_USER_CM_CMD_RESOLVE_IP, command);
  }
  static rdma_ucm_conn_param param(std::uint32_t qpn, const char* text) {
    rdma_ucm_conn_param result{};
    result.valid = 1;
    result.qp_num = qpn;
    result.responder_resources = 3;
    result.initiator_depth = 2;
    result.retry_count = 6;
    result.rnr_retry_count = 5;
    result.private_data_len = static_cast<std::uint8_t>(std::strlen(text));
    std::memcpy(result.private_data, text, result.private_data_len);
    return result;
  }
  int connect(std::uint32_t id, std::uint32_t qpn, const char* text = "hello") {
    rdma_ucm_connect command{};
    command.id = id;
    command.conn_param = param(qpn, text);
    return send(RDMA_USER_CM_CMD_CONNECT, command);
  }
  int accept(std::uint32_t id, std::uint64_t uid, std::uint32_t qpn, const char* text = "welcome") {
    rdma_ucm_accept command{};
    command.id = id;
    command.uid = uid;
    command.conn_param = param(qpn, text);
    return send(RDMA_USER_CM_CMD_ACCEPT, command);
  }
  int ready(std::uint32_t id) {
    rdma_ucm_accept command{};
    command.id = id;
    return send(RDMA_USER_CM_CMD_ACCEPT, command);
  }
  int disconnect(std::uint32_t id) {
    return send(RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{id});
  }
  std::uint32_t destroy(std::uint32_t id) {
    rdma_ucm_destroy_id command{};
    command.id = id;
    command.response = 1;
    rdma_ucm_destroy_id_resp reply{};
    CHECK(send(RDMA_USER_CM_CMD_DESTROY_ID, command, &reply, sizeof reply) == 0);
    return reply.events_reported;
  }
  ib_uverbs_qp_attr attributes(std::uint32_t id, ibv_qp_state state, int error = 0) {
    ib_uverbs_qp_attr reply{};
    const rdma_ucm_init_qp_attr command{1, id, static_cast<std::uint32_t>(state)};
    CHECK(send(RDMA_USER_CM_CMD_INIT_QP_ATTR, command, &reply, sizeof reply) == error);
    return reply;
  }
  bool has_event() {
    rdma_ucm_event_resp reply{};
    const int error = send(RDMA_USER_CM_CMD_GET_EVENT, rdma_ucm_get_event{1}, &reply, sizeof reply);
    CHECK((error == EAGAIN || error == 0));
    return error == 0;
  }
  rdma_ucm_event_resp event(UcmEvent kind) {
    rdma_ucm_event_resp reply{};
    REQUIRE(send(RDMA_USER_CM_CMD_GET_EVENT, rdma_ucm_get_event{1}, &reply, sizeof reply) == 0);
    CHECK(reply.event == static_cast<std::uint32_t>(kind));
    return reply;
  }
};

inline const Endpoint kServer{address(1), kPort, AF_INET};
inline const Endpoint kAny{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, kPort, AF_INET};

/// A client that has resolved address and route of the server.
inline std::uint32_t resolved(Program& client, std::uint64_t uid, const Endpoint& to = kServer,
                              std::uint16_t space = RDMA_PS_TCP) {
  const std::uint32_t id = client.create(uid, space);
  CHECK(client.resolve(id, to) == 0);
  CHECK(client.event(UcmEvent::kAddressResolved).uid == uid);
  CHECK(client.send(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 1000}) == 0);
  client.event(UcmEvent::kRouteResolved);
  return id;
}

}  // namespace roci::cm
