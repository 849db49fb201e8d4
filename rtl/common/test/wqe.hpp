// SPDX-License-Identifier: Apache-2.0
// Work queue entries as bytes in host memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/spec/layout/queues.hpp"
#include "rtl/common/test/dut.hpp"

namespace wqe {

/// Where entry `index` of the scatter/gather list stands: the first one in block 0, the others from
/// block 1 on.
inline std::uint8_t* list_entry(std::uint8_t* entry, std::size_t index) {
  return index == 0 ? entry + layout::wqe::sge0_addr.offset / 8
                    : entry + layout::kBlockBytes + layout::kSgeBytes * (index - 1);
}

/// Writes a scatter/gather list: elements with `addr`, `length` and `key`.
template <typename List>
void put_list(std::uint8_t* entry, const List& list) {
  layout::put(entry, layout::wqe::num_sge, list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::uint8_t* sge = list_entry(entry, i);
    layout::put(sge, layout::sge::addr, list[i].addr);
    layout::put(sge, layout::sge::length, list[i].length);
    layout::put(sge, layout::sge::lkey, list[i].key);
  }
}

}  // namespace wqe
