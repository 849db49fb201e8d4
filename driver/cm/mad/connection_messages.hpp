// SPDX-License-Identifier: Apache-2.0
// The messages of a connection (IBTA volume 1, 12.6) as structures, and their layout: the fields in
// the order of the wire, each with its width. Codec, printer and tests walk through `layout`, so a
// width stands once.
#pragma once

#include "driver/cm/mad/values.hpp"

namespace roci::cm {

/// Request for communication.
struct Req {
  static constexpr Attribute kAttribute = Attribute::kReq;
  static constexpr const char* kName = "req";
  std::uint32_t local_id = 0, vendor_id = 0;
  std::uint64_t service_id = 0, ca_guid = 0;
  std::uint32_t qkey = 0, qpn = 0, local_eecn = 0, remote_eecn = 0;
  std::uint8_t responder_resources = 0, initiator_depth = 0;
  std::uint8_t remote_timeout = 0;  ///< time for the response of the peer, as an exponent
  Transport transport = Transport::kRc;
  bool flow_control = false;
  std::uint32_t psn = 0;
  std::uint8_t local_timeout = 0;  ///< time that the sender takes to respond, as an exponent
  std::uint8_t retries = 0;
  std::uint16_t pkey = 0;
  std::uint8_t mtu = 0;  ///< 1 to 5: 256 to 4096 bytes
  bool rdc_exists = false;
  std::uint8_t rnr_retries = 0;
  std::uint8_t cm_retries = 0;  ///< how often either side may retransmit its message
  bool srq = false;
  std::uint8_t extended_transport = 0;
  Path primary, alternate;
  Data<92> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_id", m.local_id, 32);
    v.reserved(8);
    v.field("vendor_id", m.vendor_id, 24);
    v.field("service_id", m.service_id, 64);
    v.field("ca_guid", m.ca_guid, 64);
    v.reserved(32);
    v.field("qkey", m.qkey, 32);
    v.field("qpn", m.qpn, 24);
    v.field("responder_resources", m.responder_resources, 8);
    v.field("local_eecn", m.local_eecn, 24);
    v.field("initiator_depth", m.initiator_depth, 8);
    v.field("remote_eecn", m.remote_eecn, 24);
    v.field("remote_timeout", m.remote_timeout, 5);
    v.field("transport", m.transport, 2);
    v.field("flow_control", m.flow_control, 1);
    v.field("psn", m.psn, 24);
    v.field("local_timeout", m.local_timeout, 5);
    v.field("retries", m.retries, 3);
    v.field("pkey", m.pkey, 16);
    v.field("mtu", m.mtu, 4);
    v.field("rdc_exists", m.rdc_exists, 1);
    v.field("rnr_retries", m.rnr_retries, 3);
    v.field("cm_retries", m.cm_retries, 4);
    v.field("srq", m.srq, 1);
    v.field("extended_transport", m.extended_transport, 3);
    v.group("primary", m.primary);
    v.group("alternate", m.alternate);
    v.bytes("private_data", m.private_data);
  }
};

/// Message receipt acknowledgment: the response will take longer.
struct Mra {
  static constexpr Attribute kAttribute = Attribute::kMra;
  static constexpr const char* kName = "mra";
  std::uint32_t local_id = 0, remote_id = 0;
  About about = About::kReq;
  std::uint8_t service_timeout = 0;  ///< an exponent
  Data<222> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_id", m.local_id, 32);
    v.field("remote_id", m.remote_id, 32);
    v.field("about", m.about, 2);
    v.reserved(6);
    v.field("service_timeout", m.service_timeout, 5);
    v.reserved(3);
    v.bytes("private_data", m.private_data);
  }
};

/// Rejection.
struct Rej {
  static constexpr Attribute kAttribute = Attribute::kRej;
  static constexpr const char* kName = "rej";
  std::uint32_t local_id = 0, remote_id = 0;
  About about = About::kReq;
  std::uint8_t info_length = 0;  ///< bytes of `info` that count
  Reason reason{};
  Data<72> info{};
  Data<148> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_id", m.local_id, 32);
    v.field("remote_id", m.remote_id, 32);
    v.field("about", m.about, 2);
    v.reserved(6);
    v.field("info_length", m.info_length, 7);
    v.reserved(1);
    v.field("reason", m.reason, 16);
    v.bytes("info", m.info);
    v.bytes("private_data", m.private_data);
  }
};

/// Reply to a REQ.
struct Rep {
  static constexpr Attribute kAttribute = Attribute::kRep;
  static constexpr const char* kName = "rep";
  std::uint32_t local_id = 0, remote_id = 0, qkey = 0, qpn = 0, eecn = 0, psn = 0;
  std::uint8_t vendor_high = 0, vendor_middle = 0, vendor_low = 0;
  std::uint8_t responder_resources = 0, initiator_depth = 0;
  std::uint8_t target_ack_delay = 0, failover = 0;
  bool flow_control = false;
  std::uint8_t rnr_retries = 0;
  bool srq = false;
  std::uint64_t ca_guid = 0;
  Data<196> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_id", m.local_id, 32);
    v.field("remote_id", m.remote_id, 32);
    v.field("qkey", m.qkey, 32);
    v.field("qpn", m.qpn, 24);
    v.field("vendor_high", m.vendor_high, 8);
    v.field("eecn", m.eecn, 24);
    v.field("vendor_middle", m.vendor_middle, 8);
    v.field("psn", m.psn, 24);
    v.field("vendor_low", m.vendor_low, 8);
    v.field("responder_resources", m.responder_resources, 8);
    v.field("initiator_depth", m.initiator_depth, 8);
    v.field("target_ack_delay", m.target_ack_delay, 5);
    v.field("failover", m.failover, 2);
    v.field("flow_control", m.flow_control, 1);
    v.field("rnr_retries", m.rnr_retries, 3);
    v.field("srq", m.srq, 1);
    v.reserved(4);
    v.field("ca_guid", m.ca_guid, 64);
    v.bytes("private_data", m.private_data);
  }
};

/// Request for disconnection.
struct Dreq {
  static constexpr Attribute kAttribute = Attribute::kDreq;
  static constexpr const char* kName = "dreq";
  std::uint32_t local_id = 0, remote_id = 0;
  std::uint32_t remote_qpn = 0;  ///< queue pair of the receiver
  Data<220> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_id", m.local_id, 32);
    v.field("remote_id", m.remote_id, 32);
    v.field("remote_qpn", m.remote_qpn, 24);
    v.reserved(8);
    v.bytes("private_data", m.private_data);
  }
};

/// RTU and DREP have one layout: the two IDs and private data.
template <Attribute kId>
struct Notice {
  static constexpr Attribute kAttribute = kId;
  static constexpr const char* kName = kId == Attribute::kRtu ? "rtu" : "drep";
  std::uint32_t local_id = 0, remote_id = 0;
  Data<224> private_data{};

  template <typename Visitor, typename Self>
  static constexpr void layout(Visitor& v, Self& m) {
    v.field("local_id", m.local_id, 32);
    v.field("remote_id", m.remote_id, 32);
    v.bytes("private_data", m.private_data);
  }
};
using Rtu = Notice<Attribute::kRtu>;    ///< Ready to use.
using Drep = Notice<Attribute::kDrep>;  ///< Reply to a request for disconnection.

}  // namespace roci::cm
