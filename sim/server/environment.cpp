// SPDX-License-Identifier: Apache-2.0
#include "sim/server/environment.hpp"

#include <cstdlib>
#include <filesystem>

#include "driver/verbs/tree.hpp"

namespace roci::sim {
namespace {

/// The library that makes the adapter visible to programs of libibverbs: beside the program when
/// installed, in its own folder of a build; empty: not built.
std::string verbs_library() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path :
       {here / "../driver/verbs/libroci-verbs.so", here / "../lib/rocinante/libroci-verbs.so",
        here / "../lib/libroci-verbs.so"}) {
    if (fs::exists(path, error)) return fs::canonical(path, error).string();
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> environment_of(const Instance& instance,
                                                                const std::string& node,
                                                                const ProgramView& view) {
  const std::string tree = instance.device_files(node);
  std::vector<std::pair<std::string, std::string>> variables = {
      {"ROCI_SOCKET", instance.socket()},
      {"ROCI_NODE", node},
      {"ROCI_SYSFS", view.host_devices ? verbs::with_host_devices(tree) : tree},
  };
  if (view.simulated_time) variables.emplace_back("ROCI_TIME", "simulated");
  const std::string library = verbs_library();
  if (!library.empty()) {
    const char* others = std::getenv("LD_PRELOAD");
    variables.emplace_back("LD_PRELOAD",
                           others == nullptr || others[0] == 0 ? library : library + ":" + others);
  }
  return variables;
}

}  // namespace roci::sim
