// SPDX-License-Identifier: Apache-2.0
// One node on a real wire that meets the other side of a run, as a command asks.
#pragma once

#include <string>

#include "sim/options.hpp"
#include "sim/peer/attach.hpp"
#include "sim/peer/plan.hpp"

namespace roci::sim {

struct PeerOptions {
  WorldOptions world;
  WireOptions wire;
  PeerPlan plan;
  std::string listen, connect;  ///< where the two sides meet, over TCP
  bool progress = false;        ///< a line for each message
  bool idle = false;            ///< no run: the node is there
  std::string file, out;        ///< that the run carries; empty: a pattern
};

/// Returns when the run is over, or with `idle` when a signal comes. Throws UserError.
void run_peer(const PeerOptions& options);

}  // namespace roci::sim
