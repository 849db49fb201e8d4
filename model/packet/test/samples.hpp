// SPDX-License-Identifier: Apache-2.0
// Packets that the tests of the codec build on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/packet/builder.hpp"
#include "model/packet/parser.hpp"

namespace roci::packet::samples {

using transport::Psn;

inline constexpr Mac kNode1 = 0x525400000001;
inline constexpr Mac kNode2 = 0x525400000002;
inline constexpr std::uint32_t kIp1 = 0x0A000001;
inline constexpr std::uint32_t kIp2 = 0x0A000002;
inline const Gid kGid1 = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
inline const Gid kGid2 = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};

inline Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

/// An Ethernet header in front of an IP datagram.
inline Bytes framed(const Bytes& datagram) {
  Bytes frame(Ethernet::kBytes);
  MutableEthernet eth(frame.data());
  eth.set_ethertype(datagram[0] >> 4 == 4 ? 0x0800 : 0x86DD);
  frame.insert(frame.end(), datagram.begin(), datagram.end());
  return frame;
}

inline Bytes counting(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return bytes;
}

inline Builder rc(std::uint8_t op, std::uint32_t first_psn = 0x17) {
  Builder builder;
  builder.ethernet(kNode2, kNode1).ipv4(kIp1, kIp2).bth(op, 0x11, Psn(first_psn));
  return builder;
}

inline Bytes write_only(std::size_t bytes) {
  return rc(kRcWriteOnly)
      .ack_req()
      .reth(0x123456789ABCDEF0, 0xCAFE01, static_cast<std::uint32_t>(bytes))
      .payload(counting(bytes))
      .build();
}

}  // namespace roci::packet::samples
