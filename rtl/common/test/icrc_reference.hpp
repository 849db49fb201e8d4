// SPDX-License-Identifier: Apache-2.0
// The invariant CRC by its definition, byte by byte with zlib's CRC-32, and frames to try it on.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/packet/test/icrc_vectors.hpp"

namespace icrc {

using Bytes = std::vector<std::uint8_t>;

/// What lies between Ethernet and BTH: an IP header and UDP, or the GRH of RoCE v1.
enum class Kind { kIpv4, kIpv6, kGrh };
constexpr Kind kKinds[] = {Kind::kIpv4, Kind::kIpv6, Kind::kGrh};

/// A RoCE frame from its Ethernet header on.
struct Frame {
  Bytes bytes;
  Kind kind = Kind::kIpv4;
  bool vlan = false;
  std::size_t ip() const { return vlan ? 18 : 14; }
  std::size_t udp() const { return ip() + (kind == Kind::kIpv4 ? 20 : 40); }
  std::size_t bth() const { return udp() + (kind == Kind::kGrh ? 0 : 8); }
};

/// ICRC of a frame without its ICRC, in wire order (WIRE-37, WIRE-38, WIRE-39, A16).
inline Bytes reference(const Frame& frame) {
  Bytes covered(8, 0xFF);  // in place of the LRH, which RoCE v2 does not have
  covered.insert(covered.end(), frame.bytes.begin() + frame.ip(), frame.bytes.end());
  std::uint8_t* ip = covered.data() + 8;
  if (frame.kind != Kind::kIpv4) {
    ip[0] |= 0x0F;
    ip[1] = ip[2] = ip[3] = ip[7] = 0xFF;
  } else {
    ip[1] = ip[8] = ip[10] = ip[11] = 0xFF;
  }
  if (frame.kind != Kind::kGrh)
    ip[frame.udp() - frame.ip() + 6] = ip[frame.udp() - frame.ip() + 7] = 0xFF;
  ip[frame.bth() - frame.ip() + 4] = 0xFF;
  const std::uint32_t crc =
      static_cast<std::uint32_t>(crc32(0, covered.data(), static_cast<uInt>(covered.size())));
  return {std::uint8_t(crc), std::uint8_t(crc >> 8), std::uint8_t(crc >> 16),
          std::uint8_t(crc >> 24)};
}

/// CRC register after the covered bytes and `gap` bytes of zero, not inverted.
inline std::uint32_t state_after(const Frame& frame, unsigned gap) {
  const Bytes crc = reference(frame);
  const std::uint32_t before = crc[0] | crc[1] << 8 | crc[2] << 16 | std::uint32_t{crc[3]} << 24;
  const Bytes zeros(gap + 1, 0);
  return ~static_cast<std::uint32_t>(crc32(before, zeros.data(), gap));
}

/// Frame of `size` random bytes.
inline Frame random_frame(std::mt19937& random, std::size_t size, Kind kind, bool vlan) {
  Frame frame{Bytes(size), kind, vlan};
  for (std::uint8_t& byte : frame.bytes) byte = static_cast<std::uint8_t>(random());
  return frame;
}

/// Smallest frame without its ICRC: headers up to the BTH.
inline std::size_t smallest(Kind kind, bool vlan) { return Frame{{}, kind, vlan}.bth() + 12; }

inline Bytes from_hex(std::string_view text) {
  Bytes bytes;
  std::string digits;
  for (char c : text) {
    if (c != ' ') digits += c;
  }
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

/// The vectors as bytes.
inline std::vector<Bytes> vectors() {
  std::vector<Bytes> packets;
  for (const char* text : roci::packet::kIcrcVectors) packets.push_back(from_hex(text));
  return packets;
}

/// RoCE v2 frames of a capture in testdata, up to the end of their ICRC. Tests run in the root of
/// the tree.
inline std::vector<Frame> captured(const char* name) {
  std::vector<Frame> frames;
  std::ifstream file(std::filesystem::path("rtl/common/test/testdata") / name, std::ios::binary);
  if (!file) throw std::runtime_error("no captures: run the test in the root of the tree");
  const Bytes all{std::istreambuf_iterator<char>(file), {}};
  const auto u16 = [](const Bytes& b, std::size_t at) { return b[at] << 8 | b[at + 1]; };
  for (std::size_t at = 24; at + 16 <= all.size();) {
    const std::size_t size = all[at + 8] | all[at + 9] << 8;
    Frame frame{Bytes(all.begin() + at + 16, all.begin() + at + 16 + size)};
    at += 16 + size;
    frame.vlan = u16(frame.bytes, 12) == 0x8100;
    const int type = u16(frame.bytes, frame.ip() - 2);
    if (type != 0x86DD && type != 0x0800) continue;
    frame.kind = type == 0x86DD ? Kind::kIpv6 : Kind::kIpv4;
    const std::size_t udp = frame.udp();
    if (frame.bytes.size() < udp + 8 || u16(frame.bytes, udp + 2) != 4791) continue;
    frame.bytes.resize(udp + u16(frame.bytes, udp + 4));
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace icrc
