// SPDX-License-Identifier: Apache-2.0
// One line about a frame, for logs and packet comments.
#pragma once

#include <string>

#include "model/packet/bytes.hpp"

namespace roci::packet {

/// "10.0.0.1 > 10.0.0.2 RcWriteOnly qp 0x11 psn 0x000017 A va 0x7f.. rkey 0x.. dma 64 len 64";
/// other frames by their EtherType and length; a bad one ends in "[wrong ICRC]" or the like.
std::string describe(ByteView frame);

}  // namespace roci::packet
