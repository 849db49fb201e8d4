// SPDX-License-Identifier: Apache-2.0
// Beats of a frame at the ports of an ICRC block.
#pragma once

#include <algorithm>
#include <random>

#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/icrc_reference.hpp"

namespace icrc {

/// Puts the beat of a frame that begins at byte `at` on `data` and `keep`; returns whether it is
/// the last. Bytes after the frame are random.
template <typename Data, typename Keep>
bool put_beat(Data& data, Keep& keep, const Frame& frame, std::size_t at, unsigned lane,
              std::mt19937& random) {
  const std::size_t count = std::min<std::size_t>(lane, frame.bytes.size() - at);
  for (unsigned i = 0; i < lane; ++i) {
    port::put_byte(data, i, i < count ? frame.bytes[at + i] : random());
    port::put(keep, i, 1, i < count);
  }
  return at + count == frame.bytes.size();
}

/// Puts a valid beat on the ports that `icrc` and `icrc_rx` have in common.
template <typename Block>
void put_beat(Block& dut, const Frame& frame, std::size_t at, unsigned lane, std::mt19937& random) {
  dut->last_i = put_beat(dut->data_i, dut->keep_i, frame, at, lane, random);
  dut->ipv6_i = frame.kind == Kind::kIpv6;
  dut->roce_v1_i = frame.kind == Kind::kGrh;
  dut->vlan_i = frame.vlan;
  dut->valid_i = 1;
}

}  // namespace icrc
