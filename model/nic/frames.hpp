// SPDX-License-Identifier: Apache-2.0
// RoCE frames of one queue pair: the headers are built once, and each packet sets what differs.
#pragma once

#include <array>
#include <optional>

#include "model/nic/rows.hpp"
#include "model/packet/headers.hpp"
#include "model/packet/icrc.hpp"

namespace roci::nic {

/// The fields of a packet after its addresses.
struct PacketHeader {
  std::uint8_t opcode = 0;
  transport::Psn psn;
  bool solicited = false, ack_req = false;
  /// Datagrams: what the address vector does not give.
  std::optional<std::uint32_t> dest_qpn;
  std::uint16_t pkey = 0;              ///< with dest_qpn
  std::array<std::uint8_t, 28> ext{};  ///< extension headers as on the wire
  std::size_t ext_bytes = 0;

  // Appends extension headers, in the order of the wire.
  void add_deth(std::uint32_t qkey, std::uint32_t src_qp);
  void add_reth(std::uint64_t va, std::uint32_t rkey, std::uint32_t bytes);
  void add_atomic(std::uint64_t va, std::uint32_t rkey, std::uint64_t swap_add,
                  std::uint64_t compare);
  void add_aeth(std::uint8_t syndrome, std::uint32_t msn);
  void add_original(std::uint64_t original);
  void add_word(std::uint32_t word);  ///< immediate data, or a key to invalidate
};

class FrameMaker {
 public:
  FrameMaker() = default;
  explicit FrameMaker(const Av& av);

  /// A frame with room for `payload` bytes at `payload_at()`, which the caller fills.
  packet::Bytes open(const PacketHeader& header, std::size_t payload,
                     std::uint16_t identification) const;
  std::size_t payload_at(const PacketHeader& header) const {
    return head_.size() + header.ext_bytes;
  }
  /// Appends the ICRC after the payload has been filled in.
  void close(packet::Bytes* frame) const;
  bool to_group() const { return to_group_; }

 private:
  packet::Bytes head_;  ///< headers up to and including the BTH
  std::size_t ip_at_ = 0, udp_at_ = 0, bth_at_ = 0;
  packet::Network network_ = packet::Network::kIpv4;
  bool to_group_ = false;  ///< the destination is a multicast group
};

}  // namespace roci::nic
