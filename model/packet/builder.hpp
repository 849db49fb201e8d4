// SPDX-License-Identifier: Apache-2.0
// Builds a frame from fields; lengths, pad, checksum and ICRC are computed.
//
//   Bytes frame = Builder()
//                     .ethernet(dst_mac, src_mac)
//                     .ipv4(src_ip, dst_ip)
//                     .bth(kRcWriteOnly, qpn, psn)
//                     .ack_req()
//                     .reth(va, rkey, payload.size())
//                     .payload(payload)
//                     .build();
#pragma once

#include <optional>

#include "model/packet/headers.hpp"
#include "model/packet/opcode.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/transport/psn.hpp"

namespace roci::packet {

class Builder {
 public:
  Builder& ethernet(Mac dst, Mac src);
  Builder& vlan(std::uint16_t vid, std::uint8_t pcp = 0, bool dei = false);
  Builder& ipv4(std::uint32_t src, std::uint32_t dst);
  Builder& ipv6(const Gid& src, const Gid& dst);
  /// Adds an IPv4 header when both addresses are IPv4-mapped, else an IPv6 header.
  Builder& gids(const Gid& src, const Gid& dst);
  /// Adds the GRH of RoCE v1, with the GIDs and without UDP.
  Builder& roce_v1(bool value = true);
  Builder& identification(std::uint16_t value);
  Builder& traffic_class(std::uint8_t value);
  Builder& hop_limit(std::uint8_t value);
  Builder& flow_label(std::uint32_t value);
  Builder& src_port(std::uint16_t value);
  Builder& dst_port(std::uint16_t value);
  Builder& bth(std::uint8_t opcode, std::uint32_t dest_qp, transport::Psn psn);
  Builder& solicited(bool value = true);
  Builder& ack_req(bool value = true);
  Builder& mig_req(bool value);
  Builder& pkey(std::uint16_t value);
  Builder& congestion(bool fecn, bool becn);
  // Extension headers. They must be those of the opcode; `build` puts them in order.
  Builder& reth(std::uint64_t va, std::uint32_t rkey, std::uint32_t dma_length);
  Builder& atomic_eth(std::uint64_t va, std::uint32_t rkey, std::uint64_t swap_add,
                      std::uint64_t compare);
  Builder& aeth(std::uint8_t syndrome, std::uint32_t msn);
  Builder& atomic_ack_eth(std::uint64_t original);
  Builder& imm_dt(std::uint32_t immediate);
  Builder& ieth(std::uint32_t rkey);
  Builder& deth(std::uint32_t qkey, std::uint32_t src_qp);
  Builder& payload(ByteView bytes);

  /// Returns the whole frame, without FCS and without padding to 60 bytes.
  Bytes build() const;

 private:
  template <typename View>
  View ext(Ext kind);

  Mac dst_mac_ = 0;
  Mac src_mac_ = 0;
  std::optional<std::array<std::uint8_t, Vlan::kBytes>> vlan_;
  Gid src_ = gid_from_ipv4(0);
  Gid dst_ = gid_from_ipv4(0);
  bool ipv6_ = false;
  bool roce_v1_ = false;
  std::uint16_t identification_ = 0;
  std::uint8_t traffic_class_ = 0;
  std::uint8_t hop_limit_ = 64;
  std::uint32_t flow_label_ = 0;
  std::uint16_t src_port_ = 0xC000;
  std::uint16_t dst_port_ = layout::protocol::kRoceUdpPort;
  std::array<std::uint8_t, Bth::kBytes> bth_{};
  std::array<Bytes, kExtKinds> ext_;
  Bytes payload_;
};

/// Recomputes IPv4 checksum and ICRC of a frame after a change of other bytes. The lengths must be
/// valid. False, and nothing changed, when the frame has no BTH.
bool seal(Bytes* frame);

}  // namespace roci::packet
