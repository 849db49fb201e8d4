// SPDX-License-Identifier: Apache-2.0
// Times of the latest events in an adapter, to measure latency.
#pragma once

#include <cstdint>

namespace roci::testbench {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// Times in ns; kNever: not yet.
struct Moments {
  std::uint64_t doorbell_ns = kNever;     ///< latest doorbell of a queue pair
  std::uint64_t first_tx_ns = kNever;     ///< first beat to the MAC after it
  std::uint64_t last_rx_ns = kNever;      ///< latest end of a frame from the MAC
  std::uint64_t first_write_ns = kNever;  ///< first beat written to host memory after it
};

}  // namespace roci::testbench
