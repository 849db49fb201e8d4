// SPDX-License-Identifier: Apache-2.0
// The CRC of Ethernet (polynomial 0x04C11DB7, reflected), which the ICRC uses.
#pragma once

#include <cstdint>

#include "model/packet/bytes.hpp"

namespace roci::packet {

/// The CRC of what gave `crc` (0: nothing) followed by `bytes`, as crc32() of zlib.
std::uint32_t crc32_extend(std::uint32_t crc, ByteView bytes);

}  // namespace roci::packet
