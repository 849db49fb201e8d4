// SPDX-License-Identifier: Apache-2.0
// The commands that take addresses of any family, which librdmacm prefers, and native addresses
// (AF_IB). RoCE has little use for the latter: Linux binds the wildcard and resolves addresses, but
// finds no route, and rejects requests to a native listener. So does this.
#include <endian.h>

#include <cerrno>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/mad/ip.hpp"

namespace roci::cm {
namespace {

constexpr std::uint16_t kPkeyMask = 0x7FFF;  // without the bit of the membership
constexpr std::size_t kPrefixBytes = 8;
constexpr std::uint64_t kServiceMask = ~std::uint64_t{0xFFFF};

template <typename To, typename Storage>
To as(const Storage& address) {
  To bytes{};
  static_assert(sizeof bytes <= sizeof address);
  std::memcpy(&bytes, &address, sizeof bytes);
  return bytes;
}

Gid gid_of(const sockaddr_ib& address) {
  Gid gid;
  std::memcpy(gid.data(), &address.sib_addr, gid.size());
  return gid;
}

/// No address, or that of the loopback.
bool is_wildcard(const Gid& gid) { return !is_ipv4(gid) && Endpoint::is_any(gid); }

std::uint16_t port_of(const sockaddr_ib& address) {
  return static_cast<std::uint16_t>(be64toh(address.sib_sid) & be64toh(address.sib_sid_mask));
}

/// The port space that a service ID names, under its mask, for an identifier of `space`.
std::optional<PortSpace> ports_of(std::uint16_t space, const sockaddr_ib& address) {
  const std::uint64_t mask = be64toh(address.sib_sid_mask) & kServiceMask;
  const std::uint64_t service = be64toh(address.sib_sid) & mask;
  for (const PortSpace ports : {PortSpace::kIb, PortSpace::kTcp, PortSpace::kUdp}) {
    const bool allowed = space == RDMA_PS_IB || space == static_cast<std::uint16_t>(ports);
    if (allowed && service == (service_id({ports, 0}) & mask)) return ports;
  }
  return std::nullopt;
}

}  // namespace

int Ucm::bind_native(Id& id, const sockaddr_ib& address) const {
  if (id.phase != Phase::kIdle) return EINVAL;
  if (!is_wildcard(gid_of(address))) return ENODEV;  // no port has native addresses
  const auto ports = ports_of(id.space, address);
  if (!ports) return EPROTONOSUPPORT;
  Id bound = id;
  bound.ports = static_cast<std::uint16_t>(*ports);
  bound.source.family = AF_IB;
  bound.source.port = port_of(address);
  bound.source.pkey = be16toh(address.sib_pkey);
  if (bound.source.port != 0 && !is_free(id, bound.source)) return EADDRINUSE;
  if (const int full = give_port(bound); full != 0) return full;
  bound.phase = Phase::kBound;
  id = bound;
  return 0;
}

int Ucm::bind_any(ChannelId channel, const rdma_ucm_bind& command, Body& body) {
  if (command.reserved != 0 || command.addr_size == 0 ||
      command.addr_size != size_of(command.addr)) {
    return EINVAL;
  }
  if (command.addr_size != sizeof(sockaddr_ib)) {
    rdma_ucm_bind_ip other{};
    other.id = command.id;
    other.addr = as<sockaddr_in6>(command.addr);
    return bind(channel, other, body);
  }
  int error = 0;
  Id* id = find(channel, command.id, error);
  return id == nullptr ? error : bind_native(*id, as<sockaddr_ib>(command.addr));
}

int Ucm::resolve_any(ChannelId channel, const rdma_ucm_resolve_addr& command, Body& body) {
  const std::size_t from = size_of(command.src_addr), to = size_of(command.dst_addr);
  if (command.reserved != 0 || (command.src_size != 0 && command.src_size != from) ||
      command.dst_size == 0 || command.dst_size != to) {
    return EINVAL;
  }
  if (to != sizeof(sockaddr_ib)) {
    if (command.src_size == sizeof(sockaddr_ib)) return EINVAL;
    rdma_ucm_resolve_ip other{};
    other.id = command.id;
    other.timeout_ms = command.timeout_ms;
    if (command.src_size != 0) other.src_addr = as<sockaddr_in6>(command.src_addr);
    other.dst_addr = as<sockaddr_in6>(command.dst_addr);
    return resolve_address(channel, other, body);
  }
  int error = 0;
  const Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  const auto destination = as<sockaddr_ib>(command.dst_addr);
  Id found = *id;
  if (found.phase == Phase::kIdle) {
    if (command.src_size != 0 && command.src_size != to) return EINVAL;
    sockaddr_ib source{};
    if (command.src_size != 0) source = as<sockaddr_ib>(command.src_addr);
    source.sib_pkey = destination.sib_pkey;
    if (error = bind_native(found, source); error != 0) return error;
  }
  if (found.phase != Phase::kBound || found.source.family != AF_IB) return EINVAL;
  found.destination = {gid_of(destination), port_of(destination), AF_IB,
                       be16toh(destination.sib_pkey)};
  if (!choose_native_source(found)) return ENODEV;
  found.phase = Phase::kAddress;
  ids_.at(command.id) = found;
  queue(command.id, UcmEvent::kAddressResolved, 0);
  return 0;
}

/// The adapter with the GID of the destination, or the first with its prefix; for the wildcard the
/// first of all.
bool Ucm::choose_native_source(Id& id) const {
  const Gid& wanted = id.destination.address;
  const bool wildcard = is_wildcard(wanted);
  if (!wildcard && (id.destination.pkey & kPkeyMask) != kPkeyMask) return false;
  const Gid* chosen = nullptr;
  for (const UcmAdapter& adapter : config_.adapters) {
    for (const Gid& gid : adapter.gids) {
      if (gid == Gid{}) continue;
      const bool same = std::equal(gid.begin(), gid.begin() + kPrefixBytes, wanted.begin());
      if (chosen == nullptr && (wildcard || same)) chosen = &gid;
      if (gid == wanted) chosen = &gid;
    }
  }
  if (chosen == nullptr || !set_device(id, *chosen)) return false;
  id.source.address = *chosen;
  if (wildcard) id.destination.address = *chosen;
  return true;
}

}  // namespace roci::cm
