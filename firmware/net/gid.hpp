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
  constexpr bool is_multicast() const {
    return is_ipv4() ? ipv4() >> 28 == 0xE || ipv4() == 0xFFFFFFFF : hi >> 56 == 0xFF;
  }
};
constexpr bool operator==(const Gid& a, const Gid& b) { return a.hi == b.hi && a.lo == b.lo; }
constexpr bool operator!=(const Gid& a, const Gid& b) { return !(a == b); }
constexpr Gid gid_of_ipv4(uint32_t address) { return {0, uint64_t{0xFFFF} << 32 | address}; }

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
