// SPDX-License-Identifier: Apache-2.0
// One round: two adapters, the connections of a plan, and their results.
#pragma once

#include <functional>
#include <string>

#include "testbench/verify/soak/round_context.hpp"

namespace roci::soak {

struct Outcome {
  bool passed = false;
  std::string failure;  ///< the first violation
  std::string events;   ///< the last events of its connection
  Tally tally;
  Coverage coverage;
  std::array<testbench::LinkDirection::Counts, 2> link{};
  std::uint64_t payloads = 0, repeated = 0;
  testbench::Shadow::Counts lockstep;
  std::uint64_t simulated_ns = 0;
  testbench::World::Speed speed{};
};

/// `tap` is called for every frame; nullptr: none. At most one round runs at a time in a process.
Outcome run_round(const RoundPlan& plan, testbench::FrameTap* tap = nullptr,
                  const std::function<void(std::uint64_t now_ns)>& tick = {});

}  // namespace roci::soak
