// SPDX-License-Identifier: Apache-2.0
// The part of /sys by which libibverbs and programs find and describe a device: the classes of RDMA
// devices and a PCI function that carries the device and its network interface.
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

/// "roci0", "roci1" and so on, by the number of the adapter in its node.
std::string device_name(unsigned place);
/// PCI address of the adapters: domain and bus, and with device and function. The domain is one
/// that hosts do not use.
inline constexpr char kPciBus[] = "524f:00";
std::string pci_function(unsigned place);

/// What the tree states of the device.
struct TreeFacts {
  unsigned place = 0;      ///< number of the adapter in its node
  std::uint64_t guid = 0;  ///< node GUID, EUI-64 of the MAC address
  std::string fw_version;  ///< "1.2.3"
  unsigned rate_gbps = 100;
  std::string netdev = "lo";  ///< network interface of the host that belongs to the GIDs
  std::vector<TreeGid> gids;  ///< the whole table, empty entries as zero
  std::vector<std::uint16_t> pkeys;
  std::string host_sys = "/sys";  ///< where the devices of the host are found
};

/// GUID of a port with this MAC address (EUI-64 with the universal bit inverted).
std::uint64_t guid_of_mac(std::uint64_t mac);

/// Directory of the tree that has the RDMA devices of the host as well.
inline std::string with_host_devices(const std::string& directory) { return directory + "+host"; }

/// Writes the tree below `directory`, which is made when it is not there, and a second one below
/// with_host_devices(directory). Other adapters of the node stay. Throws std::system_error.
void write_tree(const std::string& directory, const TreeFacts& facts);

/// Writes cpuinfo_of(directory) (paths.hpp): the text of the host with `mhz` as the frequency of
/// each processor.
void write_cpuinfo(const std::string& directory, unsigned mhz);

/// The folder of the port of an adapter in a tree.
std::string port_directory(const std::string& directory, unsigned place);

/// Writes the state of the port anew in a tree that is there.
void write_port_state(const std::string& directory, unsigned place, bool up);

}  // namespace roci::verbs
