// SPDX-License-Identifier: Apache-2.0
// Sends hostile packets to an adapter while a witness has traffic (F-52, F-53).
#pragma once

#include <functional>
#include <string>

#include "testbench/verify/soak/hostile/forge.hpp"
#include "testbench/verify/soak/round_context.hpp"

namespace roci::soak {

struct HostilePlan {
  testbench::Engine engine =
      testbench::Engine::kRtl;  ///< engine under attack; its peer is the model
  unsigned width = 64;
  std::uint64_t seed = 1;
  std::uint64_t packets = 20'000;
  unsigned victims = 48;
};

struct HostileOutcome {
  bool passed = false;
  std::string failure, events;
  std::uint64_t packets = 0, sealed = 0;
  std::array<std::uint64_t, kForgeries> forgeries{};
  std::uint64_t revived = 0, responses = 0, naks = 0, completions = 0;
  driver::PortCounters port{};
  Tally witness;  ///< results during the attack
  std::uint64_t repeated = 0;
  std::uint64_t simulated_ns = 0;
  testbench::World::Speed speed{};
};

/// `tick` is called with the progress. At most one runs at a time in a process.
HostileOutcome run_hostile(const HostilePlan& plan, testbench::FrameTap* tap = nullptr,
                           const std::function<void(std::uint64_t packets)>& tick = {});

}  // namespace roci::soak
