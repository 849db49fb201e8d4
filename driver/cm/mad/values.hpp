// SPDX-License-Identifier: Apache-2.0
// What the messages of the connection manager are made of: identifiers, codes, paths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace roci::cm {

using Gid = std::array<std::uint8_t, 16>;
template <std::size_t kBytes>
using Data = std::array<std::uint8_t, kBytes>;

/// Attribute IDs of the class.
enum class Attribute : std::uint16_t {
  kReq = 0x10,
  kMra = 0x11,
  kRej = 0x12,
  kRep = 0x13,
  kRtu = 0x14,
  kDreq = 0x15,
  kDrep = 0x16,
  kSidrReq = 0x17,
  kSidrRep = 0x18,
  kLap = 0x19,
  kApr = 0x1A,
};

/// Transport service type of a REQ.
enum class Transport : std::uint8_t { kRc = 0, kUc = 1, kRd = 2, kExtended = 3 };

/// The message that an MRA delays or a REJ rejects; 3 is reserved.
enum class About : std::uint8_t { kReq = 0, kRep = 1, kOther = 2 };

/// Reason of a REJ.
enum class Reason : std::uint16_t {
  kNoQp = 1,
  kNoResources = 3,
  kTimeout = 4,
  kUnsupported = 5,
  kInvalidId = 6,
  kInvalidInstance = 7,
  kInvalidService = 8,
  kInvalidTransport = 9,
  kStale = 10,
  kInvalidGid = 12,
  kInvalidMtu = 26,
  kTooFewResources = 27,
  kConsumer = 28,
  kDuplicateId = 30,
};

/// Status of a SIDR_REP.
enum class SidrStatus : std::uint8_t {
  kValid = 0,
  kNotSupported = 1,
  kRejected = 2,
  kNoQp = 3,
  kRedirect = 4,
  kWrongVersion = 5,
};

/// Status of an APR.
enum class ApStatus : std::uint8_t { kLoaded = 0, kInvalidId = 1, kNotSupported = 2 };

/// A path of a REQ. On RoCE the LIDs are 0xFFFF and the GIDs are the addresses.
struct Path {
  std::uint16_t local_lid = 0, remote_lid = 0;
  Gid local_gid{}, remote_gid{};
  std::uint32_t flow_label = 0;
  std::uint8_t rate = 0, traffic_class = 0, hop_limit = 0, service_level = 0;
  bool subnet_local = false;
  std::uint8_t ack_timeout = 0;  ///< local ACK timeout of the sender, as an exponent

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_lid", m.local_lid, 16);
    v.field("remote_lid", m.remote_lid, 16);
    v.bytes("local_gid", m.local_gid);
    v.bytes("remote_gid", m.remote_gid);
    v.field("flow_label", m.flow_label, 20);
    v.reserved(6);
    v.field("rate", m.rate, 6);
    v.field("traffic_class", m.traffic_class, 8);
    v.field("hop_limit", m.hop_limit, 8);
    v.field("service_level", m.service_level, 4);
    v.field("subnet_local", m.subnet_local, 1);
    v.reserved(3);
    v.field("ack_timeout", m.ack_timeout, 5);
    v.reserved(3);
  }
};

}  // namespace roci::cm
