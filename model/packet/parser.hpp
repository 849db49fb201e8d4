// SPDX-License-Identifier: Apache-2.0
// Parses a frame: offsets, headers, payload, and the first rule that it violates.
#pragma once

#include "model/packet/headers.hpp"
#include "model/packet/icrc.hpp"
#include "model/packet/opcode.hpp"
#include "model/transport/psn.hpp"

namespace roci::packet {

/// First rule of reception that a frame violates, in the order of checking.
enum class Error : std::uint8_t {
  kNone,
  kNotRoce,       ///< neither IPv4 or IPv6 with UDP to port 4791 nor RoCE v1
  kGrh,           ///< RoCE v1 without a GRH, or one that no BTH follows (8.3)
  kTruncated,     ///< ends before its UDP length, or too short for BTH and ICRC (WIRE-33)
  kIpv4Options,   ///< IHL not 5 (WIRE-05)
  kFragment,      ///< more fragments follow; later fragments have no UDP header (WIRE-05)
  kIpv4Checksum,  ///< checksum wrong (WIRE-06)
  kLength,        ///< IP and UDP lengths disagree (WIRE-17)
  kUdpChecksum,   ///< not 0 and wrong (WIRE-16)
  kIcrc,          ///< ICRC wrong (WIRE-40)
  kVersion,       ///< TVer not 0 (WIRE-20)
  kOpcode,        ///< in no table (WIRE-45, WIRE-46)
  kExtension,     ///< no room for the extension headers (WIRE-33)
  kPad,           ///< no room for the pad (WIRE-33)
  kAlignment,     ///< not a multiple of 4 (WIRE-34)
  kExtraBytes,    ///< payload on an opcode that has none (WIRE-35)
};

/// Returns a text such as "wrong ICRC"; "ok" for kNone.
std::string_view to_string(Error error);

/// A parsed frame. It points into the frame, which must outlive it. Offsets count from the start of
/// the frame. `has_bth`: BTH, ICRC and everything before the BTH are present, whatever `error` is;
/// `payload.data` is set when extension headers and pad are present as well.
struct Parsed {
  ByteView frame;
  Error error = Error::kNotRoce;
  bool has_bth = false;
  bool icrc_ok = false;
  bool vlan = false;
  bool ipv6 = false;      ///< IPv6, or the GRH of RoCE v1, which has the same layout
  bool roce_v1 = false;   ///< no UDP header: `udp_at` is `bth_at`
  std::size_t ip_at = 0;  ///< IP header or GRH
  std::size_t udp_at = 0;
  std::size_t bth_at = 0;
  std::size_t icrc_at = 0;          ///< also the end of the pad
  std::uint32_t icrc_expected = 0;  ///< lowest byte first on the wire
  const OpcodeInfo* op = nullptr;   ///< nullptr for an unknown opcode
  ByteView payload;                 ///< without pad
  ByteView pad;

  bool ok() const { return error == Error::kNone; }
  Network network() const {
    return roce_v1 ? Network::kGrh : ipv6 ? Network::kIpv6 : Network::kIpv4;
  }
  bool has(Ext ext) const { return op != nullptr && op->has(ext); }
  /// Whether the ICRC is the inverted one. The adapters end a packet so whose payload they could
  /// not read, and no receiver accepts it.
  bool icrc_inverted() const { return has_bth && !icrc_ok && icrc_sent() == ~icrc_expected; }

  Ethernet ethernet() const { return Ethernet(frame.data); }
  Vlan vlan_tag() const { return Vlan(frame.data + Ethernet::kBytes); }
  Ipv4 ipv4_header() const { return Ipv4(frame.data + ip_at); }
  Ipv6 ipv6_header() const { return Ipv6(frame.data + ip_at); }
  Udp udp() const { return Udp(frame.data + udp_at); }  ///< not for RoCE v1
  Bth bth() const { return Bth(frame.data + bth_at); }
  Reth reth() const { return Reth(ext(Ext::kReth)); }
  AtomicEth atomic_eth() const { return AtomicEth(ext(Ext::kAtomicEth)); }
  Aeth aeth() const { return Aeth(ext(Ext::kAeth)); }
  AtomicAckEth atomic_ack_eth() const { return AtomicAckEth(ext(Ext::kAtomicAckEth)); }
  ImmDt imm_dt() const { return ImmDt(ext(Ext::kImmDt)); }
  Ieth ieth() const { return Ieth(ext(Ext::kIeth)); }
  Deth deth() const { return Deth(ext(Ext::kDeth)); }

  transport::Psn psn() const { return transport::Psn(bth().psn()); }
  Gid src() const { return ipv6 ? ipv6_header().src_ip() : gid_from_ipv4(ipv4_header().src_ip()); }
  Gid dst() const { return ipv6 ? ipv6_header().dst_ip() : gid_from_ipv4(ipv4_header().dst_ip()); }
  std::uint8_t traffic_class() const {
    return ipv6 ? ipv6_header().traffic_class() : ipv4_header().tos();
  }
  std::uint8_t hop_limit() const { return ipv6 ? ipv6_header().hop_limit() : ipv4_header().ttl(); }
  /// Returns the ICRC in the frame, lowest byte first on the wire.
  std::uint32_t icrc_sent() const;

 private:
  const std::uint8_t* ext(Ext kind) const {
    return frame.data + bth_at + Bth::kBytes + op->offset_of(kind);
  }
};

/// Parses an Ethernet frame without FCS; bytes after the datagram are ignored (WIRE-18).
Parsed parse(ByteView frame);

}  // namespace roci::packet
