// SPDX-License-Identifier: Apache-2.0
// Tables of fields: the one place where the layout of a header, descriptor or register is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/spec/layout/field.hpp"

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

using layout::Place;

/// Total width of a table in bits.
template <std::size_t N>
constexpr unsigned total_bits(const Field (&fields)[N]) {
  unsigned sum = 0;
  for (const Field& field : fields) sum += field.bits;
  return sum;
}

/// Place of the field called `name`. A name that is not in the table does not compile.
template <std::size_t N>
constexpr Place place_of(const Field (&fields)[N], std::string_view name) {
  unsigned offset = 0;
  for (const Field& field : fields) {
    if (field.name == name) return {offset, field.bits};
    offset += field.bits;
  }
  throw "no such field";
}

using layout::get_memory;
using layout::get_wire;
using layout::put_memory;
using layout::put_wire;

}  // namespace roci::spec
