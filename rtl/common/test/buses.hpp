// SPDX-License-Identifier: Apache-2.0
// Fields of the records on the row bus and on the ports of block reads and writes. Their data lies
// in the lowest bits, so that a field of a row or of a block is at its own place.
#pragma once

#include "model/spec/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace bus {

inline constexpr auto kRowIndex = place_of(roci::spec::kRowWrite, "index");
inline constexpr auto kRowTable = place_of(roci::spec::kRowWrite, "table_id");
inline constexpr auto kReadAddr = place_of(roci::spec::kBlockReadReq, "addr");
inline constexpr auto kReadPasid = place_of(roci::spec::kBlockReadReq, "pasid");
inline constexpr auto kReadCount = place_of(roci::spec::kBlockReadReq, "count");
inline constexpr auto kReadError = place_of(roci::spec::kBlockReadRsp, "error");
inline constexpr auto kWriteAddr = place_of(roci::spec::kBlockWriteReq, "addr");
inline constexpr auto kWritePasid = place_of(roci::spec::kBlockWriteReq, "pasid");
inline constexpr auto kWriteBytes = place_of(roci::spec::kBlockWriteReq, "bytes");
inline constexpr auto kWriteError = place_of(roci::spec::kBlockWriteRsp, "error");
inline constexpr auto kSentQpn = place_of(roci::spec::kSent, "qpn");
inline constexpr auto kSentPsn = place_of(roci::spec::kSent, "psn");
inline constexpr auto kSentError = place_of(roci::spec::kSent, "error");

/// Clears the data of a record and leaves the rest of it.
template <typename Port>
void clear_data(Port& record) {
  for (unsigned bit = 0; bit < 512; bit += 64) port::put(record, bit, 64, 0);
}

}  // namespace bus
