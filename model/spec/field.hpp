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

/// Where a field lies. kWire counts bits from the first on the wire, kMemory from bit 0 up.
struct Place {
  unsigned offset;
  unsigned bits;
};

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

/// Reads a field of at most 64 bits from big-endian bytes.
constexpr std::uint64_t get_wire(const std::uint8_t* bytes, Place place) {
  std::uint64_t value = 0;
  for (unsigned bit = place.offset; bit < place.offset + place.bits; ++bit) {
    value = value << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1u);
  }
  return value;
}

/// Writes a field of at most 64 bits into big-endian bytes; higher bits of `value` are cut off.
constexpr void put_wire(std::uint8_t* bytes, Place place, std::uint64_t value) {
  for (unsigned i = 0; i < place.bits; ++i) {
    const unsigned bit = place.offset + place.bits - 1 - i;
    const auto mask = static_cast<std::uint8_t>(1u << (7 - bit % 8));
    if (value >> i & 1u) {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | mask);
    } else {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] & ~mask);
    }
  }
}

/// Reads a field of at most 64 bits from little-endian bytes.
constexpr std::uint64_t get_memory(const std::uint8_t* bytes, Place place) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < place.bits; ++i) {
    const unsigned bit = place.offset + i;
    value |= static_cast<std::uint64_t>(bytes[bit / 8] >> bit % 8 & 1u) << i;
  }
  return value;
}

/// Writes a field of at most 64 bits into little-endian bytes; higher bits are cut off.
constexpr void put_memory(std::uint8_t* bytes, Place place, std::uint64_t value) {
  for (unsigned i = 0; i < place.bits; ++i) {
    const unsigned bit = place.offset + i;
    const auto mask = static_cast<std::uint8_t>(1u << bit % 8);
    if (value >> i & 1u) {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | mask);
    } else {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] & ~mask);
    }
  }
}

}  // namespace roci::spec
