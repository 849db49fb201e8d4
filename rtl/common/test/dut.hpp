// SPDX-License-Identifier: Apache-2.0
// A verilated block on a bench: one clock, one active-low reset, ports of any width by field name.
#pragma once

#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "model/spec/layout/field.hpp"

namespace layout = roci::layout;

/// Owns a model with `clk_i` and `rst_ni` and has taken it through reset.
template <typename Model>
class Dut {
 public:
  Dut() : model_(std::make_unique<Model>(&context_)) {
    model_->clk_i = 0;
    model_->rst_ni = 0;
    model_->eval();
    tick();
    tick();
    model_->rst_ni = 1;
    model_->eval();
  }
  ~Dut() { model_->final(); }

  Model* operator->() { return model_.get(); }
  Model& operator*() { return *model_; }

  /// Settles the combinational outputs after a change of inputs.
  void settle() { model_->eval(); }

  /// One rising edge, then the falling one; inputs are those set before the call.
  void tick() {
    model_->eval();
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
    ++cycle_;
  }

  std::uint64_t cycle() const { return cycle_; }

 private:
  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  std::uint64_t cycle_ = 0;
};

namespace port {

/// Reads bits [offset, offset + bits) of a port, at most 64 of them.
template <typename Port>
std::uint64_t get(const Port& port, unsigned offset, unsigned bits) {
  std::uint64_t value = 0;
  if constexpr (std::is_integral_v<Port>) {
    value = static_cast<std::uint64_t>(port) >> offset;
  } else {
    for (unsigned i = 0; i < bits;) {
      const unsigned bit = offset + i;
      const unsigned take = 32 - bit % 32 < bits - i ? 32 - bit % 32 : bits - i;
      const std::uint64_t mask = (std::uint64_t{1} << take) - 1;
      value |= (static_cast<std::uint64_t>(port[bit / 32]) >> bit % 32 & mask) << i;
      i += take;
    }
  }
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// Writes bits [offset, offset + bits) of a port, at most 64 of them.
template <typename Port>
void put(Port& port, unsigned offset, unsigned bits, std::uint64_t value) {
  if constexpr (std::is_integral_v<Port>) {
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    port = static_cast<Port>((port & ~(mask << offset)) | (value & mask) << offset);
  } else {
    for (unsigned i = 0; i < bits;) {
      const unsigned bit = offset + i;
      const unsigned take = 32 - bit % 32 < bits - i ? 32 - bit % 32 : bits - i;
      const std::uint64_t mask = (std::uint64_t{1} << take) - 1;
      port[bit / 32] = static_cast<std::uint32_t>((port[bit / 32] & ~(mask << bit % 32)) |
                                                  (value >> i & mask) << bit % 32);
      i += take;
    }
  }
}

/// Field of a record or of a row, entry or block in memory; `base` is the bit of the port at which
/// the record begins.
template <typename Port, typename T, unsigned Offset, unsigned Bits,
          std::enable_if_t<!std::is_void_v<T>, int> = 0>
T get(const Port& port, layout::MemoryField<T, Offset, Bits>, unsigned base = 0) {
  return static_cast<T>(get(port, base + Offset, Bits));
}
template <typename Port, typename T, unsigned Offset, unsigned Bits, typename Value,
          std::enable_if_t<!std::is_void_v<T>, int> = 0>
void put(Port& port, layout::MemoryField<T, Offset, Bits>, Value value, unsigned base = 0) {
  put(port, base + Offset, Bits, static_cast<std::uint64_t>(value));
}

/// Bit of a port at which a field of a header lies. `headers` is the field of the record that holds
/// the extension headers, the first byte on the wire on top; the header begins after `skip` bits.
template <typename Headers, typename Field>
constexpr unsigned header_bit(Headers, Field, unsigned skip) {
  return Headers::offset + Headers::bits - skip - Field::offset - Field::bits;
}

/// Field of a header among the extension headers of a record.
template <typename Port, unsigned At, unsigned Room, typename T, unsigned Offset, unsigned Bits>
T get(const Port& port, layout::MemoryField<void, At, Room> headers,
      layout::WireField<T, Offset, Bits> field, unsigned skip = 0) {
  return static_cast<T>(get(port, header_bit(headers, field, skip), Bits));
}
template <typename Port, unsigned At, unsigned Room, typename T, unsigned Offset, unsigned Bits,
          typename Value>
void put(Port& port, layout::MemoryField<void, At, Room> headers,
         layout::WireField<T, Offset, Bits> field, Value value, unsigned skip = 0) {
  put(port, header_bit(headers, field, skip), Bits, static_cast<std::uint64_t>(value));
}

/// Byte `index` of a field of more than 64 bits, counted from its top: byte 0 is the first on the
/// wire.
template <typename Port, unsigned Offset, unsigned Bits>
std::uint8_t get_byte(const Port& port, layout::MemoryField<void, Offset, Bits>, unsigned index) {
  return static_cast<std::uint8_t>(get(port, Offset + Bits - 8 * (index + 1), 8));
}
template <typename Port, unsigned Offset, unsigned Bits>
void put_byte(Port& port, layout::MemoryField<void, Offset, Bits>, unsigned index,
              std::uint8_t value) {
  put(port, Offset + Bits - 8 * (index + 1), 8, value);
}

/// Byte `index` of a port.
template <typename Port>
std::uint8_t byte(const Port& port, unsigned index) {
  return static_cast<std::uint8_t>(get(port, 8 * index, 8));
}
template <typename Port>
void put_byte(Port& port, unsigned index, std::uint8_t value) {
  put(port, 8 * index, 8, value);
}

/// Sets every bit of a port to 0.
template <typename Port>
void clear(Port& port) {
  std::memset(&port, 0, sizeof port);
}

}  // namespace port
