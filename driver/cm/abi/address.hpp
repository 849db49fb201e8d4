// SPDX-License-Identifier: Apache-2.0
// Addresses of programs (sockaddr) and of the adapter (GID).
#pragma once

#include <infiniband/ib.h>
#include <netinet/in.h>
#include <rdma/ib_user_verbs.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "driver/cm/mad/values.hpp"

namespace roci::cm {

inline constexpr std::uint16_t kDefaultPkey = 0xFFFF;
inline constexpr std::uint8_t kHopLimit = 64, kRate = 16;  // 100 Gb/s

inline bool is_ipv4(const Gid& gid) {
  static constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return std::equal(std::begin(kMapped), std::end(kMapped), gid.begin());
}

/// An address and a port. IPv4 addresses are mapped. Zero is the wildcard of its family, and so is
/// the loopback, as Linux has it: neither belongs to an adapter. The port of a native address
/// (AF_IB) is that in its service ID.
struct Endpoint {
  Gid address{};
  std::uint16_t port = 0;
  sa_family_t family = AF_UNSPEC;
  std::uint16_t pkey = 0;  ///< native addresses alone

  bool any() const { return is_any(address); }
  static bool is_any(const Gid& gid) {
    static constexpr Gid kNone{};
    static constexpr Gid kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0};
    return gid == kNone || gid == kMapped || is_loopback(gid);
  }
  static Gid loopback(sa_family_t family) {
    if (family == AF_INET) return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1};
    return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  }
  static bool is_loopback(const Gid& gid) {
    return is_ipv4(gid) ? gid[12] == 127 : gid == loopback(AF_INET6);
  }
};

/// Whether the address is that of a multicast group.
inline bool is_group(const Gid& gid) { return is_ipv4(gid) ? gid[12] >> 4 == 0xE : gid[0] == 0xFF; }

/// Whether two addresses of one family have the same prefix: 24 bits of IPv4, 64 of IPv6.
inline bool on_one_network(const Gid& a, const Gid& b) {
  const std::ptrdiff_t bytes = is_ipv4(a) ? 15 : 8;
  return std::equal(a.begin(), a.begin() + bytes, b.begin());
}

/// Bytes of a socket address; 0: it is of a family that is not known.
template <typename Storage>
std::size_t size_of(const Storage& address) {
  sa_family_t family = 0;
  std::memcpy(&family, &address, sizeof family);
  switch (family) {
    case AF_INET:
      return sizeof(sockaddr_in);
    case AF_INET6:
      return sizeof(sockaddr_in6);
    case AF_IB:
      return sizeof(sockaddr_ib);
    default:
      return 0;
  }
}

/// std::nullopt: neither IPv4 nor IPv6. An IPv4 address stands at the start of the structure.
inline std::optional<Endpoint> endpoint_of(const sockaddr_in6& bytes) {
  Endpoint endpoint;
  endpoint.family = bytes.sin6_family;
  if (endpoint.family == AF_INET) {
    sockaddr_in ipv4;
    std::memcpy(&ipv4, &bytes, sizeof ipv4);
    endpoint.port = ntohs(ipv4.sin_port);
    endpoint.address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    std::memcpy(endpoint.address.data() + 12, &ipv4.sin_addr, 4);
    return endpoint;
  }
  if (endpoint.family != AF_INET6) return std::nullopt;
  endpoint.port = ntohs(bytes.sin6_port);
  std::memcpy(endpoint.address.data(), &bytes.sin6_addr, 16);
  return endpoint;
}

inline sockaddr_in6 sockaddr_of(const Endpoint& endpoint) {
  sockaddr_in6 bytes{};
  if (endpoint.family == AF_INET) {
    sockaddr_in ipv4{};
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(endpoint.port);
    std::memcpy(&ipv4.sin_addr, endpoint.address.data() + 12, 4);
    std::memcpy(&bytes, &ipv4, sizeof ipv4);
  } else if (endpoint.family == AF_INET6) {
    bytes.sin6_family = AF_INET6;
    bytes.sin6_port = htons(endpoint.port);
    std::memcpy(&bytes.sin6_addr, endpoint.address.data(), 16);
  }
  return bytes;
}

/// The address vector of a peer, as the kernel gives it to programs.
inline void set_address(ib_uverbs_ah_attr& to, const Gid& peer, std::uint8_t gid_index,
                        std::uint8_t traffic_class, std::uint32_t flow_label = 0) {
  to.is_global = 1;
  to.port_num = 1;
  std::copy(peer.begin(), peer.end(), to.grh.dgid);
  to.grh.sgid_index = gid_index;
  to.grh.hop_limit = kHopLimit;
  to.grh.traffic_class = traffic_class;
  to.grh.flow_label = flow_label;
}

}  // namespace roci::cm
