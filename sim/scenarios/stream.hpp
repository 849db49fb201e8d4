// SPDX-License-Identifier: Apache-2.0
// Steady traffic between two nodes, to measure how fast it goes.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/options.hpp"
#include "sim/report/recorder.hpp"
#include "testbench/world.hpp"

namespace roci::sim {

struct StreamPlan {
  Operation operation = Operation::kWrite;
  unsigned queue_pairs = 1;
  std::uint32_t bytes = 65536;           ///< bytes of a message
  unsigned depth = 16;                   ///< messages outstanding on a queue pair
  unsigned messages = 64;                ///< measured, over all queue pairs, each way
  std::optional<driver::Opcode> opcode;  ///< an atomic in place of `operation`, of 8 bytes
  driver::Service service = driver::Service::kRc;
  bool both_ways = false;
  bool inlined = false;          ///< WRITEs or SENDs whose data stand in the work request,
  bool posted = false;           ///< which goes to the adapter with its doorbell (QpOptions::posts)
  bool spare_responses = false;  ///< faults apply to frames from node 0 only
};

struct StreamResult {
  double gbps = 0;                  ///< goodput of one direction, the slower one
  double mpps = 0;                  ///< messages per microsecond of one direction
  double clocks = 0;                ///< clocks of 4 ns per message of one direction
  double latency_us = 0;            ///< from post to completion, median
  std::uint64_t retransmitted = 0;  ///< packets retransmitted
  double loss = 0;                  ///< lost share of the frames from node 0
  unsigned undelivered = 0;         ///< SENDs of UC or UD that were not received
  std::uint64_t overflows = 0;      ///< frames that found the receive buffer full
  testbench::World::Speed speed{};
};

/// Runs the plan. The measurement starts after the first `depth` messages per queue pair.
StreamResult stream(const WorldOptions& options, const StreamPlan& plan);

/// Clocks of 4 ns through one adapter with host memory without latency.
struct LatencyResult {
  double doorbell_to_wire = 0;  ///< doorbell write to first beat to the MAC, 64-byte inline WRITE
  double wire_to_memory = 0;    ///< last beat from the MAC to first beat of the write
};
LatencyResult latency(unsigned width);

}  // namespace roci::sim
