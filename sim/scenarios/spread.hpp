// SPDX-License-Identifier: Apache-2.0
// How far the goodput under one rate of loss lies apart from seed to seed.
#pragma once

#include <cstdint>

#include "sim/options.hpp"

namespace roci::sim {

struct Spread {
  double least = 0, median = 0, most = 0;  ///< Gb/s
  double formula = 0;                      ///< median of what go-back-N gives for what was lost
  double least_share = 0, most_share = 0;  ///< of each seed's own formula
  std::uint64_t clocks = 0;
  double seconds = 0;
};

/// 64 KiB WRITEs with the loss of `options`, seeds from its own on; 2 us round trip of the wire.
Spread spread(const WorldOptions& options, unsigned seeds, bool quick);

}  // namespace roci::sim
