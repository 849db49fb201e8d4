// SPDX-License-Identifier: Apache-2.0
// Visitors of layouts: reader, writer, printer. Each is given the fields in the order of the wire.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "model/spec/layout/field.hpp"

namespace roci::cm {

/// Counts bits.
struct Counter {
  unsigned bits = 0;
  template <typename T>
  constexpr void field(const char*, const T&, unsigned width) {
    bits += width;
  }
  template <typename Bytes>
  constexpr void bytes(const char*, const Bytes& data) {
    bits += static_cast<unsigned>(8 * data.size());
  }
  constexpr void reserved(unsigned width) { bits += width; }
  template <typename Group>
  constexpr void group(const char*, const Group& group) {
    Group::layout(*this, group);
  }
};

/// Bits of a structure on the wire.
template <typename M>
constexpr unsigned bits_of() {
  Counter counter;
  const M message{};
  M::layout(counter, message);
  return counter.bits;
}

/// Reads fields from big-endian bytes. Reserved bits are skipped.
class Reader {
 public:
  Reader(const std::uint8_t* bytes, unsigned at) : bytes_(bytes), at_(at) {}

  template <typename T>
  void field(const char*, T& value, unsigned width) {
    value = static_cast<T>(layout::get_wire(bytes_, {at_, width}));
    at_ += width;
  }
  template <typename Bytes>
  void bytes(const char*, Bytes& data) {
    std::copy_n(bytes_ + at_ / 8, data.size(), data.begin());
    at_ += static_cast<unsigned>(8 * data.size());
  }
  void reserved(unsigned width) { at_ += width; }
  template <typename Group>
  void group(const char*, Group& group) {
    Group::layout(*this, group);
  }

 private:
  const std::uint8_t* bytes_;
  unsigned at_;  ///< in bits
};

/// Writes fields into bytes that are zero. Reserved bits stay zero.
class Writer {
 public:
  Writer(std::uint8_t* bytes, unsigned at) : bytes_(bytes), at_(at) {}

  template <typename T>
  void field(const char* name, const T& value, unsigned width) {
    const auto number = static_cast<std::uint64_t>(value);
    if (width < 64 && number >> width != 0 && too_wide_ == nullptr) too_wide_ = name;
    layout::put_wire(bytes_, {at_, width}, number);
    at_ += width;
  }
  template <typename Bytes>
  void bytes(const char*, const Bytes& data) {
    std::copy(data.begin(), data.end(), bytes_ + at_ / 8);
    at_ += static_cast<unsigned>(8 * data.size());
  }
  void reserved(unsigned width) { at_ += width; }
  template <typename Group>
  void group(const char*, const Group& group) {
    Group::layout(*this, group);
  }

  /// The first field whose value did not fit; nullptr: all did.
  const char* too_wide() const { return too_wide_; }

 private:
  std::uint8_t* bytes_;
  unsigned at_;  ///< in bits
  const char* too_wide_ = nullptr;
};

/// A field as a printer gives it: "primary.local_gid", and its value in hexadecimal digits.
struct NamedValue {
  std::string name, value;
};

/// Lists names and values.
class Printer {
 public:
  explicit Printer(std::string prefix) : prefix_(std::move(prefix)) {}

  template <typename T>
  void field(const char* name, const T& value, unsigned width) {
    auto number = static_cast<std::uint64_t>(value);
    std::string digits;
    for (unsigned bits = 0; bits < width; bits += 4, number >>= 4) digits += kDigits[number & 15];
    std::reverse(digits.begin(), digits.end());
    values.push_back({prefix_ + name, digits});
  }
  template <typename Bytes>
  void bytes(const char* name, const Bytes& data) {
    std::string digits;
    for (const std::uint8_t byte : data) (digits += kDigits[byte >> 4]) += kDigits[byte & 15];
    values.push_back({prefix_ + name, digits});
  }
  void reserved(unsigned) {}
  template <typename Group>
  void group(const char* name, const Group& group) {
    Printer inner(prefix_ + name + ".");
    Group::layout(inner, group);
    for (NamedValue& value : inner.values) values.push_back(std::move(value));
  }

  std::vector<NamedValue> values;

 private:
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string prefix_;
};

}  // namespace roci::cm
