// SPDX-License-Identifier: Apache-2.0
// The service of RDMA over IP addresses and ports (annex A11): service IDs, and the header at the
// start of the private data of REQ and SIDR_REQ.
#pragma once

#include <optional>

#include "driver/cm/mad/values.hpp"

namespace roci::cm {

/// Port spaces of rdma_cm that have ports.
enum class PortSpace : std::uint16_t { kTcp = 0x0106, kUdp = 0x0111, kIb = 0x013F };

struct Service {
  PortSpace space;
  std::uint16_t port;
};

std::uint64_t service_id(Service service);
/// std::nullopt: the service ID of another protocol.
std::optional<Service> service_of(std::uint64_t service_id);

inline constexpr std::size_t kIpHeaderBytes = 36;

/// Addresses and source port of the program that connects. IPv4 addresses are mapped, as in GIDs:
/// `::ffff:a.b.c.d`.
struct IpHeader {
  std::uint16_t source_port = 0;
  Gid source{}, destination{};
};

/// Writes the header. False, and nothing written: one address is IPv4, the other IPv6.
bool encode_ip(const IpHeader& header, std::uint8_t* private_data);

/// std::nullopt: another version of the annex, neither IPv4 nor IPv6, or an IPv6 header with a
/// mapped address. `private_data` has at least kIpHeaderBytes.
std::optional<IpHeader> decode_ip(const std::uint8_t* private_data);

}  // namespace roci::cm
