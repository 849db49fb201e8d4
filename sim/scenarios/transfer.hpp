// SPDX-License-Identifier: Apache-2.0
// One transfer between two adapters after reset, and its report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/options.hpp"
#include "sim/report/recorder.hpp"
#include "sim/scenarios/carry.hpp"
#include "testbench/world.hpp"

namespace roci::sim {

/// The test bench configuration for the options.
testbench::Config config_of(const WorldOptions& options);

/// The result of a transfer.
struct TransferReport {
  bool equal = false;  ///< all bytes arrived
  std::uint64_t bytes = 0;
  std::size_t messages = 0;
  std::uint64_t elapsed_ns = 0;  ///< simulated, first post to last completion
  std::uint64_t timeouts = 0;    ///< retransmissions that the timer started
  WireCounts wire[2];            ///< as sent by node 0 and node 1
  std::string sha_sent, sha_received;
  testbench::World::Speed speed{};

  double gbps() const {
    return elapsed_ns == 0 ? 0 : 8.0 * static_cast<double>(bytes) / static_cast<double>(elapsed_ns);
  }
  nlohmann::json json() const;
};

/// Carries `bytes` from node 0 to node 1. Throws when a completion is bad or an invariant of the
/// test bench breaks. `recorder` sees the wire; `received` gets what arrived.
TransferReport transfer(const WorldOptions& options, const CarryPlan& plan,
                        const std::vector<std::uint8_t>& bytes, Recorder& recorder,
                        std::vector<std::uint8_t>* received = nullptr);

}  // namespace roci::sim
