// SPDX-License-Identifier: Apache-2.0
// Scatter/gather lists: from bytes of a message to segments of host memory.
#pragma once

#include "model/nic/keys.hpp"
#include "model/nic/memory.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::nic {

struct Segment {
  std::uint64_t addr = 0;
  std::uint32_t pasid = 0, bytes = 0;
};

/// Memory segments of a part of a message. `count` is 0 unless all of them are valid.
struct Segments {
  Status status = Status::kSuccess;  ///< kLocProtErr: a key; kLocLenErr: the list is too short
  unsigned count = 0;
  std::array<Segment, layout::kMaxSge> segment;
};

/// Finds the memory of the `bytes` of a message from `offset` on. `rights` as in KeyTable::local.
Segments find_segments(const KeyTable& keys, const Wqe& wqe, std::uint64_t offset,
                       std::uint64_t bytes, std::uint16_t pd, unsigned rights);

/// Copies all segments to `to`, or from `from` to the segments. False: an access failed. A part of
/// a message may be written as such when the list has no other segment.
bool gather(HostMemory& memory, const Segments& segments, std::uint8_t* to);
bool scatter(HostMemory& memory, const Segments& segments, const std::uint8_t* from,
             MemoryUse use = MemoryUse::kPayload);

/// Reads entry `index` of a work queue. False: an access failed.
bool read_entry(HostMemory& memory, std::uint32_t pasid, std::uint64_t base, unsigned log,
                unsigned stride_log, std::uint16_t index, Wqe* wqe);

}  // namespace roci::nic
