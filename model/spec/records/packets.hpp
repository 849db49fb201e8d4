// SPDX-License-Identifier: Apache-2.0
// Records of packets: to tx, from rx, and within both.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

/// A packet to send. `ext` has the first extension byte on the wire in its top bits.
inline constexpr Field kTxDesc[] = {
    {"qpn", 24, "Own queue pair; selects the address vector"},
    {"opcode", 8, "BTH opcode"},
    {"psn", 24, "Packet sequence number"},
    {"solicited", 1, "SE bit"},
    {"ack_req", 1, "AckReq bit"},
    {"ext_len", 5, "Bytes of extension headers, 0 to 28"},
    {"payload_len", 13, "Bytes of payload, 0 to 4096"},
    {"ext", 224, "Extension headers, left-aligned"},
};

/// A packet that left.
inline constexpr Field kSent[] = {
    {"qpn", 24, "Own queue pair"},
    {"psn", 24, "Packet"},
    {"error", 1, "Its ICRC is inverted: its payload could not be read"},
};

/// A frame that ended, for the counters of the port; a pulse.
inline constexpr Field kFrameStat[] = {
    {"bytes", 14, "Bytes of the frame, without FCS"},
    {"ended", 1, "A frame ended"},
};

/// `ext` of a packet whose first extension header is a RETH. `ext` is left-aligned: the last field
/// is the first on the link.
inline constexpr Field kExtReth[] = {
    {"rest", 64, "0"},
    {"immediate", 32, "Immediate data of a WRITE ONLY"},
    {"dma_length", 32, "Length of the whole message in bytes"},
    {"rkey", 32, "Remote key"},
    {"va", 64, "Remote virtual address"},
};

/// `ext` of a packet whose first extension header is an AETH.
inline constexpr Field kExtAeth[] = {
    {"rest", 128, "0"},
    {"original", 64, "Atomic response: content of memory before the operation"},
    {"msn", 24, "Message sequence number"},
    {"code", 5, "Lower bits of the syndrome: credits, timer code or NAK code"},
    {"kind", 3, "Upper bits of the syndrome: AethAck, AethRnr, AethNak"},
};

/// `ext` of a packet whose first extension header is an ImmDt or IETH.
inline constexpr Field kExtImmDt[] = {
    {"rest", 192, "0"},
    {"immediate", 32, "Immediate data, or the key to invalidate"},
};

/// `ext` of a datagram to send: DETH and ImmDt, and in the bytes that are not sent the destination.
inline constexpr Field kExtDeth[] = {
    {"dest_qpn", 24, "To send: queue pair of the destination; not sent as part of `ext`"},
    {"ah", 16, "To send: address handle; not sent"},
    {"rest", 88, "0"},
    {"immediate", 32, "Immediate data"},
    {"src_qp", 24, "Queue pair of the sender"},
    {"reserved", 8, "0"},
    {"qkey", 32, "Queue key"},
};

/// `ext` of a datagram that was admitted: the immediate stands where it stands in a SEND.
inline constexpr Field kExtDatagram[] = {
    {"rest", 160, "Not used"},
    {"src_qp", 24, "Queue pair of the sender"},
    {"reserved", 8, "Not used"},
    {"immediate", 32, "Immediate data"},
};

/// A received frame as the parser sees it.
inline constexpr Field kRxFrame[] = {
    {"roce", 1, "RoCE; else everything below is undefined"},
    {"looped", 1, "Sent by this adapter to a multicast group"},
    {"cause", 4, "DropCause when `bad`"},
    {"bad", 1, "RoCE, but to be dropped for `cause`"},
    {"dst_ip", 128, "Destination, an IPv4 address in the low 32 bits"},
    {"src_ip", 128, "Source"},
    {"ip_head", 96, "First 12 bytes of the IP header or GRH, the first byte on top"},
    {"ipv6", 1, "Over IPv6, or RoCE v1"},
    {"roce_v1", 1, "RoCE v1; the addresses are those of the GRH"},
    {"vlan", 1, "Tagged"},
    {"vid", 12, "VLAN identifier"},
    {"ecn", 2, "ECN bits"},
    {"pkey", 16, "Partition key"},
    {"qpn", 24, "BTH DestQP"},
    {"opcode", 8, "BTH opcode"},
    {"psn", 24, "Packet sequence number"},
    {"solicited", 1, "SE bit"},
    {"ack_req", 1, "AckReq bit"},
    {"payload_offset", 8, "First payload byte, counted from the start of the frame"},
    {"payload_len", 13, "Bytes of payload without pad"},
    {"ext", 224, "Extension headers, left-aligned"},
};

/// A datagram whose GRH is to be put in front of its payload.
inline constexpr Field kGrh[] = {
    {"dst_ip", 128, "Destination, an IPv4 address in the low 32 bits"},
    {"src_ip", 128, "Source"},
    {"ip_head", 96, "First 12 bytes of the IP header or GRH, the first byte on top"},
    {"ipv6", 1, "Over IPv6, or RoCE v1"},
    {"offset", 8, "First payload byte, counted from the start of the frame"},
    {"empty", 1, "There is no payload"},
};

/// Header of a received packet's payload on its way to memory.
inline constexpr Field kPayHdr[] = {
    {"psn", 24, "Packet"},
    {"qpn", 24, "Own queue pair"},
    {"len", 13, "Bytes, 1 to 4096, of a datagram with its GRH up to 4136"},
    {"offset", 6, "Byte of the first beat where payload starts"},
    {"src", 1, "0 request, 1 response"},
};

/// A received packet that passed every check that needs no transport state.
inline constexpr Field kRxMeta[] = {
    {"qpn", 24, "Own queue pair"},
    {"uc", 1, "The service is unreliable: UC or UD"},
    {"ud", 1, "A datagram: its payload begins with the 40 bytes of the GRH"},
    {"opcode", 8, "BTH opcode, with UC and UD that of the same operation of RC"},
    {"psn", 24, "Packet sequence number"},
    {"solicited", 1, "SE bit"},
    {"ack_req", 1, "AckReq bit"},
    {"payload_len", 13, "Bytes of payload without pad, of a datagram with its GRH"},
    {"ticket", 16, "Packets with payload so far, this one included"},
    {"ext", 224, "Extension headers, left-aligned"},
};

}  // namespace roci::spec
