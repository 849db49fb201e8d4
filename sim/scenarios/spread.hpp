// SPDX-License-Identifier: Apache-2.0
// Spread of the goodput at one loss rate over several seeds.
#pragma once

#include <cstdint>

#include "sim/options.hpp"

namespace roci::sim {

struct Spread {
  double least = 0, median = 0, most = 0;  ///< Gb/s
  double formula = 0;                      ///< median of the go-back-N formula at the measured loss
  double least_share = 0, most_share = 0;  ///< relative to the formula of the same seed
  std::uint64_t clocks = 0;
  double seconds = 0;
};

/// 64 KiB WRITEs at the loss of `options`, seeds from its own on; link round trip of 2 us.
Spread spread(const WorldOptions& options, unsigned seeds, bool quick);

}  // namespace roci::sim
