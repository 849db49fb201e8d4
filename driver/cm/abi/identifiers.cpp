// SPDX-License-Identifier: Apache-2.0
// Identifiers: addresses, ports, options.
#include <cerrno>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/mad/ip.hpp"

namespace roci::cm {
namespace {

constexpr std::uint16_t kFirstPort = 32768, kPorts = 28232;  // the kernel's ephemeral ports
constexpr std::size_t kMostIdentifiers = 65536;
constexpr std::uint32_t kMostBacklog = 1024;

}  // namespace

Ucm::Id* Ucm::find(ChannelId channel, std::uint32_t id, int& error) {
  const auto found = ids_.find(id);
  error = found == ids_.end()                ? ENOENT
          : found->second.channel != channel ? EINVAL
          : found->second.removed            ? ENXIO
                                             : 0;
  return error == 0 ? &found->second : nullptr;
}

std::uint32_t Ucm::new_id() {
  while (ids_.count(next_id_) != 0) ++next_id_;
  return next_id_++;
}

int Ucm::create(ChannelId channel, const rdma_ucm_create_id& command, Body& body) {
  if (command.ps == RDMA_PS_IPOIB) return EOPNOTSUPP;
  if (command.ps != RDMA_PS_TCP && command.ps != RDMA_PS_IB && command.ps != RDMA_PS_UDP) {
    return EINVAL;
  }
  if (ids_.size() >= kMostIdentifiers) return ENOMEM;
  Id id;
  id.channel = channel;
  id.uid = command.uid;
  id.space = id.ports = command.ps;
  id.ack_timeout = config_.ack_timeout;
  const rdma_ucm_create_id_resp response{new_id()};
  ids_.insert({response.id, id});
  body = to_bytes(response);
  return 0;
}

/// The service ends with its last listener.
void Ucm::stop_listening(std::uint32_t number, const Id& id) {
  const bool shared = std::any_of(ids_.begin(), ids_.end(), [&](const auto& other) {
    return other.first != number && other.second.phase == Phase::kListen &&
           other.second.ports == id.ports && other.second.source.port == id.source.port;
  });
  if (!shared) manager_.stop_listening(service_id({PortSpace{id.ports}, id.source.port}));
}

/// Ends the connection of an identifier, and forgets it with its events.
void Ucm::drop(std::uint32_t number) {
  const Id id = ids_.at(number);
  ids_.erase(number);
  if (id.phase == Phase::kListen) stop_listening(number, id);
  resolving_.erase(number);
  auto& events = channels_.at(id.channel).events;
  for (auto event = events.begin(); event != events.end();) {
    if (event->owner != number) {
      ++event;
      continue;
    }
    if (event->request != 0) manager_.release(event->request, now_);
    event = events.erase(event);
  }
  for (auto entry = memberships_.begin(); entry != memberships_.end();) {
    entry = entry->second.owner == number ? memberships_.erase(entry) : std::next(entry);
  }
  if (id.connection != 0) {
    by_connection_.erase(id.connection);
    manager_.release(id.connection, now_);
  }
}

int Ucm::destroy(ChannelId channel, const rdma_ucm_destroy_id& command, Body& body) {
  int error = 0;
  find(channel, command.id, error);
  if (error != 0 && error != ENXIO) return error;
  const rdma_ucm_destroy_id_resp response{ids_.at(command.id).events};
  drop(command.id);
  body = to_bytes(response);
  return 0;
}

/// The port can be bound: nobody has it on this address, or both allow that.
bool Ucm::is_free(const Id& id, const Endpoint& wanted) const {
  return std::none_of(ids_.begin(), ids_.end(), [&](const auto& entry) {
    const Id& other = entry.second;
    if (&other == &id || other.phase == Phase::kIdle || other.ports != id.ports) return false;
    if (other.source.port != wanted.port || other.source.port == 0) return false;
    if (other.active || (other.connection != 0)) return false;  // shares the port of its listener
    if (id.reuse && other.reuse && other.phase != Phase::kListen) return false;
    return other.source.any() || wanted.any() || other.source.address == wanted.address;
  });
}

int Ucm::give_port(Id& id) const {
  for (unsigned i = 0; i < kPorts && id.source.port == 0; ++i) {
    Endpoint wanted = id.source;
    wanted.port = static_cast<std::uint16_t>(kFirstPort + next_port_);
    next_port_ = static_cast<std::uint16_t>((next_port_ + 1) % kPorts);
    if (is_free(id, wanted)) id.source = wanted;
  }
  return id.source.port == 0 ? EADDRNOTAVAIL : 0;
}

int Ucm::bind(ChannelId channel, const rdma_ucm_bind_ip& command, Body&) {
  int error = 0;
  Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (id->phase != Phase::kIdle) return EINVAL;
  const auto wanted = endpoint_of(command.addr);
  if (!wanted) return EAFNOSUPPORT;
  Id bound = *id;
  bound.source = *wanted;
  if (!wanted->any()) {
    if (!set_device(bound, wanted->address)) return EADDRNOTAVAIL;
  }
  if (wanted->port != 0 && !is_free(*id, *wanted)) return EADDRINUSE;
  if (const int full = give_port(bound); full != 0) return full;
  bound.phase = Phase::kBound;
  *id = bound;
  return 0;
}

bool Ucm::set_device(Id& id, const Gid& address) const {
  for (unsigned i = 0; i < config_.adapters.size(); ++i) {
    const std::vector<Gid>& gids = config_.adapters[i].gids;
    const auto found = std::find(gids.begin(), gids.end(), address);
    if (found == gids.end()) continue;
    id.adapter = i;
    id.gid_index = static_cast<std::uint8_t>(found - gids.begin());
    id.has_device = true;
    return true;
  }
  return false;
}

int Ucm::listen(ChannelId channel, const rdma_ucm_listen& command, Body&) {
  int error = 0;
  Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  Id listening = *id;
  if (id->phase == Phase::kIdle) {
    listening.source.family = AF_INET;
    listening.source.address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    if (error = give_port(listening); error != 0) return error;
  } else if (id->phase != Phase::kBound) {
    return EINVAL;
  }
  listening.reuse = false;
  if (!is_free(*id, listening.source)) return EADDRINUSE;
  const bool given = command.backlog > 0 && command.backlog < kMostBacklog;
  listening.backlog = given ? command.backlog : kMostBacklog;
  listening.phase = Phase::kListen;
  *id = listening;
  manager_.listen(service_id({PortSpace{id->ports}, id->source.port}));
  return 0;
}

int Ucm::set_option(ChannelId channel, const rdma_ucm_set_option& command, Body&) {
  int error = 0;
  Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (command.level != RDMA_OPTION_ID) return EOPNOTSUPP;  // paths of InfiniBand
  const std::vector<std::uint8_t>& value = *option_;
  if (value.size() != command.optlen) return EFAULT;
  switch (command.optname) {
    case RDMA_OPTION_ID_TOS:
      if (value.size() != 1) return EINVAL;
      id->tos = value[0];
      return 0;
    case RDMA_OPTION_ID_REUSEADDR:
    case RDMA_OPTION_ID_AFONLY: {
      if (value.size() != sizeof(int)) return EINVAL;
      const bool on = std::any_of(value.begin(), value.end(), [](auto byte) { return byte != 0; });
      if (command.optname == RDMA_OPTION_ID_REUSEADDR) id->reuse = on;
      return 0;
    }
    case RDMA_OPTION_ID_ACK_TIMEOUT:
      if (value.size() != 1 || value[0] > 31) return EINVAL;
      id->ack_timeout = value[0];
      return 0;
    default:
      return ENOSYS;
  }
}

int Ucm::migrate(ChannelId channel, const rdma_ucm_migrate_id& command, Body& body) {
  int error = 0;
  Id* id = find(other_, command.id, error);
  if (id == nullptr) return error;
  id->channel = channel;
  auto& from = channels_.at(other_).events;
  std::deque<Event> kept;
  for (Event& event : std::exchange(from, {})) {
    if (event.owner == command.id) {
      channels_.at(channel).events.push_back(event);
      on_event_(channel);
    } else {
      kept.push_back(event);
    }
  }
  from = std::move(kept);
  body = to_bytes(rdma_ucm_migrate_resp{id->events});
  return 0;
}

}  // namespace roci::cm
