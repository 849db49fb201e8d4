// SPDX-License-Identifier: Apache-2.0
// Wire headers. Sections are of the InfiniBand Architecture Specification, Volume 1, Release 1.4,
// unless another document is named.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

// IEEE 802.3
inline constexpr Field kEthernet[] = {
    {"dst_mac", 48, "Destination address"},
    {"src_mac", 48, "Source address"},
    {"ethertype", 16, "0x0800 IPv4, 0x86DD IPv6, 0x8915 RoCE v1, 0x8100 a VLAN tag follows"},
};
static_assert(total_bits(kEthernet) == 14 * 8);

// IEEE 802.1Q, after EtherType 0x8100
inline constexpr Field kVlan[] = {
    {"pcp", 3, "Priority code point"},
    {"dei", 1, "Drop eligible"},
    {"vid", 12, "VLAN identifier"},
    {"ethertype", 16, "EtherType of what follows the tag"},
};
static_assert(total_bits(kVlan) == 4 * 8);

// RFC 791
inline constexpr Field kIpv4[] = {
    {"version", 4, "4"},
    {"ihl", 4, "Header length in 32-bit words, 5: no options"},
    {"tos", 8, "DSCP and ECN; the traffic class of the address vector"},
    {"total_length", 16, "Bytes from this header to the ICRC"},
    {"identification", 16, "Free; covered by the ICRC as sent"},
    {"flags", 3, "2: do not fragment"},
    {"fragment_offset", 13, "0"},
    {"ttl", 8, "Hop limit of the address vector"},
    {"protocol", 8, "17: UDP"},
    {"checksum", 16, "Ones-complement sum over this header"},
    {"src_ip", 32, "Source address"},
    {"dst_ip", 32, "Destination address"},
};
static_assert(total_bits(kIpv4) == 20 * 8);

// RFC 8200. The GRH of RoCE v1 has the same fields (8.3): next header 27 and, since there is no UDP
// header, a length that counts from the BTH.
inline constexpr Field kIpv6[] = {
    {"version", 4, "6"},
    {"traffic_class", 8, "DSCP and ECN"},
    {"flow_label", 20, "Flow label of the address vector"},
    {"payload_length", 16, "Bytes from the UDP header to the ICRC"},
    {"next_header", 8, "17: UDP"},
    {"hop_limit", 8, "Hop limit of the address vector"},
    {"src_ip", 128, "Source address"},
    {"dst_ip", 128, "Destination address"},
};
static_assert(total_bits(kIpv6) == 40 * 8);

// RFC 768
inline constexpr Field kUdp[] = {
    {"src_port", 16, "0xC000 to 0xFFFF, constant for a queue pair"},
    {"dst_port", 16, "4791: RoCE v2"},
    {"length", 16, "Bytes from this header to the ICRC"},
    {"checksum", 16, "Sent as 0"},
};
static_assert(total_bits(kUdp) == 8 * 8);

// 9.2
inline constexpr Field kBth[] = {
    {"opcode", 8, "Transport service (7:5) and operation (4:0)"},
    {"solicited", 1, "Raise an event at the receiver when the message completes"},
    {"mig_req", 1, "Migration state, sent 1 (migrated), ignored when received"},
    {"pad_count", 2, "Bytes of padding after the payload, 0 to 3"},
    {"version", 4, "Transport header version, 0"},
    {"pkey", 16, "Partition key"},
    {"fecn", 1, "Forward congestion seen"},
    {"becn", 1, "Backward congestion notified"},
    {"reserved6", 6, "0 when sent, ignored when received, outside the ICRC"},
    {"dest_qp", 24, "Queue pair at the receiver"},
    {"ack_req", 1, "The sender requests an acknowledge packet"},
    {"reserved7", 7, "0 when sent, ignored when received"},
    {"psn", 24, "Packet sequence number"},
};
static_assert(total_bits(kBth) == 12 * 8);

// 9.3.3
inline constexpr Field kReth[] = {
    {"va", 64, "Remote virtual address"},
    {"rkey", 32, "Remote key"},
    {"dma_length", 32, "Length of the whole message in bytes"},
};
static_assert(total_bits(kReth) == 16 * 8);

// 9.3.4
inline constexpr Field kAtomicEth[] = {
    {"va", 64, "Remote virtual address, a multiple of 8"},
    {"rkey", 32, "Remote key"},
    {"swap_add", 64, "Swap or add operand"},
    {"compare", 64, "Compare operand"},
};
static_assert(total_bits(kAtomicEth) == 28 * 8);

// 9.3.5
inline constexpr Field kAeth[] = {
    {"syndrome", 8, "7:5 kind (0 ACK, 1 RNR NAK, 3 NAK), 4:0 credits, timer code or NAK code"},
    {"msn", 24, "Message sequence number"},
};
static_assert(total_bits(kAeth) == 4 * 8);

// 9.5.3 (AtomicAckETH)
inline constexpr Field kAtomicAckEth[] = {
    {"original", 64, "Content of the remote memory before the operation"},
};
static_assert(total_bits(kAtomicAckEth) == 8 * 8);

// 9.3.6
inline constexpr Field kImmDt[] = {
    {"immediate", 32, "Immediate data"},
};
static_assert(total_bits(kImmDt) == 4 * 8);

// 9.3.7
inline constexpr Field kIeth[] = {
    {"rkey", 32, "Remote key to invalidate"},
};
static_assert(total_bits(kIeth) == 4 * 8);

// 9.3.2
inline constexpr Field kDeth[] = {
    {"qkey", 32, "Queue key"},
    {"reserved", 8, "0"},
    {"src_qp", 24, "Queue pair of the sender"},
};
static_assert(total_bits(kDeth) == 8 * 8);

// RFC 826, for IPv4 over Ethernet
inline constexpr Field kArp[] = {
    {"hardware_type", 16, "1: Ethernet"},
    {"protocol_type", 16, "0x0800"},
    {"hardware_length", 8, "6"},
    {"protocol_length", 8, "4"},
    {"operation", 16, "1 request, 2 reply"},
    {"sender_mac", 48, "Sender hardware address"},
    {"sender_ip", 32, "Sender protocol address"},
    {"target_mac", 48, "Target hardware address"},
    {"target_ip", 32, "Target protocol address"},
};
static_assert(total_bits(kArp) == 28 * 8);

}  // namespace roci::spec
