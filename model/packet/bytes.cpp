// SPDX-License-Identifier: Apache-2.0
#include "model/packet/bytes.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>

namespace roci::packet {

bool operator==(ByteView a, ByteView b) {
  return a.size == b.size && std::equal(a.begin(), a.end(), b.begin());
}

Gid gid_from_ipv4(std::uint32_t address) {
  Gid gid{};
  gid[10] = gid[11] = 0xFF;
  for (std::size_t i = 0; i < 4; ++i)
    gid[12 + i] = static_cast<std::uint8_t>(address >> (24 - 8 * i));
  return gid;
}

bool is_ipv4(const Gid& gid) {
  return std::all_of(gid.begin(), gid.begin() + 10, [](std::uint8_t byte) { return byte == 0; }) &&
         gid[10] == 0xFF && gid[11] == 0xFF;
}

std::uint32_t ipv4_of(const Gid& gid) {
  std::uint32_t address = 0;
  for (std::size_t i = 12; i < 16; ++i) address = address << 8 | gid[i];
  return address;
}

std::string to_string(const Gid& gid) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_ipv4(gid)) {
    inet_ntop(AF_INET, &gid[12], text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, gid.data(), text.data(), text.size());
  }
  return text.data();
}

std::string mac_to_string(Mac mac) {
  std::string text;
  for (int shift = 40; shift >= 0; shift -= 8) {
    std::array<char, 4> byte{};
    std::snprintf(byte.data(), byte.size(), "%02x", static_cast<unsigned>(mac >> shift & 0xFF));
    text += byte.data();
    if (shift > 0) text += ':';
  }
  return text;
}

}  // namespace roci::packet
