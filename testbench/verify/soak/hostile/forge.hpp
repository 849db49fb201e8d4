// SPDX-License-Identifier: Apache-2.0
// Builds hostile packets: edge values in any field with a correct ICRC, captured packets with a
// change, random bytes (F-52, F-53).
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "model/packet/builder.hpp"
#include "testbench/verify/soak/hostile/victim.hpp"

namespace roci::soak {

enum class Forgery : std::uint8_t { kRight, kFields, kCaptured, kSession, kNoise };
inline constexpr unsigned kForgeries = 5;
const char* name_of(Forgery forgery);

/// Addresses of the ends of the link.
struct Addresses {
  std::uint64_t to_mac, from_mac;
  packet::Gid to, from;
};

class Forge {
 public:
  /// Never addresses a queue pair in `spared`. Throws std::runtime_error when there are no
  /// captures.
  Forge(const Addresses& addresses, std::vector<Victim>& victims, std::vector<std::uint32_t> spared,
        std::uint64_t seed);

  packet::Bytes next();

  const std::array<std::uint64_t, kForgeries>& counts() const { return counts_; }
  std::uint64_t sealed() const { return sealed_; }  ///< packets with a correct ICRC
  std::size_t captured() const { return captured_.size(); }

 private:
  static constexpr std::size_t kIcrc = 4;
  static constexpr std::size_t kIpAt = packet::Ethernet::kBytes;
  static constexpr std::size_t kLongest = 1600;  ///< bytes of a frame: 1024 of payload and room

  /// Bytes of a captured packet from the BTH up to the ICRC.
  struct Captured {
    packet::Bytes bytes;
    bool response;
    std::uint32_t psn;
    unsigned session;
  };

  packet::Bytes right(Victim& victim);
  packet::Bytes captured(Victim& victim, const Captured& from, transport::Psn psn);
  packet::Bytes session();
  packet::Bytes noise(Victim& victim);
  void change(packet::Bytes& frame);
  void change_length(packet::Bytes& frame);
  void set_length(packet::Bytes& frame);
  void seal(packet::Bytes& frame);
  void aim(packet::Bytes& frame);
  std::uint64_t edge(unsigned bits, std::uint64_t right);
  packet::Builder start(std::uint8_t opcode, std::uint32_t qpn, transport::Psn psn);
  Victim& victim();
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  std::mt19937_64 random_;
  Addresses addresses_;
  // Offsets of the headers of the present packet, before its fields change.
  bool ipv6_;
  std::size_t udp_at_, bth_at_;
  std::vector<Victim>& victims_;
  std::vector<std::uint32_t> spared_;
  std::vector<Captured> captured_;
  // The session that is replayed.
  std::size_t session_at_ = 0, session_end_ = 0, session_changed_ = 0;
  Victim* session_victim_ = nullptr;
  transport::Psn session_base_;
  std::array<std::uint64_t, kForgeries> counts_{};
  std::uint64_t sealed_ = 0;
};

}  // namespace roci::soak
