// SPDX-License-Identifier: Apache-2.0
// Engines of the cases: the RTL, or those of ROCI_ENGINES ("rtl" or "model" for node 0 and node 1,
// such as "model,rtl"). ROCI_LOCKSTEP=1 compares the RTL with the model, ROCI_WIDTH=64 selects one
// width for all.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "testbench/world.hpp"

namespace roci::testbench {

inline Config with_engines(Config config) {
  const char* lockstep = std::getenv("ROCI_LOCKSTEP");
  config.lockstep = config.lockstep || (lockstep != nullptr && *lockstep == '1');
  const char* width = std::getenv("ROCI_WIDTH");
  if (width != nullptr) config.width = static_cast<unsigned>(std::atoi(width));
  const char* chosen = std::getenv("ROCI_ENGINES");
  if (chosen == nullptr) return config;
  const std::string names = chosen;
  const std::size_t comma = names.find(',');
  const auto engine_of = [](const std::string& name) {
    if (name == "rtl") return Engine::kRtl;
    if (name == "model") return Engine::kModel;
    throw std::invalid_argument("ROCI_ENGINES: \"" + name + "\" is neither rtl nor model");
  };
  config.engines[0] = engine_of(names.substr(0, comma));
  config.engines[1] =
      comma == std::string::npos ? config.engines[0] : engine_of(names.substr(comma + 1));
  return config;
}

}  // namespace roci::testbench
