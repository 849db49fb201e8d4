// SPDX-License-Identifier: Apache-2.0
// Channels, and which command a program sends. Identifiers are in identifiers.cpp, connections in
// connect.cpp, events in events.cpp.
#include "driver/cm/abi/ucm.hpp"

#include <cerrno>

namespace roci::cm {
namespace {

/// Where the program wants the reply.
template <typename Command>
auto response_of(const Command& command, int) -> decltype(std::uint64_t{command.response}) {
  return command.response;
}
template <typename Command>
std::uint64_t response_of(const Command&, long) {
  return 0;
}

/// Programs of an older version of the ABI leave out what was added at the end.
template <typename Command>
constexpr std::size_t kLeastBytes = sizeof(Command);
template <>
constexpr std::size_t kLeastBytes<rdma_ucm_connect> = offsetof(rdma_ucm_connect, ece);
template <>
constexpr std::size_t kLeastBytes<rdma_ucm_accept> = offsetof(rdma_ucm_accept, ece);

/// Room that a program must give for the reply.
constexpr std::size_t least_room(std::uint32_t command) {
  switch (command) {
    case RDMA_USER_CM_CMD_CREATE_ID:
    case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
    case RDMA_USER_CM_CMD_JOIN_MCAST:
      return sizeof(rdma_ucm_create_id_resp);
    case RDMA_USER_CM_CMD_LEAVE_MCAST:
    case RDMA_USER_CM_CMD_DESTROY_ID:
      return sizeof(rdma_ucm_destroy_id_resp);
    case RDMA_USER_CM_CMD_QUERY_ROUTE:
      return offsetof(rdma_ucm_query_route_resp, ibdev_index);
    case RDMA_USER_CM_CMD_INIT_QP_ATTR:
      return sizeof(ib_uverbs_qp_attr);
    case RDMA_USER_CM_CMD_GET_EVENT:
      return offsetof(rdma_ucm_event_resp, reserved);
    case RDMA_USER_CM_CMD_MIGRATE_ID:
      return sizeof(rdma_ucm_migrate_resp);
    default:
      return 0;
  }
}

ManagerConfig manager_of(const UcmConfig& config) {
  ManagerConfig manager;
  manager.guid = config.adapters.at(0).guid;
  manager.first_id = config.first_id;
  manager.sidr_timeout = config.sidr_timeout;
  return manager;
}

}  // namespace

Ucm::Ucm(const UcmConfig& config, std::function<Way(const MadPath&)> way,
         std::function<void(ChannelId)> on_event)
    : config_(config),
      way_(std::move(way)),
      on_event_(std::move(on_event)),
      manager_(manager_of(config)) {}

Ucm::ChannelId Ucm::open() {
  channels_.insert({next_channel_, {}});
  return next_channel_++;
}

void Ucm::close(ChannelId channel, Time now) {
  now_ = now;
  for (auto id = ids_.begin(); id != ids_.end();) {
    const auto next = std::next(id);
    if (id->second.channel == channel) drop(id->first);
    id = next;
  }
  channels_.erase(channel);
  deliver();
}

template <typename Command>
int Ucm::run(int (Ucm::*action)(ChannelId, const Command&, Body&), ChannelId channel,
             const std::uint8_t* bytes, std::size_t size, UcmReply& reply) {
  if (size < kLeastBytes<Command>) return EINVAL;
  Command command{};
  std::memcpy(&command, bytes, std::min(size, sizeof command));
  reply.address = response_of(command, 0);
  return (this->*action)(channel, command, reply.bytes);
}

UcmReply Ucm::command(ChannelId channel, const std::uint8_t* bytes, std::size_t size,
                      const std::vector<std::uint8_t>& option, ChannelId other, Time now) {
  UcmReply reply;
  rdma_ucm_cmd_hdr header{};
  if (size < sizeof header || channels_.count(channel) == 0) {
    reply.error = EINVAL;
    return reply;
  }
  std::memcpy(&header, bytes, sizeof header);
  if (header.in + sizeof header > size) {
    reply.error = EINVAL;
    return reply;
  }
  if (header.out < least_room(header.cmd)) {
    reply.error = ENOSPC;
    return reply;
  }
  now_ = now;
  option_ = &option;
  room_ = header.out;
  other_ = other;
  bytes += sizeof header;
  const auto pass = [&](auto action) { return run(action, channel, bytes, header.in, reply); };
  switch (header.cmd) {
    case RDMA_USER_CM_CMD_CREATE_ID:
      reply.error = pass(&Ucm::create);
      break;
    case RDMA_USER_CM_CMD_DESTROY_ID:
      reply.error = pass(&Ucm::destroy);
      break;
    case RDMA_USER_CM_CMD_BIND_IP:
      reply.error = pass(&Ucm::bind);
      break;
    case RDMA_USER_CM_CMD_RESOLVE_IP:
      reply.error = pass(&Ucm::resolve_address);
      break;
    case RDMA_USER_CM_CMD_RESOLVE_ROUTE:
      reply.error = pass(&Ucm::resolve_route);
      break;
    case RDMA_USER_CM_CMD_QUERY_ROUTE:
      reply.error = pass(&Ucm::query_route);
      break;
    case RDMA_USER_CM_CMD_CONNECT:
      reply.error = pass(&Ucm::connect);
      break;
    case RDMA_USER_CM_CMD_LISTEN:
      reply.error = pass(&Ucm::listen);
      break;
    case RDMA_USER_CM_CMD_ACCEPT:
      reply.error = pass(&Ucm::accept);
      break;
    case RDMA_USER_CM_CMD_REJECT:
      reply.error = pass(&Ucm::reject);
      break;
    case RDMA_USER_CM_CMD_DISCONNECT:
      reply.error = pass(&Ucm::disconnect);
      break;
    case RDMA_USER_CM_CMD_INIT_QP_ATTR:
      reply.error = pass(&Ucm::init_qp_attr);
      break;
    case RDMA_USER_CM_CMD_GET_EVENT:
      reply.error = pass(&Ucm::get_event);
      break;
    case RDMA_USER_CM_CMD_SET_OPTION:
      reply.error = pass(&Ucm::set_option);
      break;
    case RDMA_USER_CM_CMD_NOTIFY:
      reply.error = pass(&Ucm::notify);
      break;
    case RDMA_USER_CM_CMD_MIGRATE_ID:
      reply.error = pass(&Ucm::migrate);
      break;
    case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
      reply.error = pass(&Ucm::join_ip);
      break;
    case RDMA_USER_CM_CMD_JOIN_MCAST:
      reply.error = pass(&Ucm::join);
      break;
    case RDMA_USER_CM_CMD_LEAVE_MCAST:
      reply.error = pass(&Ucm::leave);
      break;
    case RDMA_USER_CM_CMD_BIND:
      reply.error = pass(&Ucm::bind_any);
      break;
    case RDMA_USER_CM_CMD_RESOLVE_ADDR:
      reply.error = pass(&Ucm::resolve_any);
      break;
    case RDMA_USER_CM_CMD_QUERY:
      reply.error = pass(&Ucm::query);
      break;
    default:
      reply.error = EINVAL;
  }
  if (reply.error != 0) reply.bytes.clear();
  if (reply.bytes.size() > header.out) reply.bytes.resize(header.out);
  deliver();
  return reply;
}

}  // namespace roci::cm
