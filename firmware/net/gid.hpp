// SPDX-License-Identifier: Apache-2.0
// GIDs, and the GID table of the port.
#pragma once

#include <stdint.h>

namespace roci::fw {

using Mac = uint64_t;  ///< a number, first byte on the wire in bits 47:40

constexpr Mac kBroadcast = 0xFFFFFFFFFFFF;
/// Whether the address is one of a single station: not zero, group bit clear.
constexpr bool is_unicast(Mac mac) { return mac != 0 && (mac >> 40 & 1) == 0; }

/// A GID as two big-endian numbers. An IPv4 address is ::ffff:a.b.c.d.
struct Gid {
  uint64_t hi;
  uint64_t lo;

  constexpr bool is_zero() const { return hi == 0 && lo == 0; }
  constexpr bool is_ipv4() const { return hi == 0 && lo >> 32 == 0xFFFF; }
  constexpr uint32_t ipv4() const { return static_cast<uint32_t>(lo); }
  /// Whether it names a multicast group.
  constexpr bool is_group() const { return is_ipv4() ? ipv4() >> 28 == 0xE : hi >> 56 == 0xFF; }
  /// Whether it names no single station.
  constexpr bool is_multicast() const { return is_group() || (is_ipv4() && ipv4() == 0xFFFFFFFF); }
  /// The exclusive or of its bytes: where the search for a group begins in the table Multicast.
  constexpr uint8_t fold() const {
    uint64_t all = hi ^ lo;
    for (unsigned shift = 32; shift >= 8; shift /= 2) all ^= all >> shift;
    return static_cast<uint8_t>(all);
  }
};
constexpr bool operator==(const Gid& a, const Gid& b) { return a.hi == b.hi && a.lo == b.lo; }
constexpr bool operator!=(const Gid& a, const Gid& b) { return !(a == b); }
constexpr Gid gid_of_ipv4(uint32_t address) { return {0, uint64_t{0xFFFF} << 32 | address}; }

/// The MAC address of a multicast group: 01:00:5E and 23 bits of the IPv4 address (RFC 1112, 6.4),
/// or 33:33 and 32 bits of the IPv6 address or GID (RFC 2464, 7).
constexpr Mac mac_of_group(const Gid& group) {
  return group.is_ipv4() ? 0x01005E000000 | (group.ipv4() & 0x7FFFFF)
                         : 0x333300000000 | (group.lo & 0xFFFFFFFF);
}

/// The Ethernet segment of an address: untagged, or a VLAN.
struct Lan {
  bool tagged;
  uint16_t vid;
};
constexpr bool operator==(const Lan& a, const Lan& b) {
  return a.tagged == b.tagged && (!a.tagged || a.vid == b.vid);
}
constexpr bool operator!=(const Lan& a, const Lan& b) { return !(a == b); }

/// Entry of the GID table; the zero GID marks an empty entry.
struct GidEntry {
  Gid gid;
  Lan lan;
  bool roce_v1;  ///< queue pairs of this address use RoCE v1 (A16)
};

constexpr uint32_t kMaxGids = 16;

struct GidTable {
  GidEntry entry[kMaxGids];

  bool valid(uint32_t index) const { return index < kMaxGids && !entry[index].gid.is_zero(); }
  /// Whether `gid` is in the table for that segment.
  bool owns(const Gid& gid, const Lan& lan) const {
    for (const GidEntry& own : entry) {
      if (own.gid == gid && own.lan == lan && !gid.is_zero()) return true;
    }
    return false;
  }
};

}  // namespace roci::fw
