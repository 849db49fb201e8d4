// SPDX-License-Identifier: Apache-2.0
// Rings of work requests in memory of the process (spec/queues.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "driver/device/device.hpp"
#include "driver/types.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::driver {

/// log2 of the entries of a ring that holds `entries`.
unsigned entries_log(unsigned entries);
/// log2 of the blocks that an entry needs: the first SGE lies in block 0, four more in each of
/// the others, and inline data in the others too.
unsigned stride_log(unsigned sges, unsigned inline_bytes);

std::uint64_t list_bytes(const std::vector<Sge>& sges);
/// Writes the list: entry 0 into block 0, the others from block 1 on.
void put_list(std::uint8_t* wqe, const std::vector<Sge>& sges);
/// Writes a receive; `tag` for those of a shared queue.
void put_receive(std::uint8_t* wqe, const ReceiveRequest& request, std::uint32_t tag);

const char* text_of(PostError error);

/// A ring of work requests and the identifiers of its entries.
struct Ring {
  DmaMemory memory;
  unsigned log = 0;
  unsigned stride_log = 0;
  std::uint16_t head = 0;  ///< next entry to post
  std::uint16_t tail = 0;  ///< oldest entry whose completion was not polled
  std::vector<std::uint64_t> ids;

  void allocate(Device& device);
  /// Drops all outstanding requests; `each` receives their identifiers, oldest first.
  template <typename Each>
  void flush(Each each) {
    for (; tail != head; ++tail) each(ids[tail & (ids.size() - 1)]);
  }
  unsigned used() const { return static_cast<std::uint16_t>(head - tail); }
  unsigned room() const { return (1u << log) - used(); }
  std::uint8_t* entry(std::uint16_t index) {
    return memory.host +
           ((std::size_t{index} & ((1u << log) - 1)) << stride_log) * layout::kBlockBytes;
  }
};

}  // namespace roci::driver
