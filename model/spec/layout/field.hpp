// SPDX-License-Identifier: Apache-2.0
// Fields of layouts as types, and the functions that read and write them. The other headers of this
// folder are written by the emitter and declare one constant per field:
//
//   const std::uint8_t status = get(cqe, layout::cqe::status);
//   put(wqe, layout::wqe::opcode, layout::WrOp::kSend);
//
// A field of whole bytes is one load or store. The firmware compiles this header without a C++
// library, hence only C headers are included.
#pragma once

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "fields of whole bytes are copied: this needs a little-endian machine"
#endif

namespace roci::layout {

/// Where a field lies, for tables that are read at run time. Bits are counted from the first on
/// the wire in headers, from bit 0 of the lowest address in everything else.
struct Place {
  unsigned offset;
  unsigned bits;
};

/// A field of a little-endian layout: host memory, tables, commands, records of the RTL. `T` holds
/// its value and is void for a field of more than 64 bits.
template <typename T, unsigned Offset, unsigned Bits>
struct MemoryField {
  using Value = T;
  static constexpr unsigned offset = Offset;
  static constexpr unsigned bits = Bits;
  constexpr operator Place() const { return {Offset, Bits}; }
};

/// A field of a header on the wire, big-endian.
template <typename T, unsigned Offset, unsigned Bits>
struct WireField {
  using Value = T;
  static constexpr unsigned offset = Offset;
  static constexpr unsigned bits = Bits;
  constexpr operator Place() const { return {Offset, Bits}; }
};

/// Value of an enumerator.
template <typename Enum>
constexpr unsigned number(Enum code) {
  static_assert(__is_enum(Enum), "a code of layout/codes.hpp");
  return static_cast<unsigned>(code);
}

/// Reads a field of at most 64 bits from little-endian bytes.
constexpr uint64_t get_memory(const uint8_t* bytes, Place place) {
  const unsigned first = place.offset / 8, shift = place.offset % 8;
  uint64_t value = static_cast<uint64_t>(bytes[first]) >> shift;
  for (unsigned i = 1; 8 * i < place.bits + shift; ++i) {
    value |= static_cast<uint64_t>(bytes[first + i]) << (8 * i - shift);
  }
  return place.bits < 64 ? value & ((uint64_t{1} << place.bits) - 1) : value;
}

/// Writes a field of at most 64 bits into little-endian bytes; higher bits of `value` are dropped.
constexpr void put_memory(uint8_t* bytes, Place place, uint64_t value) {
  const unsigned first = place.offset / 8, shift = place.offset % 8;
  const unsigned end = place.bits + shift;
  for (unsigned i = 0; 8 * i < end; ++i) {
    const unsigned low = i == 0 ? shift : 0;
    const unsigned high = end - 8 * i < 8 ? end - 8 * i : 8;
    const unsigned mask = (0xFFu >> (8 - high)) & (0xFFu << low);
    const uint64_t part = i == 0 ? value << shift : value >> (8 * i - shift);
    bytes[first + i] =
        static_cast<uint8_t>((bytes[first + i] & ~mask) | (static_cast<unsigned>(part) & mask));
  }
}

/// Reads a field of at most 64 bits from big-endian bytes.
constexpr uint64_t get_wire(const uint8_t* bytes, Place place) {
  const unsigned last = (place.offset + place.bits - 1) / 8;
  const unsigned shift = 7 - (place.offset + place.bits - 1) % 8;
  uint64_t value = static_cast<uint64_t>(bytes[last]) >> shift;
  for (unsigned i = 1; 8 * i < place.bits + shift; ++i) {
    value |= static_cast<uint64_t>(bytes[last - i]) << (8 * i - shift);
  }
  return place.bits < 64 ? value & ((uint64_t{1} << place.bits) - 1) : value;
}

/// Writes a field of at most 64 bits into big-endian bytes; higher bits of `value` are dropped.
constexpr void put_wire(uint8_t* bytes, Place place, uint64_t value) {
  const unsigned last = (place.offset + place.bits - 1) / 8;
  const unsigned shift = 7 - (place.offset + place.bits - 1) % 8;
  const unsigned end = place.bits + shift;
  for (unsigned i = 0; 8 * i < end; ++i) {
    const unsigned low = i == 0 ? shift : 0;
    const unsigned high = end - 8 * i < 8 ? end - 8 * i : 8;
    const unsigned mask = (0xFFu >> (8 - high)) & (0xFFu << low);
    const uint64_t part = i == 0 ? value << shift : value >> (8 * i - shift);
    bytes[last - i] =
        static_cast<uint8_t>((bytes[last - i] & ~mask) | (static_cast<unsigned>(part) & mask));
  }
}

namespace detail {

/// The order of the bytes of a number turned round.
template <typename T>
constexpr T swapped(T value) {
  if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else if constexpr (sizeof(T) == 8) {
    return __builtin_bswap64(value);
  } else {
    return value;
  }
}

/// The field fills `T` and begins at a byte.
template <typename Field>
constexpr bool kWhole = Field::bits % 8 == 0 && Field::offset % 8 == 0 &&
                        Field::bits / 8 == sizeof(typename Field::Value);

}  // namespace detail

template <typename T, unsigned Offset, unsigned Bits>
constexpr T get(const uint8_t* bytes, MemoryField<T, Offset, Bits> field) {
  if constexpr (detail::kWhole<MemoryField<T, Offset, Bits>>) {
    if (!__builtin_is_constant_evaluated()) {
      T value{};
      __builtin_memcpy(&value, bytes + Offset / 8, sizeof value);
      return value;
    }
  }
  return static_cast<T>(get_memory(bytes, field));
}

template <typename T, unsigned Offset, unsigned Bits, typename V>
constexpr void put(uint8_t* bytes, MemoryField<T, Offset, Bits> field, V value) {
  if constexpr (detail::kWhole<MemoryField<T, Offset, Bits>>) {
    if (!__builtin_is_constant_evaluated()) {
      const T whole = static_cast<T>(value);
      __builtin_memcpy(bytes + Offset / 8, &whole, sizeof whole);
      return;
    }
  }
  put_memory(bytes, field, static_cast<uint64_t>(value));
}

template <typename T, unsigned Offset, unsigned Bits>
constexpr T get(const uint8_t* bytes, WireField<T, Offset, Bits> field) {
  if constexpr (detail::kWhole<WireField<T, Offset, Bits>>) {
    if (!__builtin_is_constant_evaluated()) {
      T value{};
      __builtin_memcpy(&value, bytes + Offset / 8, sizeof value);
      return detail::swapped(value);
    }
  }
  return static_cast<T>(get_wire(bytes, field));
}

template <typename T, unsigned Offset, unsigned Bits, typename V>
constexpr void put(uint8_t* bytes, WireField<T, Offset, Bits> field, V value) {
  if constexpr (detail::kWhole<WireField<T, Offset, Bits>>) {
    if (!__builtin_is_constant_evaluated()) {
      const T whole = detail::swapped(static_cast<T>(value));
      __builtin_memcpy(bytes + Offset / 8, &whole, sizeof whole);
      return;
    }
  }
  put_wire(bytes, field, static_cast<uint64_t>(value));
}

/// Field of a 32-bit register.
template <typename T, unsigned Offset, unsigned Bits>
constexpr T get(uint32_t word, MemoryField<T, Offset, Bits>) {
  static_assert(Offset + Bits <= 32, "a field of a register");
  return static_cast<T>(word >> Offset & static_cast<uint32_t>((uint64_t{1} << Bits) - 1));
}

/// Bits of a 32-bit register in which a field has `value`; higher bits of `value` are dropped.
template <typename T, unsigned Offset, unsigned Bits, typename V>
constexpr uint32_t bits(MemoryField<T, Offset, Bits>, V value) {
  static_assert(Offset + Bits <= 32, "a field of a register");
  return (static_cast<uint32_t>(value) & static_cast<uint32_t>((uint64_t{1} << Bits) - 1))
         << Offset;
}

/// All bits of a field of a 32-bit register.
template <typename T, unsigned Offset, unsigned Bits>
constexpr uint32_t mask(MemoryField<T, Offset, Bits> field) {
  return bits(field, 0xFFFFFFFFu);
}

}  // namespace roci::layout
