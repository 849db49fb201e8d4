// SPDX-License-Identifier: Apache-2.0
// Beats of an AXI4-Stream that leaves a block.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "rtl/common/test/dut.hpp"

namespace stream {

/// Appends the bytes of a beat that is taken, `lane` of them at most, to the frame that it belongs
/// to. The bytes of a beat are its lowest, and only the last beat of a frame may have fewer.
template <typename Data, typename Keep>
void take_beat(const Data& data, const Keep& keep, bool last, unsigned lane,
               std::vector<std::uint8_t>& frame) {
  bool inside = true;
  for (unsigned i = 0; i < lane; ++i) {
    const bool kept = port::get(keep, i, 1);
    CHECK((!kept || inside));
    inside = kept;
    if (kept) frame.push_back(port::byte(data, i));
  }
  CHECK((inside || last));
}

}  // namespace stream
