// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
// Headers on the wire.
#pragma once

#include "model/spec/layout/field.hpp"

// clang-format off

namespace roci::layout {

/// Ethernet header.
namespace ethernet {
inline constexpr WireField<uint64_t, 0, 48> dst_mac;  ///< Destination address
inline constexpr WireField<uint64_t, 48, 48> src_mac;  ///< Source address
/// 0x0800 IPv4, 0x86DD IPv6, 0x8915 RoCE v1, 0x8100 a VLAN tag follows
inline constexpr WireField<uint16_t, 96, 16> ethertype;
inline constexpr unsigned kBits = 112, kBytes = 14;
}  // namespace ethernet

/// VLAN tag.
namespace vlan {
inline constexpr WireField<uint8_t, 0, 3> pcp;  ///< Priority code point
inline constexpr WireField<bool, 3, 1> dei;  ///< Drop eligible
inline constexpr WireField<uint16_t, 4, 12> vid;  ///< VLAN identifier
inline constexpr WireField<uint16_t, 16, 16> ethertype;  ///< EtherType of what follows the tag
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace vlan

/// IPv4 header.
namespace ipv4 {
inline constexpr WireField<uint8_t, 0, 4> version;  ///< 4
inline constexpr WireField<uint8_t, 4, 4> ihl;  ///< Header length in 32-bit words, 5: no options
/// DSCP and ECN; the traffic class of the address vector
inline constexpr WireField<uint8_t, 8, 8> tos;
inline constexpr WireField<uint16_t, 16, 16> total_length;  ///< Bytes from this header to the ICRC
inline constexpr WireField<uint16_t, 32, 16> identification;  ///< Free; covered by the ICRC as sent
inline constexpr WireField<uint8_t, 48, 3> flags;  ///< 2: do not fragment
inline constexpr WireField<uint16_t, 51, 13> fragment_offset;  ///< 0
inline constexpr WireField<uint8_t, 64, 8> ttl;  ///< Hop limit of the address vector
inline constexpr WireField<uint8_t, 72, 8> protocol;  ///< 17: UDP
inline constexpr WireField<uint16_t, 80, 16> checksum;  ///< Ones-complement sum over this header
inline constexpr WireField<uint32_t, 96, 32> src_ip;  ///< Source address
inline constexpr WireField<uint32_t, 128, 32> dst_ip;  ///< Destination address
inline constexpr unsigned kBits = 160, kBytes = 20;
}  // namespace ipv4

/// IPv6 header.
namespace ipv6 {
inline constexpr WireField<uint8_t, 0, 4> version;  ///< 6
inline constexpr WireField<uint8_t, 4, 8> traffic_class;  ///< DSCP and ECN
inline constexpr WireField<uint32_t, 12, 20> flow_label;  ///< Flow label of the address vector
/// Bytes from the UDP header to the ICRC
inline constexpr WireField<uint16_t, 32, 16> payload_length;
inline constexpr WireField<uint8_t, 48, 8> next_header;  ///< 17: UDP
inline constexpr WireField<uint8_t, 56, 8> hop_limit;  ///< Hop limit of the address vector
inline constexpr WireField<void, 64, 128> src_ip;  ///< Source address
inline constexpr WireField<void, 192, 128> dst_ip;  ///< Destination address
inline constexpr unsigned kBits = 320, kBytes = 40;
}  // namespace ipv6

/// UDP header.
namespace udp {
/// 0xC000 to 0xFFFF, constant for a queue pair
inline constexpr WireField<uint16_t, 0, 16> src_port;
inline constexpr WireField<uint16_t, 16, 16> dst_port;  ///< 4791: RoCE v2
inline constexpr WireField<uint16_t, 32, 16> length;  ///< Bytes from this header to the ICRC
inline constexpr WireField<uint16_t, 48, 16> checksum;  ///< Sent as 0
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace udp

/// Base transport header (BTH).
namespace bth {
inline constexpr WireField<uint8_t, 0, 8> opcode;  ///< Transport service (7:5) and operation (4:0)
/// Raise an event at the receiver when the message completes
inline constexpr WireField<bool, 8, 1> solicited;
/// Migration state, sent 1 (migrated), ignored when received
inline constexpr WireField<bool, 9, 1> mig_req;
/// Bytes of padding after the payload, 0 to 3
inline constexpr WireField<uint8_t, 10, 2> pad_count;
inline constexpr WireField<uint8_t, 12, 4> version;  ///< Transport header version, 0
inline constexpr WireField<uint16_t, 16, 16> pkey;  ///< Partition key
inline constexpr WireField<bool, 32, 1> fecn;  ///< Forward congestion seen
inline constexpr WireField<bool, 33, 1> becn;  ///< Backward congestion notified
/// 0 when sent, ignored when received, outside the ICRC
inline constexpr WireField<uint8_t, 34, 6> reserved6;
inline constexpr WireField<uint32_t, 40, 24> dest_qp;  ///< Queue pair at the receiver
inline constexpr WireField<bool, 64, 1> ack_req;  ///< The sender requests an acknowledge packet
inline constexpr WireField<uint8_t, 65, 7> reserved7;  ///< 0 when sent, ignored when received
inline constexpr WireField<uint32_t, 72, 24> psn;  ///< Packet sequence number
inline constexpr unsigned kBits = 96, kBytes = 12;
}  // namespace bth

/// RDMA extended transport header (RETH).
namespace reth {
inline constexpr WireField<uint64_t, 0, 64> va;  ///< Remote virtual address
inline constexpr WireField<uint32_t, 64, 32> rkey;  ///< Remote key
inline constexpr WireField<uint32_t, 96, 32> dma_length;  ///< Length of the whole message in bytes
inline constexpr unsigned kBits = 128, kBytes = 16;
}  // namespace reth

/// Atomic extended transport header (AtomicETH).
namespace atomic_eth {
inline constexpr WireField<uint64_t, 0, 64> va;  ///< Remote virtual address, a multiple of 8
inline constexpr WireField<uint32_t, 64, 32> rkey;  ///< Remote key
inline constexpr WireField<uint64_t, 96, 64> swap_add;  ///< Swap or add operand
inline constexpr WireField<uint64_t, 160, 64> compare;  ///< Compare operand
inline constexpr unsigned kBits = 224, kBytes = 28;
}  // namespace atomic_eth

/// ACK extended transport header (AETH).
namespace aeth {
/// 7:5 kind (0 ACK, 1 RNR NAK, 3 NAK), 4:0 credits, timer code or NAK code
inline constexpr WireField<uint8_t, 0, 8> syndrome;
inline constexpr WireField<uint32_t, 8, 24> msn;  ///< Message sequence number
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace aeth

/// Atomic ACK extended transport header (AtomicAckETH).
namespace atomic_ack_eth {
/// Content of the remote memory before the operation
inline constexpr WireField<uint64_t, 0, 64> original;
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace atomic_ack_eth

/// Immediate data (ImmDt).
namespace imm_dt {
inline constexpr WireField<uint32_t, 0, 32> immediate;  ///< Immediate data
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace imm_dt

/// Invalidate extended transport header (IETH).
namespace ieth {
inline constexpr WireField<uint32_t, 0, 32> rkey;  ///< Remote key to invalidate
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace ieth

/// Datagram extended transport header (DETH).
namespace deth {
inline constexpr WireField<uint32_t, 0, 32> qkey;  ///< Queue key
inline constexpr WireField<uint8_t, 32, 8> reserved;  ///< 0
inline constexpr WireField<uint32_t, 40, 24> src_qp;  ///< Queue pair of the sender
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace deth

/// ARP packet.
namespace arp {
inline constexpr WireField<uint16_t, 0, 16> hardware_type;  ///< 1: Ethernet
inline constexpr WireField<uint16_t, 16, 16> protocol_type;  ///< 0x0800
inline constexpr WireField<uint8_t, 32, 8> hardware_length;  ///< 6
inline constexpr WireField<uint8_t, 40, 8> protocol_length;  ///< 4
inline constexpr WireField<uint16_t, 48, 16> operation;  ///< 1 request, 2 reply
inline constexpr WireField<uint64_t, 64, 48> sender_mac;  ///< Sender hardware address
inline constexpr WireField<uint32_t, 112, 32> sender_ip;  ///< Sender protocol address
inline constexpr WireField<uint64_t, 144, 48> target_mac;  ///< Target hardware address
inline constexpr WireField<uint32_t, 192, 32> target_ip;  ///< Target protocol address
inline constexpr unsigned kBits = 224, kBytes = 28;
}  // namespace arp

}  // namespace roci::layout
