// SPDX-License-Identifier: Apache-2.0
// From an address of a peer to the adapter, the own address and the way to it.
#include <cerrno>

#include "driver/cm/abi/ucm.hpp"

namespace roci::cm {
namespace {

constexpr Time kMillisecond = 1'000'000;

bool same_way(const MadPath& a, const MadPath& b) {
  return a.adapter == b.adapter && a.gid_index == b.gid_index && a.remote == b.remote;
}

}  // namespace

/// The first address on the network of the destination; without one, the first of its family.
int Ucm::choose_source(Id& id, const Gid& destination) const {
  if (id.has_device) return is_ipv4(id.source.address) == is_ipv4(destination) ? 0 : EINVAL;
  const Gid* chosen = nullptr;
  for (const UcmAdapter& adapter : config_.adapters) {
    for (const Gid& gid : adapter.gids) {
      if (gid == Gid{} || is_ipv4(gid) != is_ipv4(destination)) continue;
      if (chosen == nullptr) chosen = &gid;
      if (on_one_network(gid, destination) && !on_one_network(*chosen, destination)) chosen = &gid;
    }
  }
  if (chosen == nullptr || !set_device(id, *chosen)) return ENODEV;
  id.source.address = *chosen;
  id.source.family = is_ipv4(*chosen) ? AF_INET : AF_INET6;
  return 0;
}

/// The loopback, and the address of none, are those of the first adapter. As on Linux there is no
/// route to them, because no interface of RoCE has them.
int Ucm::resolve_loopback(std::uint32_t number, Id& id, const Endpoint& destination) {
  Id found = id;
  found.destination = destination;
  if (!found.has_device) {
    const auto adapter = std::find_if(
        config_.adapters.begin(), config_.adapters.end(),
        [](const UcmAdapter& one) { return !one.gids.empty() && one.gids.front() != Gid{}; });
    if (adapter == config_.adapters.end() || !set_device(found, adapter->gids.front())) {
      return ENODEV;
    }
    found.source.family = destination.family;
    found.source.address = Endpoint::loopback(destination.family);
  }
  if (const int full = give_port(found); full != 0) return full;
  found.phase = Phase::kAddress;
  id = found;
  queue(number, UcmEvent::kAddressResolved, 0);
  return 0;
}

int Ucm::resolve_address(ChannelId channel, const rdma_ucm_resolve_ip& command, Body&) {
  int error = 0;
  Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (id->phase == Phase::kIdle && command.src_addr.sin6_family != AF_UNSPEC) {
    rdma_ucm_bind_ip first{};
    first.addr = command.src_addr;
    first.id = command.id;
    Body none;
    if (error = bind(channel, first, none); error != 0) return error;
  }
  if (id->phase != Phase::kIdle && id->phase != Phase::kBound) return EINVAL;
  const auto destination = endpoint_of(command.dst_addr);
  if (!destination) return EAFNOSUPPORT;
  if (destination->any()) return resolve_loopback(command.id, *id, *destination);
  Id found = *id;
  error = choose_source(found, destination->address);
  if (error == ENODEV) {  // as Linux, which finds the adapter after the call
    queue(command.id, UcmEvent::kAddressError, -ENODEV);
    return 0;
  }
  if (error != 0) return error;
  if (error = give_port(found); error != 0) return error;
  found.destination = *destination;
  const Way way = is_group(destination->address) ? Way::kKnown : way_(path_of(found));
  if (way == Way::kNone) {
    queue(command.id, UcmEvent::kAddressError, -EHOSTUNREACH);
    return 0;
  }
  found.phase = Phase::kResolving;
  resolving_[command.id] = {now_ + command.timeout_ms * kMillisecond, id->phase, id->source,
                            id->has_device};
  *id = found;
  if (way == Way::kKnown) finish_resolving(command.id, UcmEvent::kAddressResolved, 0);
  return 0;
}

/// After an error the identifier is as before.
void Ucm::finish_resolving(std::uint32_t number, UcmEvent kind, int status) {
  const auto found = resolving_.find(number);
  Id& id = ids_.at(number);
  id.phase = Phase::kAddress;
  if (status != 0) {
    id.phase = found->second.phase;
    id.source = found->second.source;
    id.has_device = found->second.has_device;
  }
  resolving_.erase(found);
  queue(number, kind, status);
}

void Ucm::resolved(const MadPath& path, Time now) {
  now_ = now;
  for (auto one = resolving_.begin(); one != resolving_.end();) {
    const std::uint32_t number = (one++)->first;
    if (!same_way(path_of(ids_.at(number)), path)) continue;
    finish_resolving(number, UcmEvent::kAddressResolved, 0);
  }
}

bool Ucm::awaits(const MadPath& path) const {
  return std::any_of(resolving_.begin(), resolving_.end(),
                     [&](const auto& one) { return same_way(path_of(ids_.at(one.first)), path); });
}

int Ucm::resolve_route(ChannelId channel, const rdma_ucm_resolve_route& command, Body&) {
  int error = 0;
  Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (id->phase != Phase::kAddress) return EINVAL;
  // RoCE routes IP addresses of its interfaces.
  if (id->source.family == AF_IB || id->destination.any()) return ENODEV;
  id->phase = Phase::kRoute;
  queue(command.id, UcmEvent::kRouteResolved, 0);
  return 0;
}

Time Ucm::deadline() const {
  Time first = manager_.deadline();
  for (const auto& [number, resolving] : resolving_) first = std::min(first, resolving.until);
  return first;
}

void Ucm::expire(Time now) {
  now_ = now;
  for (auto one = resolving_.begin(); one != resolving_.end();) {
    const auto [number, resolving] = *one++;
    if (resolving.until <= now) finish_resolving(number, UcmEvent::kAddressError, -ETIMEDOUT);
  }
  manager_.expire(now);
  deliver();
}

/// Requests that nobody has fetched end with their adapter too.
void Ucm::remove(unsigned adapter, Time now) {
  now_ = now;
  config_.adapters[adapter].gids.clear();
  for (auto& [channel, state] : channels_) {
    auto& events = state.events;
    events.erase(std::remove_if(events.begin(), events.end(),
                                [&](const Event& event) {
                                  const MadPath* path = manager_.path_of(event.request);
                                  if (path == nullptr || path->adapter != adapter) return false;
                                  manager_.release(event.request, now);
                                  ++ids_.at(event.owner).backlog;
                                  return true;
                                }),
                 events.end());
  }
  for (auto& [number, id] : ids_) {
    if (!id.has_device || id.adapter != adapter || id.removed) continue;
    if (id.phase == Phase::kListen) stop_listening(number, id);
    resolving_.erase(number);
    if (const std::uint32_t connection = std::exchange(id.connection, 0); connection != 0) {
      by_connection_.erase(connection);
      manager_.release(connection, now);
    }
    id.phase = Phase::kIdle;
    id.removed = true;
    queue(number, UcmEvent::kDeviceRemoval, 0);
  }
  deliver();
}

}  // namespace roci::cm
