// SPDX-License-Identifier: Apache-2.0
// Neighbours of the host's own IP stack, for a node whose TAP owns ARP and ND.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace roci::testbench::ports {

/// Returns the MAC address, as a number, of the neighbour with this GID (IPv4-mapped or IPv6) on
/// `interface`; none while the host has not resolved it.
std::optional<std::uint64_t> neighbour_mac(const std::string& interface,
                                           const std::array<std::uint8_t, 16>& gid);
/// Makes the host resolve it, by a datagram to its discard port.
void resolve_neighbour(const std::string& interface, const std::array<std::uint8_t, 16>& gid);

}  // namespace roci::testbench::ports
