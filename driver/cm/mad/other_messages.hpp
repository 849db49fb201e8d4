// SPDX-License-Identifier: Apache-2.0
// The messages of service ID resolution (12.11) and of alternate paths (12.8), and their layout.
#pragma once

#include "driver/cm/mad/values.hpp"

namespace roci::cm {

/// Request for the queue pair of a datagram service.
struct SidrReq {
  static constexpr Attribute kAttribute = Attribute::kSidrReq;
  static constexpr const char* kName = "sidr_req";
  std::uint32_t request_id = 0;
  std::uint16_t pkey = 0;
  std::uint64_t service_id = 0;
  Data<216> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("request_id", m.request_id, 32);
    v.field("pkey", m.pkey, 16);
    v.reserved(16);
    v.field("service_id", m.service_id, 64);
    v.bytes("private_data", m.private_data);
  }
};

/// Reply to a SIDR_REQ.
struct SidrRep {
  static constexpr Attribute kAttribute = Attribute::kSidrRep;
  static constexpr const char* kName = "sidr_rep";
  std::uint32_t request_id = 0;
  SidrStatus status = SidrStatus::kValid;
  std::uint8_t info_length = 0;  ///< bytes of `info` that count
  std::uint16_t vendor_high = 0;
  std::uint32_t qpn = 0;
  std::uint8_t vendor_low = 0;
  std::uint64_t service_id = 0;
  std::uint32_t qkey = 0;
  Data<72> info{};
  Data<136> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("request_id", m.request_id, 32);
    v.field("status", m.status, 8);
    v.field("info_length", m.info_length, 8);
    v.field("vendor_high", m.vendor_high, 16);
    v.field("qpn", m.qpn, 24);
    v.field("vendor_low", m.vendor_low, 8);
    v.field("service_id", m.service_id, 64);
    v.field("qkey", m.qkey, 32);
    v.bytes("info", m.info);
    v.bytes("private_data", m.private_data);
  }
};

/// Request to load an alternate path.
struct Lap {
  static constexpr Attribute kAttribute = Attribute::kLap;
  static constexpr const char* kName = "lap";
  std::uint32_t local_id = 0, remote_id = 0;
  std::uint32_t remote_qpn = 0;  ///< queue pair of the receiver
  std::uint8_t remote_timeout = 0;
  Path alternate;
  Data<168> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_id", m.local_id, 32);
    v.field("remote_id", m.remote_id, 32);
    v.reserved(32);
    v.field("remote_qpn", m.remote_qpn, 24);
    v.field("remote_timeout", m.remote_timeout, 5);
    v.reserved(3 + 32);
    // The fields of a path of a REQ, in another order.
    v.field("local_lid", m.alternate.local_lid, 16);
    v.field("remote_lid", m.alternate.remote_lid, 16);
    v.bytes("local_gid", m.alternate.local_gid);
    v.bytes("remote_gid", m.alternate.remote_gid);
    v.field("flow_label", m.alternate.flow_label, 20);
    v.reserved(4);
    v.field("traffic_class", m.alternate.traffic_class, 8);
    v.field("hop_limit", m.alternate.hop_limit, 8);
    v.reserved(2);
    v.field("rate", m.alternate.rate, 6);
    v.field("service_level", m.alternate.service_level, 4);
    v.field("subnet_local", m.alternate.subnet_local, 1);
    v.reserved(3);
    v.field("ack_timeout", m.alternate.ack_timeout, 5);
    v.reserved(3);
    v.bytes("private_data", m.private_data);
  }
};

/// Response to a LAP.
struct Apr {
  static constexpr Attribute kAttribute = Attribute::kApr;
  static constexpr const char* kName = "apr";
  std::uint32_t local_id = 0, remote_id = 0;
  std::uint8_t info_length = 0;  ///< bytes of `info` that count
  ApStatus status = ApStatus::kLoaded;
  Data<72> info{};
  Data<148> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_id", m.local_id, 32);
    v.field("remote_id", m.remote_id, 32);
    v.field("info_length", m.info_length, 8);
    v.field("status", m.status, 8);
    v.reserved(16);
    v.bytes("info", m.info);
    v.bytes("private_data", m.private_data);
  }
};

}  // namespace roci::cm
