// SPDX-License-Identifier: Apache-2.0
// Byte sequences and addresses, as the codec passes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace roci::packet {

using Bytes = std::vector<std::uint8_t>;

/// A view of bytes that it does not own.
struct ByteView {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;

  ByteView() = default;
  ByteView(const std::uint8_t* first, std::size_t count) : data(first), size(count) {}
  ByteView(const Bytes& bytes) : data(bytes.data()), size(bytes.size()) {}  // NOLINT: implicit

  const std::uint8_t* begin() const { return data; }
  const std::uint8_t* end() const { return data + size; }
  std::uint8_t operator[](std::size_t index) const { return data[index]; }
  Bytes copy() const { return Bytes(begin(), end()); }
  /// Returns `count` bytes from `first` on.
  ByteView sub(std::size_t first, std::size_t count) const { return {data + first, count}; }
};

bool operator==(ByteView a, ByteView b);
inline bool operator!=(ByteView a, ByteView b) { return !(a == b); }

/// A MAC address as a number, first byte on the wire in bits 47:40.
using Mac = std::uint64_t;

/// The 16 bytes of a GID or IPv6 address in the order of the wire. An IPv4 address a.b.c.d is
/// ::ffff:a.b.c.d.
using Gid = std::array<std::uint8_t, 16>;

Gid gid_from_ipv4(std::uint32_t address);
bool is_ipv4(const Gid& gid);
/// Returns the last four bytes as a number.
std::uint32_t ipv4_of(const Gid& gid);

/// Returns text: "10.0.0.1" for IPv4-mapped GIDs, "fd00::1" for others.
std::string to_string(const Gid& gid);
/// Returns text such as "52:54:00:00:00:01".
std::string mac_to_string(Mac mac);

}  // namespace roci::packet
