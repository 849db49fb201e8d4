// SPDX-License-Identifier: Apache-2.0
#include "testbench/nic/engine_module.hpp"

#include <map>
#include <utility>

#include "testbench/nic/module_file.hpp"

namespace roci::testbench {
namespace {

struct Loaded {
  const EngineModule* module = nullptr;
  std::string why;
};

Loaded load(const std::string& engine) {
  const ModuleFile file(engine, kEngineModule, "or use the model");
  if (file.symbol() == nullptr) return {nullptr, file.why()};
  const auto* module = static_cast<const EngineModule*>(file.symbol());
  if (!module->fits()) return {nullptr, file.other_build()};
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
