// SPDX-License-Identifier: Apache-2.0
// One node on an external port that runs a plan against another implementation.
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
  std::string listen, connect;  ///< TCP address at which the two sides exchange parameters
  bool progress = false;        ///< a line for each message
  bool idle = false;            ///< no traffic, the node responds only
  std::string file, out;        ///< file to carry and file to write; empty: a pattern
};

/// Returns when the run is over, or with `idle` when a signal comes. Throws UserError.
void run_peer(const PeerOptions& options);

}  // namespace roci::sim
