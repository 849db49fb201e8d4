// SPDX-License-Identifier: Apache-2.0
// The tree that takes the place of /sys, and the names that lead there.
#include "driver/verbs/tree.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "driver/verbs/paths.hpp"

using namespace roci::verbs;
namespace fs = std::filesystem;

namespace {

/// A tree written for a host with two adapters, an interface and a PCI function of its own.
struct Trees {
  Trees() {
    char name[] = "/tmp/roci-tree-XXXXXX";
    folder = mkdtemp(name);
    const fs::path sys = folder / "sys";
    for (const char* made :
         {"class/infiniband/mlx5_0", "class/infiniband/roci0", "class/infiniband_verbs/uverbs0",
          "class/infiniband_mad/umad0", "class/net/eth7", "bus/pci/devices/0000:00:01.0"}) {
      fs::create_directories(sys / made);
    }
    TreeFacts facts;
    facts.host_sys = sys.string();
    facts.netdev = "eth7";
    facts.gids.resize(2);
    facts.pkeys = {0xFFFF};
    plain = (folder / "n0").string();
    with_host = with_host_devices(plain);
    write_tree(plain, facts);
  }
  ~Trees() { fs::remove_all(folder); }

  fs::path folder;
  std::string plain, with_host;
};

std::set<std::string> names(const fs::path& directory) {
  std::set<std::string> all;
  for (const auto& entry : fs::directory_iterator(directory)) {
    all.insert(entry.path().filename().string());
  }
  return all;
}

std::string text(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

using Names = std::set<std::string>;

}  // namespace

TEST_CASE("tree: the devices of the host are hidden, or shown beside roci0") {
  const Trees trees;
  const fs::path plain = trees.plain, with_host = trees.with_host;
  CHECK(names(plain / "class/infiniband") == Names{"roci0"});
  CHECK(names(plain / "class/infiniband_verbs") == Names{"abi_version", "uverbs_roci0"});
  CHECK_FALSE(fs::exists(plain / "class/infiniband_mad"));
  CHECK(names(with_host / "class/infiniband") == Names{"mlx5_0", "roci0"});
  CHECK(names(with_host / "class/infiniband_verbs") ==
        Names{"abi_version", "uverbs0", "uverbs_roci0"});
  CHECK(names(with_host / "class/infiniband_mad") == Names{"umad0"});
  CHECK(text(with_host / "class/infiniband/roci0/fw_ver") ==
        text(plain / "class/infiniband/roci0/fw_ver"));
  write_port_state(trees.plain, 0, false);
  CHECK(text(with_host / "class/infiniband/roci0/ports/1/state") == "1: DOWN");
}

TEST_CASE("tree: the device lies below a PCI function that has a network interface") {
  const Trees trees;
  for (const std::string& tree : {trees.plain, trees.with_host}) {
    const fs::path root = tree;
    const fs::path device = root / "class/infiniband/roci0";
    const fs::path function = fs::canonical(device / "device");
    CHECK(function.filename() == "524f:00:00.0");
    CHECK(fs::read_symlink(device).string().find("/pci524f:00/524f:00:00.0/") != std::string::npos);
    CHECK(fs::equivalent(root / "class/infiniband_verbs/uverbs_roci0/device", function));
    CHECK(fs::equivalent(root / "bus/pci/devices" / "524f:00:00.0", function));
    CHECK(fs::equivalent(root / "class/pci_bus/524f:00/../.." / "524f:00:00.0", function));
    CHECK(names(root / "bus/pci/devices") == Names{"0000:00:01.0", "524f:00:00.0"});
    CHECK(names(function / "net") == Names{"eth7"});
    CHECK(fs::equivalent(root / "class/net/eth7/device", function));
    CHECK(text(device / "ports/1/gid_attrs/ndevs/0") == "eth7");
    CHECK(text(function / "numa_node") == "-1");
    CHECK(text(function / "class") == "0x020000");
    CHECK(text(function / "resource").size() == 3 * 18 + 2);
    CHECK(fs::file_size(function / "config") == 64);
    CHECK(public_name(function, tree.c_str()) == "/sys/devices/pci524f:00/524f:00:00.0");
  }
  CHECK(public_name("/sys/devices/system", trees.plain.c_str()) == "/sys/devices/system");
}

TEST_CASE("tree: each adapter of a node has a device, a PCI function and a port of its own") {
  const Trees trees;
  TreeFacts second;
  second.place = 1;
  second.host_sys = (trees.folder / "sys").string();
  second.gids.resize(2);
  second.pkeys = {0xFFFF};
  write_tree(trees.plain, second);
  write_port_state(trees.plain, 1, false);
  for (const std::string& tree : {trees.plain, trees.with_host}) {
    const fs::path devices = fs::path(tree) / "class/infiniband";
    CHECK(text(devices / "roci0/ports/1/state") == "4: ACTIVE");
    CHECK(text(devices / "roci1/ports/1/state") == "1: DOWN");
    CHECK(fs::canonical(devices / "roci0/device").filename() == "524f:00:00.0");
    CHECK(fs::canonical(devices / "roci1/device").filename() == "524f:00:01.0");
    CHECK(text(devices / "roci0/device/resource") != text(devices / "roci1/device/resource"));
    CHECK(text(fs::path(tree) / "class/infiniband_verbs/uverbs_roci1/ibdev") == "roci1");
    CHECK(names(fs::path(tree) / "bus/pci/devices") ==
          Names{"0000:00:01.0", "524f:00:00.0", "524f:00:01.0"});
  }
  CHECK(names(fs::path(trees.plain) / "class/infiniband") == Names{"roci0", "roci1"});
  CHECK(names(fs::path(trees.with_host) / "class/infiniband") == Names{"mlx5_0", "roci0", "roci1"});
  const char* tree = trees.plain.c_str();
  CHECK(redirected("/sys/bus/pci/devices/524f:00:01.0/class", tree));
  CHECK(redirected("/dev/infiniband/uverbs_roci1", nullptr) == std::string("/dev/null"));
}

TEST_CASE("tree: the names that are redirected to it") {
  const Trees trees;
  const char* tree = trees.plain.c_str();
  for (const char* name :
       {"/sys/class/infiniband", "/sys/class/infiniband/roci0/ports/1/state",
        "/sys/class/infiniband_verbs/uverbs_roci0", "/sys/devices/pci524f:00/524f:00:00.0/vendor",
        "/sys/bus/pci/devices", "/sys/bus/pci/devices/", "/sys/bus/pci/devices/524f:00:00.0/class",
        "/sys/class/pci_bus/524f:00/../../524f:00:00.0", "/sys/class/net/eth7/device/resource",
        "/sys/class/net/eth7/device"}) {
    CAPTURE(name);
    CHECK(redirected(name, tree) == trees.plain + (name + 4));
    CHECK_FALSE(redirected(name, nullptr));
  }
  for (const char* name :
       {"/sys/class/net", "/sys/class/net/eth7", "/sys/class/net/eth7/address",
        "/sys/class/net/lo/device", "/sys/class/net/eth7/devices", "/sys/devices/pci0000:00",
        "/sys/bus/pci/devices/0000:00:01.0/class", "/sys/bus/pci", "/sys/class/pci_bus",
        "/sys/devices/pci524f:001", "/proc/self", "/dev/infiniband/uverbs0"}) {
    CAPTURE(name);
    CHECK_FALSE(redirected(name, tree));
  }
  CHECK(redirected("/dev/infiniband/uverbs_roci0", nullptr) == std::string("/dev/null"));
}
