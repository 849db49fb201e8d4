// SPDX-License-Identifier: Apache-2.0
// Scatter/gather lists: from bytes of a message to pieces of host memory.
#pragma once

#include "model/nic/keys.hpp"
#include "model/nic/memory.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::nic {

struct Piece {
  std::uint64_t addr = 0;
  std::uint32_t pasid = 0, bytes = 0;
};

/// Pieces of part of a message. No piece is given unless all are good.
struct Pieces {
  Status status = Status::kSuccess;  ///< kLocProtErr: a key; kLocLenErr: the list is too short
  unsigned count = 0;
  std::array<Piece, layout::kMaxSge> piece;
};

/// Where the `bytes` of a message that start at `offset` lie. `rights` as in KeyTable::local.
Pieces find_pieces(const KeyTable& keys, const Wqe& wqe, std::uint64_t offset, std::uint64_t bytes,
                   std::uint16_t pd, unsigned rights);

/// Copies all pieces to `to`, or from `from` to the pieces. False: an access failed.
bool gather(HostMemory& memory, const Pieces& pieces, std::uint8_t* to);
bool scatter(HostMemory& memory, const Pieces& pieces, const std::uint8_t* from);

/// Reads entry `index` of a work queue. False: an access failed.
bool read_entry(HostMemory& memory, std::uint32_t pasid, std::uint64_t base, unsigned log,
                unsigned stride_log, std::uint16_t index, Wqe* wqe);

}  // namespace roci::nic
