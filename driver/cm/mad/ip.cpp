// SPDX-License-Identifier: Apache-2.0
#include "driver/cm/mad/ip.hpp"

#include "driver/cm/mad/visit.hpp"

namespace roci::cm {
namespace {

constexpr std::uint64_t kPrefix = 0x01;  // byte 4 of the service ID; those before it are 0
constexpr std::uint8_t kIpv4 = 4, kIpv6 = 6;
constexpr std::size_t kIpv4Bytes = 4;
constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

struct Layout {
  std::uint8_t major_version = 0, minor_version = 0, ip_version = 0;
  std::uint16_t source_port = 0;
  Gid source{}, destination{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("major_version", m.major_version, 4);
    v.field("minor_version", m.minor_version, 4);
    v.field("ip_version", m.ip_version, 4);
    v.reserved(4);
    v.field("source_port", m.source_port, 16);
    v.bytes("source", m.source);
    v.bytes("destination", m.destination);
  }
};
static_assert(bits_of<Layout>() == kIpHeaderBytes * 8);

bool is_mapped(const Gid& gid) { return std::equal(kMapped.begin(), kMapped.end(), gid.begin()); }

/// An IPv4 address stands in the last four bytes; the others are reserved.
Gid to_ipv4(const Gid& mapped) {
  Gid address{};
  std::copy(mapped.end() - kIpv4Bytes, mapped.end(), address.end() - kIpv4Bytes);
  return address;
}
Gid from_ipv4(Gid address) {
  std::copy(kMapped.begin(), kMapped.end(), address.begin());
  return address;
}

}  // namespace

std::uint64_t service_id(Service service) {
  return static_cast<std::uint64_t>(service.space) << 16 | service.port;
}

std::optional<Service> service_of(std::uint64_t service_id) {
  if (service_id >> 24 != kPrefix) return std::nullopt;
  const Service service{static_cast<PortSpace>(service_id >> 16 & 0xFFFF),
                        static_cast<std::uint16_t>(service_id)};
  switch (service.space) {
    case PortSpace::kTcp:
    case PortSpace::kUdp:
    case PortSpace::kIb:
      return service;
  }
  return std::nullopt;
}

bool encode_ip(const IpHeader& header, std::uint8_t* private_data) {
  const bool ipv4 = is_mapped(header.source);
  if (ipv4 != is_mapped(header.destination)) return false;
  Layout bytes;
  bytes.ip_version = ipv4 ? kIpv4 : kIpv6;
  bytes.source_port = header.source_port;
  bytes.source = ipv4 ? to_ipv4(header.source) : header.source;
  bytes.destination = ipv4 ? to_ipv4(header.destination) : header.destination;
  std::fill_n(private_data, kIpHeaderBytes, std::uint8_t{0});
  Writer writer(private_data, 0);
  Layout::layout(writer, bytes);
  return true;
}

std::optional<IpHeader> decode_ip(const std::uint8_t* private_data) {
  Layout bytes;
  Reader reader(private_data, 0);
  Layout::layout(reader, bytes);
  if (bytes.major_version != 0) return std::nullopt;
  if (bytes.ip_version == kIpv4) {
    return IpHeader{bytes.source_port, from_ipv4(bytes.source), from_ipv4(bytes.destination)};
  }
  if (bytes.ip_version != kIpv6 || is_mapped(bytes.source) || is_mapped(bytes.destination)) {
    return std::nullopt;
  }
  return IpHeader{bytes.source_port, bytes.source, bytes.destination};
}

}  // namespace roci::cm
