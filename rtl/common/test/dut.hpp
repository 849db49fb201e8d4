// SPDX-License-Identifier: Apache-2.0
// A verilated block on a bench: one clock, one active-low reset, ports of any width by field name.
#pragma once

#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "model/spec/field.hpp"

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

/// Field of a record or memory layout (first field in the lowest bits); `base` skips other bits.
template <typename Port>
std::uint64_t get(const Port& port, roci::spec::Place place, unsigned base = 0) {
  return get(port, base + place.offset, place.bits);
}
template <typename Port>
void put(Port& port, roci::spec::Place place, std::uint64_t value, unsigned base = 0) {
  put(port, base + place.offset, place.bits, value);
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
