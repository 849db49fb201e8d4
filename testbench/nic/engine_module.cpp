// SPDX-License-Identifier: Apache-2.0
#include "testbench/nic/engine_module.hpp"

#include <dlfcn.h>

#include <map>
#include <utility>

namespace roci::testbench {
namespace {

struct Loaded {
  const EngineModule* module = nullptr;
  std::string why;
};

Loaded load(const std::string& engine) {
  const std::string file = "lib" + engine + ".so";
  const std::string remedy = "build it with 'cmake --build build --target " + engine + "'";
  // The name has no folder: the run path of the program says where modules are.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string text = dlerror();
    const bool absent = text.find("cannot open shared object file") != std::string::npos;
    return {nullptr, absent
                         ? "the engine " + file + " is not there: " + remedy + ", or use the model"
                         : "cannot load " + file + ": " + text};
  }
  const auto* module = static_cast<const EngineModule*>(dlsym(handle, kEngineModule));
  if (module == nullptr || !module->fits()) {
    return {nullptr, file + " belongs to another build than this program: " + remedy};
  }
  return {module, {}};
}

}  // namespace

const EngineModule* load_engine(unsigned width, bool traced, std::string& why) {
  static std::map<std::pair<unsigned, bool>, Loaded> loaded;
  const auto key = std::make_pair(width, traced);
  auto found = loaded.find(key);
  if (found == loaded.end()) {
    const std::string name = "roci-nic-" + std::to_string(width) + (traced ? "-traced" : "");
    found = loaded.emplace(key, load(name)).first;
  }
  why = found->second.why;
  return found->second.module;
}

}  // namespace roci::testbench
