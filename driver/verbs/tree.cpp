// SPDX-License-Identifier: Apache-2.0
#include "driver/verbs/tree.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "driver/verbs/paths.hpp"

namespace roci::verbs {
namespace {

namespace fs = std::filesystem;

// Identifiers of the PCI function. Vendor 1234h is not assigned; virtual devices use it.
constexpr unsigned kVendor = 0x1234, kProduct = 0x0001, kRevision = 0x01;
constexpr unsigned kEthernetController = 0x020000;
constexpr std::uint64_t kRegisters = 0x200000000000, kRegisterBytes = 0x100000;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category(), file.string());
}

void write_line(const fs::path& file, const std::string& text) { write(file, text + '\n'); }

void link(const fs::path& file, const fs::path& target) {
  fs::create_directories(file.parent_path());
  if (!fs::exists(fs::symlink_status(file))) fs::create_symlink(target, file);
}

/// Links to the entries of the host's directory `from` that `to` does not have.
void link_entries(const fs::path& to, const fs::path& from) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(from, none)) {
    link(to / entry.path().filename(), entry.path());
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

/// Bit mask of all processors in words of 32 bits, as the kernel prints it.
std::string all_processors(unsigned count) {
  std::string text;
  for (unsigned word = (count + 31) / 32; word-- != 0;) {
    const unsigned bits = std::min(32u, count - 32 * word);
    text += fmt::format("{}{:08x}", text.empty() ? "" : ",", ~0u >> (32 - bits));
  }
  return text;
}

/// Header of the configuration space (PCI 3.0, 6.1): what programs read without rights.
std::string configuration(std::uint64_t registers) {
  std::string header(64, '\0');
  const auto put = [&](std::size_t at, unsigned bytes, std::uint64_t value) {
    for (unsigned i = 0; i < bytes; ++i) header[at + i] = static_cast<char>(value >> 8 * i);
  };
  put(0x00, 2, kVendor);
  put(0x02, 2, kProduct);
  put(0x04, 2, 0x0006);  // memory space and bus master
  put(0x08, 1, kRevision);
  put(0x09, 3, kEthernetController);
  put(0x10, 8, registers | 0x4);  // 64-bit memory
  put(0x2C, 2, kVendor);
  put(0x2E, 2, kProduct);
  return header;
}

void write_function(const fs::path& root, const fs::path& function, const TreeFacts& facts) {
  const std::uint64_t registers = kRegisters + facts.place * kRegisterBytes;
  const auto processors = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)));
  const bool numa = fs::exists(fs::path(facts.host_sys) / "devices/system/node/node0");
  write_line(function / "vendor", fmt::format("0x{:04x}", kVendor));
  write_line(function / "device", fmt::format("0x{:04x}", kProduct));
  write_line(function / "subsystem_vendor", fmt::format("0x{:04x}", kVendor));
  write_line(function / "subsystem_device", fmt::format("0x{:04x}", kProduct));
  write_line(function / "class", fmt::format("0x{:06x}", kEthernetController));
  write_line(function / "revision", fmt::format("0x{:02x}", kRevision));
  write_line(function / "enable", "1");
  write_line(function / "irq", "0");
  write_line(function / "numa_node", numa ? "0" : "-1");
  write_line(function / "local_cpus", all_processors(processors));
  write_line(function / "local_cpulist",
             processors == 1 ? "0" : fmt::format("0-{}", processors - 1));
  for (const char* when : {"current", "max"}) {
    write_line(function / fmt::format("{}_link_speed", when), "16.0 GT/s PCIe");
    write_line(function / fmt::format("{}_link_width", when), "16");
  }
  constexpr unsigned kResources = 7;  // six base addresses and the ROM
  constexpr std::uint64_t kMemory64 = 0x140204;
  std::string resources = fmt::format("0x{:016x} 0x{:016x} 0x{:016x}\n", registers,
                                      registers + kRegisterBytes - 1, kMemory64);
  for (unsigned i = 1; i < kResources; ++i) {
    resources += fmt::format("0x{0:016x} 0x{0:016x} 0x{0:016x}\n", 0);
  }
  write(function / "resource", resources);
  write(function / "config", configuration(registers));
  write_line(function / "modalias",
             fmt::format("pci:v{0:08X}d{1:08X}sv{0:08X}sd{1:08X}bc02sc00i00", kVendor, kProduct));
  write_line(function / "uevent",
             fmt::format("DRIVER=roci\nPCI_CLASS={:X}\nPCI_ID={:04X}:{:04X}\nPCI_SLOT_NAME={}",
                         kEthernetController, kVendor, kProduct, pci_function(facts.place)));
  fs::create_directories(root / "bus/pci/drivers/roci");
  link(function / "subsystem", "../../../bus/pci");
  link(function / "driver", "../../../bus/pci/drivers/roci");

  // The interface itself is the host's; what leads from it to the function is added here.
  const fs::path host_interface = fs::path(facts.host_sys) / "class/net" / facts.netdev;
  if (fs::exists(host_interface)) {
    link(function / "net" / facts.netdev, host_interface);
  } else {
    fs::create_directories(function / "net" / facts.netdev);
  }
  link(root / "class/net" / facts.netdev / "device",
       fs::path("../../../devices") / fmt::format("pci{}", kPciBus) / pci_function(facts.place));
}

void write_port(const fs::path& port, const TreeFacts& facts) {
  write_line(port / "rate", fmt::format("{} Gb/sec", facts.rate_gbps));
  write_line(port / "link_layer", "Ethernet");
  write_line(port / "lid", "0x0");
  write_line(port / "sm_lid", "0x0");
  write_line(port / "cap_mask", "0x00010000");
  for (std::size_t i = 0; i < facts.gids.size(); ++i) {
    const TreeGid& entry = facts.gids[i];
    const std::string index = std::to_string(i);
    write_line(port / "gids" / index, gid_text(entry.gid));
    // Empty entries have a type as well: libibverbs gives up the table without.
    write_line(port / "gid_attrs/types" / index, entry.roce_v1 ? "IB/RoCE v1" : "RoCE v2");
    write_line(port / "gid_attrs/ndevs" / index, facts.netdev);
  }
  for (std::size_t i = 0; i < facts.pkeys.size(); ++i) {
    write_line(port / "pkeys" / std::to_string(i), fmt::format("0x{:04x}", facts.pkeys[i]));
  }
}

/// The same devices with those of the host beside them.
void write_tree_with_host(const fs::path& directory, const fs::path& plain,
                          const TreeFacts& facts) {
  for (const char* shared : {"devices", "bus"}) link(directory / shared, plain / shared);
  for (const char* shared : {"class/misc", "class/net", "class/pci_bus"}) {
    link(directory / shared, plain / shared);
  }
  for (const char* name : {"infiniband", "infiniband_verbs"}) {
    // Relative links, as the kernel has them: hwloc looks for the PCI address in the link itself.
    for (const auto& entry : fs::directory_iterator(plain / "class" / name)) {
      const fs::path target = entry.is_symlink() ? fs::read_symlink(entry) : entry.path();
      link(directory / "class" / name / entry.path().filename(), target);
    }
  }
  for (const char* name : {"infiniband", "infiniband_verbs", "infiniband_mad", "infiniband_cm"}) {
    link_entries(directory / "class" / name, fs::path(facts.host_sys) / "class" / name);
  }
}

}  // namespace

std::string device_name(unsigned place) { return fmt::format("roci{}", place); }
std::string pci_function(unsigned place) { return fmt::format("{}:{:02x}.0", kPciBus, place); }

std::uint64_t guid_of_mac(std::uint64_t mac) {
  const std::uint64_t upper = (mac >> 24 ^ 0x020000) & 0xFFFFFF;
  return upper << 40 | std::uint64_t{0xFFFE} << 24 | (mac & 0xFFFFFF);
}

void write_tree(const std::string& directory, const TreeFacts& facts) {
  const fs::path root = fs::absolute(directory);
  const std::string bus = fmt::format("pci{}", kPciBus), name = device_name(facts.place);
  const std::string address = pci_function(facts.place), uverbs_name = "uverbs_" + name;
  const fs::path function = root / "devices" / bus / address;
  const fs::path from_class = fs::path("../../devices") / bus / address;
  write_function(root, function, facts);

  const fs::path device = function / "infiniband" / name;
  write_line(device / "node_type", "1: CA");
  write_line(device / "node_guid", guid_text(facts.guid));
  write_line(device / "sys_image_guid", guid_text(facts.guid));
  write_line(device / "node_desc", "Rocinante");
  write_line(device / "fw_ver", facts.fw_version);
  write_line(device / "hca_type", "Rocinante");
  write_line(device / "hw_rev", "1");
  link(device / "device", fs::path("../../../") / address);
  write_port(device / "ports/1", facts);

  const fs::path uverbs = function / "infiniband_verbs" / uverbs_name;
  write_line(uverbs / "ibdev", name);
  write_line(uverbs / "abi_version", "1");
  write_line(uverbs / "dev", "1:3");  // numbers of /dev/null, see redirect.cpp
  link(uverbs / "device", fs::path("../../../") / address);

  const fs::path classes = root / "class";
  link(classes / "infiniband" / name, from_class / "infiniband" / name);
  link(classes / "infiniband_verbs" / uverbs_name, from_class / "infiniband_verbs" / uverbs_name);
  write_line(classes / "infiniband_verbs" / "abi_version", "6");
  write_line(classes / "misc/rdma_cm/abi_version", "4");
  write_line(classes / "misc/rdma_cm/dev", "10:58");
  fs::create_directories(root / "devices" / bus / "pci_bus" / kPciBus);
  link(classes / "pci_bus" / kPciBus, fs::path("../../devices") / bus / "pci_bus" / kPciBus);
  const fs::path functions = root / "bus/pci/devices";
  link(functions / address, fs::path("../../../devices") / bus / address);
  link_entries(functions, fs::path(facts.host_sys) / "bus/pci/devices");

  write_port_state(directory, facts.place, true);
  write_tree_with_host(fs::absolute(with_host_devices(directory)), root, facts);
}

void write_cpuinfo(const std::string& directory, unsigned mhz) {
  constexpr std::string_view kField = "cpu MHz";
  std::ifstream host("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(host, line);) {
    const bool frequency = line.compare(0, kField.size(), kField) == 0;
    text += frequency ? fmt::format("{}\t\t: {}.000", kField, mhz) : line;
    text += '\n';
  }
  write(cpuinfo_of(directory), text);
}

std::string port_directory(const std::string& directory, unsigned place) {
  return (fs::path(directory) / "class/infiniband" / device_name(place) / "ports/1").string();
}

void write_port_state(const std::string& directory, unsigned place, bool up) {
  const fs::path port = port_directory(directory, place);
  write_line(port / "state", up ? "4: ACTIVE" : "1: DOWN");
  write_line(port / "phys_state", up ? "5: LinkUp" : "3: Disabled");
}

}  // namespace roci::verbs
