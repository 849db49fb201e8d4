// SPDX-License-Identifier: Apache-2.0
// Describes a frame in one line, for logs and packet comments.
#pragma once

#include <string>

#include "model/packet/bytes.hpp"

namespace roci::packet {

/// Example: "10.0.0.1 > 10.0.0.2 RcWriteOnly qp 0x11 psn 0x000017 A va 0x7f.. rkey 0x.. dma 64 len
/// 64"; other frames are described by EtherType and length; an invalid one ends in "[wrong ICRC]"
/// or the like.
std::string describe(ByteView frame);

}  // namespace roci::packet
