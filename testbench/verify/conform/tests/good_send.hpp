// SPDX-License-Identifier: Apache-2.0
// Requests that are valid, for tests that change one thing of a frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {

/// Makes a connection use the IPv6 GID of the adapter.
inline void on_ipv6(Options& o) {
  constexpr std::uint8_t kIpv6Index = 1;
  o.sgid_index = kIpv6Index;
}

/// Builds a valid SEND of 100 bytes, `at` packets after the next expected PSN.
inline Builder good_send(Connection& c, unsigned at = 0) {
  return c.send_request(packet::kRcSendOnly, c.rq(at), payload_of(100));
}

/// Posts a request of the adapter that waits for the response of the test.
inline void post_write(Connection& c, unsigned at) {
  c.write(10);
  c.expect(packet_of(packet::kRcWriteOnly, c.sq(at)));
}

/// A SEND of `bytes` bytes of the adapter, and its ACK of a SEND that it gets.
inline std::vector<Frame> send_and_ack(Connection& c, std::uint32_t bytes) {
  c.receive(100);
  c.send(bytes);
  c.feed(good_send(c));
  std::vector<Frame> frames;
  while (frames.size() < 2) {
    const auto frame = c.next();
    require(frame.has_value(), "a SEND and an ACK", "silence");
    frames.push_back(*frame);
  }
  return frames;
}

inline Bytes from_hex(const char* text) {
  Bytes bytes;
  for (; text[0] != 0 && text[1] != 0; text += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(std::string(text, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace roci::conform
