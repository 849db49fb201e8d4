// SPDX-License-Identifier: Apache-2.0
// The files below /sys/class/infiniband* that libibverbs and programs read about a device.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace roci::verbs {

struct TreeGid {
  std::array<std::uint8_t, 16> gid{};
  bool roce_v1 = false;
};

inline constexpr char kDevice[] = "roci0";

/// What the tree says about the one device.
struct TreeFacts {
  std::string name = kDevice;
  std::uint64_t guid = 0;  ///< node GUID, EUI-64 of the MAC address
  std::string fw_version;  ///< "1.2.3"
  unsigned rate_gbps = 100;
  std::string netdev = "lo";  ///< network interface whose addresses the GIDs are
  std::vector<TreeGid> gids;  ///< the whole table, empty entries as zero
  std::vector<std::uint16_t> pkeys;
};

/// GUID of a port with this MAC address (EUI-64 with the universal bit inverted).
std::uint64_t guid_of_mac(std::uint64_t mac);

/// Writes the tree below `directory`, which is made when it is not there, and links to the devices
/// that this host's own /sys has. Throws std::system_error.
void write_tree(const std::string& directory, const TreeFacts& facts);

/// Writes the state of the port anew in a tree that is there.
void write_port_state(const std::string& directory, bool up);

}  // namespace roci::verbs
