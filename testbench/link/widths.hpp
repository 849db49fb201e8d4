// SPDX-License-Identifier: Apache-2.0
// Widths of the data path that an adapter is built with, and the rate of the link of each.
#pragma once

#include <array>

namespace roci::testbench {

struct Width {
  unsigned bits;  ///< parameter DataWidth of roci_nic
  unsigned gbps;  ///< the rate of Ethernet below `bits` times 250 MHz
};

inline constexpr std::array<Width, 4> kWidths{{{64, 10}, {128, 25}, {256, 50}, {512, 100}}};

/// Whether an adapter can have a data path of that many bits.
constexpr bool is_width(unsigned bits) {
  for (const Width& width : kWidths) {
    if (width.bits == bits) return true;
  }
  return false;
}

/// Gb/s of the link of an adapter whose data path has so many bits, unless another is chosen; 0
/// when there is no such adapter.
constexpr unsigned link_rate_gbps(unsigned bits) {
  for (const Width& width : kWidths) {
    if (width.bits == bits) return width.gbps;
  }
  return 0;
}

}  // namespace roci::testbench
