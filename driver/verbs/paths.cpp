// SPDX-License-Identifier: Apache-2.0
#include "driver/verbs/paths.hpp"

#include <linux/limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <string_view>

#include "driver/verbs/tree.hpp"

namespace roci::verbs {
namespace {

constexpr std::string_view kSys = "/sys";
constexpr std::string_view kDeviceFiles = "/dev/infiniband/uverbs_roci";
constexpr std::string_view kManager = "/sys/class/misc/rdma_cm";
constexpr std::string_view kClasses = "/sys/class/infiniband";  // and names that begin with it
constexpr std::string_view kFunctions = "/sys/bus/pci/devices";
constexpr std::string_view kInterfaces = "/sys/class/net/";

bool begins_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// Whether `path` is `name` or lies below it.
bool is_or_below(std::string_view path, std::string_view name) {
  return begins_with(path, name) && (path.size() == name.size() || path[name.size()] == '/');
}

/// Whether this is the `device` of an interface in the tree.
bool is_function_of_interface(std::string_view path, const std::string& tree) {
  if (!begins_with(path, kInterfaces)) return false;
  const std::size_t end = path.find('/', kInterfaces.size());
  if (end == std::string_view::npos || !is_or_below(path.substr(end), "/device")) return false;
  struct stat found {};
  const std::string ours = tree + std::string(path.substr(kSys.size(), end - kSys.size()));
  return stat(ours.c_str(), &found) == 0;
}

bool is_in_tree(std::string_view path, const std::string& tree) {
  const std::string bus = kPciBus;
  if (begins_with(path, kClasses) || is_or_below(path, kManager) ||
      is_or_below(path, "/sys/devices/pci" + bus) ||
      is_or_below(path, "/sys/class/pci_bus/" + bus)) {
    return true;
  }
  if (is_or_below(path, kFunctions)) {  // the list, or the function of an adapter
    const std::string_view below = path.substr(kFunctions.size());
    return below.size() <= 1 || begins_with(below, "/" + bus + ":");
  }
  return is_function_of_interface(path, tree);
}

}  // namespace

std::optional<std::string> redirected(const char* path, const char* tree) {
  const std::string_view name = path;
  if (begins_with(name, kDeviceFiles)) return "/dev/null";
  if (tree == nullptr || !begins_with(name, kSys) || !is_in_tree(name, tree)) return std::nullopt;
  return tree + std::string(name.substr(kSys.size()));
}

std::string cpuinfo_of(const std::string& tree) {
  return tree.substr(0, tree.rfind('/')) + "/cpuinfo";
}

std::string public_name(const std::string& path, const char* tree) {
  // The tree may be a second view of another one, whose `devices` it shares.
  const std::string devices = std::string(tree) + "/devices";
  char resolved[PATH_MAX];
  if (realpath(devices.c_str(), resolved) == nullptr) return path;
  const std::string root = std::string(resolved, std::string_view(resolved).rfind('/'));
  return is_or_below(path, root) ? std::string(kSys) + path.substr(root.size()) : path;
}

}  // namespace roci::verbs
