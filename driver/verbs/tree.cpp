// SPDX-License-Identifier: Apache-2.0
#include "driver/verbs/tree.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace roci::verbs {
namespace {

namespace fs = std::filesystem;

constexpr char kUverbs[] = "uverbs_roci0";

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file);
  out << text << '\n';
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category(), file.string());
}

/// Devices of the kernel stay visible beside ours.
void link_host(const fs::path& ours, const char* class_name) {
  const fs::path host = fs::path("/sys/class") / class_name;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(host, none)) {
    const fs::path link = ours / entry.path().filename();
    if (!fs::exists(fs::symlink_status(link))) fs::create_symlink(entry.path(), link);
  }
}

std::string gid_text(const std::array<std::uint8_t, 16>& gid) {
  std::string text;
  for (unsigned i = 0; i < 16; i += 2) {
    text += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", gid[i], gid[i + 1]);
  }
  return text;
}

std::string guid_text(std::uint64_t guid) {
  return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48, guid >> 32 & 0xFFFF,
                     guid >> 16 & 0xFFFF, guid & 0xFFFF);
}

}  // namespace

std::uint64_t guid_of_mac(std::uint64_t mac) {
  const std::uint64_t upper = (mac >> 24 ^ 0x020000) & 0xFFFFFF;
  return upper << 40 | std::uint64_t{0xFFFE} << 24 | (mac & 0xFFFFFF);
}

void write_tree(const std::string& directory, const TreeFacts& facts) {
  const fs::path classes = fs::path(directory) / "class";
  const fs::path device = classes / "infiniband" / facts.name;
  write(device / "node_type", "1: CA");
  write(device / "node_guid", guid_text(facts.guid));
  write(device / "sys_image_guid", guid_text(facts.guid));
  write(device / "node_desc", "Rocinante");
  write(device / "fw_ver", facts.fw_version);
  write(device / "hca_type", "Rocinante");
  write(device / "device" / "numa_node", "-1");
  fs::create_directories(device / "device" / "net" / facts.netdev);

  const fs::path port = device / "ports" / "1";
  write_port_state(directory, true);
  write(port / "rate", fmt::format("{} Gb/sec", facts.rate_gbps));
  write(port / "link_layer", "Ethernet");
  write(port / "lid", "0x0");
  write(port / "sm_lid", "0x0");
  write(port / "cap_mask", "0x00010000");
  for (std::size_t i = 0; i < facts.gids.size(); ++i) {
    const TreeGid& entry = facts.gids[i];
    const std::string index = std::to_string(i);
    write(port / "gids" / index, gid_text(entry.gid));
    // Empty entries have a type as well: libibverbs gives up the table without.
    write(port / "gid_attrs" / "types" / index, entry.roce_v1 ? "IB/RoCE v1" : "RoCE v2");
    write(port / "gid_attrs" / "ndevs" / index, facts.netdev);
  }
  for (std::size_t i = 0; i < facts.pkeys.size(); ++i) {
    write(port / "pkeys" / std::to_string(i), fmt::format("0x{:04x}", facts.pkeys[i]));
  }

  const fs::path verbs = classes / "infiniband_verbs";
  write(verbs / "abi_version", "6");
  write(verbs / kUverbs / "ibdev", facts.name);
  write(verbs / kUverbs / "abi_version", "1");
  write(verbs / kUverbs / "dev", "1:3");  // of /dev/null, see redirect.cpp

  link_host(classes / "infiniband", "infiniband");
  link_host(verbs, "infiniband_verbs");
}

void write_port_state(const std::string& directory, bool up) {
  const fs::path port = fs::path(directory) / "class" / "infiniband" / kDevice / "ports" / "1";
  write(port / "state", up ? "4: ACTIVE" : "1: DOWN");
  write(port / "phys_state", up ? "5: LinkUp" : "3: Disabled");
}

}  // namespace roci::verbs
