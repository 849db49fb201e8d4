// SPDX-License-Identifier: Apache-2.0
#include "model/packet/crc32.hpp"

#include <libdeflate.h>

namespace roci::packet {

std::uint32_t crc32_extend(std::uint32_t crc, ByteView bytes) {
  // The library begins anew where it is given no address.
  return bytes.size == 0 ? crc : libdeflate_crc32(crc, bytes.data, bytes.size);
}

}  // namespace roci::packet
