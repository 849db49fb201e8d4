// SPDX-License-Identifier: Apache-2.0
// Tables of fields: the one place where the layout of a header, descriptor or register is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace roci::spec {

/// One field of a layout.
struct Field {
  std::string_view name;
  unsigned bits;
  std::string_view doc;
};

/// How the fields of a table lie in bytes.
enum class Order {
  kWire,    ///< big-endian: the first field comes first on the wire, in the top bits
  kMemory,  ///< little-endian: the first field lies in the lowest bits of the lowest address
};

/// Total width of a table in bits.
template <std::size_t N>
constexpr unsigned total_bits(const Field (&fields)[N]) {
  unsigned sum = 0;
  for (const Field& field : fields) sum += field.bits;
  return sum;
}

}  // namespace roci::spec
