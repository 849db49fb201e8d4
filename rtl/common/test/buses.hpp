// SPDX-License-Identifier: Apache-2.0
// Records on the row bus and on the ports of block reads and writes. Their data lies in the lowest
// bits, so that a field of a row or of a block is at its own place in the record.
#pragma once

#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace bus {

static_assert(layout::row_write::data.offset == 0 && layout::row_write::data.bits == 512);
static_assert(layout::block_read_rsp::data.offset == 0 &&
              layout::block_write_req::data.offset == 0);

/// Clears the data of a record and leaves the rest of it.
template <typename Port>
void clear_data(Port& record) {
  for (unsigned bit = 0; bit < layout::row_write::data.bits; bit += 64) {
    port::put(record, bit, 64, 0);
  }
}

}  // namespace bus
