// SPDX-License-Identifier: Apache-2.0
// Bodies of commands of the adapter: limits, port, GIDs, P_Keys, addresses, domains, counters.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

inline constexpr Field kQueryDeviceReply[] = {
    {"max_qp", 32, "Queue pairs"},
    {"max_cq", 32, "Completion queues"},
    {"max_mr", 32, "Regions"},
    {"max_pd", 32, "Protection domains"},
    {"max_qp_wr", 32, "Entries of a work queue"},
    {"max_cqe", 32, "Entries of a completion queue"},
    {"max_sge", 32, "Entries of a scatter/gather list"},
    {"max_inline", 32, "Bytes of inline data"},
    {"max_rd_atomic", 32, "READs and atomics outstanding, either role"},
    {"max_gid", 32, "Entries of the GID table"},
    {"max_message", 64, "Bytes of a message"},
    {"fw_version", 32, "Firmware version"},
    {"max_srq", 32, "Shared receive queues"},
    {"max_srq_wr", 32, "Entries of a shared receive queue"},
    {"max_pkeys", 32, "Entries of the P_Key table"},
    {"max_mw", 32, "Memory windows, besides the regions"},
    {"services", 32, "Bits by Service: which the engine has; RC always"},
    {"max_ah", 32, "Address handles; 0 without UD"},
    {"absent", 32, "Bits by Option: what the engine does not have"},
    {"max_attachments", 32, "Attachments to multicast groups; 0: no multicast"},
};
inline constexpr Field kQueryPortReply[] = {
    {"state", 8, "1 down, 4 active, as ibv_port_state"},
    {"max_mtu", 8, "Path MTU code"},
    {"active_mtu", 8, "Path MTU code"},
    {"reserved", 8, "0"},
    {"pkey", 16, "The one entry of the P_Key table"},
    {"mac", 48, "Port MAC address as a number"},
};
inline constexpr Field kSetGid[] = {
    {"index", 16, "Entry"},
    {"vlan", 1, "Belongs to a VLAN"},
    {"reserved", 3, "0"},
    {"vid", 12, "VLAN identifier"},
    {"roce_v1", 1, "Frames of RoCE v1 (A16)"},
    {"reserved1", 31, "0"},
    {"gid_hi", 64, "GID bytes 0 to 7 as a big-endian number"},
    {"gid_lo", 64, "GID bytes 8 to 15"},
};
inline constexpr Field kQueryGid[] = {{"index", 16, "Entry"}};
inline constexpr Field kQueryGidReply[] = {
    {"vlan", 1, "Belongs to a VLAN"},
    {"reserved", 3, "0"},
    {"vid", 12, "VLAN identifier"},
    {"roce_v1", 1, "Frames of RoCE v1 (A16)"},
    {"reserved1", 47, "0"},
    {"gid_hi", 64, "GID bytes 0 to 7 as a big-endian number; 0 and 0: empty"},
    {"gid_lo", 64, "GID bytes 8 to 15"},
};
inline constexpr Field kSetPkey[] = {
    {"index", 16, "Entry"},
    {"pkey", 16, "P_Key; 0 clears the entry. Queue pairs take it when they are modified"},
};
inline constexpr Field kQueryPkey[] = {{"index", 16, "Entry"}};
inline constexpr Field kQueryPkeyReply[] = {{"pkey", 16, "P_Key"}};
inline constexpr Field kResolveAddress[] = {
    {"sgid_index", 32, "Own GID"},
    {"reserved", 32, "0"},
    {"dgid_hi", 64, "Peer GID bytes 0 to 7 as a big-endian number"},
    {"dgid_lo", 64, "Peer GID bytes 8 to 15"},
};
inline constexpr Field kResolveAddressReply[] = {{"mac", 48, "MAC address as a number"}};
inline constexpr Field kAllocPdReply[] = {{"pd", 32, "Protection domain"}};
inline constexpr Field kDeallocPd[] = {{"pd", 32, "Protection domain"}};
inline constexpr Field kQueryCounters[] = {
    {"of_qp", 32, "0: of the port, 1: of a queue pair"},
    {"qpn", 32, "Queue pair; 0 for the port"},
};
/// Reply for the port: every PortCounter in order. They are not read in one instant.
inline constexpr Field kPortCountersReply[] = {
    {"drop_icrc", 48, "RoCE frames with a wrong ICRC"},
    {"drop_malformed", 48, "Frames with wrong lengths, checksums, TVer, pad or options"},
    {"drop_overflow", 48, "Frames for which the receive buffer had no room"},
    {"drop_unknown_qp", 48, "Packets for no queue pair, or for one that takes none"},
    {"drop_address", 48, "Packets with addresses not of the connection"},
    {"drop_pkey", 48, "Packets of another partition"},
    {"drop_opcode", 48, "Packets of another transport, or not allowed"},
    {"drop_ghost", 48, "Responses outside the outstanding window"},
    {"drop_duplicate", 48, "Duplicate requests that got no response"},
    {"drop_out_of_sequence", 48, "Requests after a gap that was NAKed before"},
    {"rx_frames", 48, "Frames received from the MAC"},
    {"rx_bytes", 48, "Bytes received from the MAC"},
    {"tx_frames", 48, "Frames sent to the MAC"},
    {"tx_bytes", 48, "Bytes sent to the MAC"},
    {"rx_roce", 48, "RoCE packets accepted by the transport"},
    {"rx_ethernet", 48, "Frames handed to the Ethernet path or to firmware"},
    {"qkey_violations", 48, "UD packets with a wrong Q_Key"},
    {"discards", 48, "UC and UD packets that were accepted and not delivered"},
};
/// Reply for a queue pair: every QpCounter in order.
inline constexpr Field kQpCountersReply[] = {
    {"tx_packets", 64, "Packets sent"},
    {"tx_bytes", 64, "Payload bytes sent"},
    {"rx_packets", 64, "Packets accepted"},
    {"rx_bytes", 64, "Payload bytes accepted"},
    {"retries", 64, "Times the requester returned to an earlier PSN"},
    {"timeouts", 64, "Retries caused by the timer"},
    {"naks_sent", 64, "NAKs sent, RNR included"},
    {"naks_received", 64, "NAKs received, RNR included"},
};

}  // namespace roci::spec
