// SPDX-License-Identifier: Apache-2.0
// Admin commands: rings of 128-byte commands and 128-byte replies in host memory, same index in
// both. Bytes 0 to 7 are the header, 8 to 127 the body of the command. Little-endian. A command
// that fails changes nothing. Bytes behind the fields below are not read, and in the reply, of
// which the block with the header is written last, not written.
#pragma once

#include "model/spec/codes.hpp"

namespace roci::spec {

inline constexpr unsigned kCommandBytes = 128;
inline constexpr unsigned kCommandBodyOffset = 8;

inline constexpr Field kCommandHeader[] = {
    {"opcode", 16, "AdminOp"},
    {"tag", 16, "Free; the reply repeats it"},
    {"reserved", 32, "0"},
};

inline constexpr Field kReplyHeader[] = {
    {"status", 16, "AdminStatus"},
    {"tag", 16, "As in the command"},
    {"detail", 32, "Which field or limit, for people: byte offset of the field in the command"},
};

inline constexpr Code kAdminOps[] = {
    {"QueryDevice", 1, "Limits of the adapter"},
    {"QueryPort", 2, "State, MTU, MAC"},
    {"SetGid", 3, "Writes an entry of the GID table; the zero GID clears it"},
    {"QueryGid", 4, "Reads an entry of the GID table"},
    {"CreateCq", 5, "Makes a completion queue on memory of the caller"},
    {"ModifyCq", 6, "Completion moderation"},
    {"DestroyCq", 7, "Refused while a queue pair uses it"},
    {"CreateQp", 8, "Makes a queue pair in RESET on memory of the caller"},
    {"ModifyQp", 9, "State and attributes, by the rules of 11.2.5.2"},
    {"QueryQp", 10, "State and attributes"},
    {"DestroyQp", 11, "Returns when no access of it can follow"},
    {"RegMr", 12, "Registers a region"},
    {"DeregMr", 13, "Returns when no access through it can follow"},
    {"ResolveAddress", 14, "MAC address of a GID, by ARP or neighbour discovery"},
    {"AllocPd", 15, "Makes a protection domain"},
    {"DeallocPd", 16, "Refused while something uses it"},
    {"QueryCounters", 17, "Counters of the port or of a queue pair"},
    {"AllocMw", 18, "Makes a memory window, unbound"},
    {"DeallocMw", 19, "Returns when no access through it can follow"},
    {"AllocFastMr", 20, "Makes a region for RegMr work requests, free"},
    {"CreateSrq", 21, "Makes a shared receive queue on memory of the caller"},
    {"ModifySrq", 22, "Arms the limit event"},
    {"QuerySrq", 23, "Limit and fill"},
    {"DestroySrq", 24, "Refused while a queue pair uses it"},
    {"ResizeCq", 25, "Moves the unread entries to another ring (11.2.6.3)"},
    {"SetPkey", 26, "Writes an entry of the P_Key table"},
    {"QueryPkey", 27, "Reads an entry of the P_Key table"},
    {"ReregMr", 28, "Changes domain, rights or range of a region"},
};

inline constexpr Code kAdminStatuses[] = {
    {"Ok", 0, "Done"},
    {"BadOpcode", 1, "No such command"},
    {"BadHandle", 2, "No such queue pair, CQ, key, PD or GID index"},
    {"BadParameter", 3, "A value out of range, or an address not aligned"},
    {"BadState", 4, "Transition or attribute not allowed in this state"},
    {"NoResource", 5, "Table full"},
    {"Busy", 6, "In use by something else"},
    {"Unreachable", 7, "Address did not resolve"},
    {"HardwareError", 8, "DMA of firmware failed"},
};

/// Bits of attr_mask, numbered as ibv_qp_attr_mask.
inline constexpr Code kQpMask[] = {
    {"State", 0, ""},
    {"CurState", 1, ""},
    {"EnSqdAsyncNotify", 2, ""},
    {"AccessFlags", 3, ""},
    {"PkeyIndex", 4, ""},
    {"Port", 5, ""},
    {"Av", 7, ""},
    {"PathMtu", 8, ""},
    {"Timeout", 9, ""},
    {"RetryCnt", 10, ""},
    {"RnrRetry", 11, ""},
    {"RqPsn", 12, ""},
    {"MaxQpRdAtomic", 13, ""},
    {"MinRnrTimer", 15, ""},
    {"SqPsn", 16, ""},
    {"MaxDestRdAtomic", 17, ""},
    {"DestQpn", 20, ""},
};

// Bodies. The body of a command and of its reply start at byte 8.
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
    {"max_mw", 32, "Memory windows; they share the rows of the regions"},
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
inline constexpr Field kCreateCq[] = {
    {"log_entries", 8, "log2 of entries, 1 to 16"},
    {"reserved", 24, "0"},
    {"pasid", 32, "Address space of the ring"},
    {"base", 64, "Ring, 4 KiB aligned"},
};
inline constexpr Field kCreateCqReply[] = {{"cqn", 32, "Completion queue"}};
inline constexpr Field kModifyCq[] = {
    {"cqn", 32, "Completion queue"},
    {"count", 16, "Event after this many completions"},
    {"period", 16, "Event at the latest after this many us; 0: off"},
};
inline constexpr Field kDestroyCq[] = {{"cqn", 32, "Completion queue"}};
inline constexpr Field kCreateQp[] = {
    {"pd", 32, "Protection domain"},
    {"pasid", 32, "Address space of the queues"},
    {"send_cqn", 32, "Completion queue of sends"},
    {"recv_cqn", 32, "Completion queue of receives"},
    {"sq_base", 64, "Send queue, 4 KiB aligned"},
    {"rq_base", 64, "Receive queue, 4 KiB aligned"},
    {"sq_log", 8, "log2 of entries, 1 to 15"},
    {"sq_stride_log", 8, "log2 of blocks in an entry, 0 to 2"},
    {"rq_log", 8, "log2 of entries, 1 to 15"},
    {"rq_stride_log", 8, "log2 of blocks in an entry, 0 to 2"},
    {"srq", 8, "1: receives come from `srqn`, rq_* are not used"},
    {"credits", 8, "1: send credits in AETHs"},
    {"reserved", 16, "0"},
    {"srqn", 32, "Shared receive queue"},
};
inline constexpr Field kCreateQpReply[] = {{"qpn", 32, "Queue pair"}};
/// ModifyQp; QueryQp replies with the same body.
inline constexpr Field kQpAttributes[] = {
    {"qpn", 32, "Queue pair"},
    {"attr_mask", 32, "Which attributes are given, bits as QpMask"},
    {"state", 8, "QpState"},
    {"cur_state", 8, "QpState that the caller believes in"},
    {"path_mtu", 8, "Code 1 to 5"},
    {"access", 8, "Bits as Access"},
    {"pkey_index", 16, "0"},
    {"port", 8, "1"},
    {"timeout", 8, "0 to 31"},
    {"retry_cnt", 8, "0 to 7"},
    {"rnr_retry", 8, "0 to 7"},
    {"min_rnr_timer", 8, "0 to 31"},
    {"max_rd_atomic", 8, "0 to max_rd_atomic of the device"},
    {"max_dest_rd_atomic", 8, "0 to max_rd_atomic of the device"},
    {"sgid_index", 8, "Own GID"},
    {"hop_limit", 8, "TTL or hop limit"},
    {"traffic_class", 8, "TOS or traffic class"},
    {"dest_qpn", 32, "Queue pair of the peer"},
    {"sq_psn", 32, "First PSN sent; QueryQp: next"},
    {"rq_psn", 32, "First PSN expected; QueryQp: expected"},
    {"flow_label", 32, "20 bits"},
    {"dgid_hi", 64, "Peer GID bytes 0 to 7 as a big-endian number"},
    {"dgid_lo", 64, "Peer GID bytes 8 to 15"},
    {"dst_mac", 48, "Next hop; 0: firmware resolves it"},
    {"sl", 8, "Service level, becomes the PCP of a VLAN tag"},
    {"flags", 8, "0 SQD: raise SqDrained; QueryQp: 1 still draining"},
};
inline constexpr Field kQueryQp[] = {{"qpn", 32, "Queue pair"}};
inline constexpr Field kDestroyQp[] = {{"qpn", 32, "Queue pair"}};
inline constexpr Field kRegMr[] = {
    {"pd", 32, "Protection domain"},
    {"access", 32, "Bits as Access"},
    {"pasid", 32, "Address space"},
    {"reserved", 32, "0"},
    {"iova", 64, "First address as work requests name it"},
    {"length", 64, "Bytes, not 0; iova + length and addr + length stay below 2^64"},
    {"addr", 64, "First address as DMA sees it"},
};
inline constexpr Field kRegMrReply[] = {{"key", 32, "Local and remote key"}};
inline constexpr Field kReregMr[] = {
    {"key", 32, "Key of the region; it stays"},
    {"what", 32, "Bits: 0 range, 1 domain, 2 rights, as ibv_rereg_mr_flags"},
    {"pd", 32, "Protection domain"},
    {"access", 32, "Bits as Access"},
    {"iova", 64, "As in RegMr"},
    {"length", 64, "As in RegMr"},
    {"addr", 64, "As in RegMr"},
};
inline constexpr Field kAllocMw[] = {
    {"pd", 32, "Protection domain"},
    {"kind", 32, "KeyKind: WindowType1 or WindowType2"},
};
inline constexpr Field kAllocMwReply[] = {{"key", 32, "Key; its low byte is the first variant"}};
inline constexpr Field kDeallocMw[] = {{"key", 32, "Key as allocated or as last bound"}};
inline constexpr Field kAllocFastMr[] = {
    {"pd", 32, "Protection domain"},
    {"pasid", 32, "Address space of what it will name"},
};
inline constexpr Field kAllocFastMrReply[] = {{"key", 32, "Key"}};
inline constexpr Field kCreateSrq[] = {
    {"pd", 32, "Protection domain"},
    {"pasid", 32, "Address space of the ring"},
    {"base", 64, "Ring, 4 KiB aligned"},
    {"log", 8, "log2 of entries, 1 to 15"},
    {"stride_log", 8, "log2 of blocks in an entry, 0 to 2"},
    {"limit", 16, "As in ModifySrq"},
};
inline constexpr Field kCreateSrqReply[] = {{"srqn", 32, "Shared receive queue"}};
inline constexpr Field kModifySrq[] = {
    {"srqn", 32, "Shared receive queue"},
    {"limit", 32, "Event when fewer receives are left, once; 0: none; at most the ring's entries"},
};
inline constexpr Field kQuerySrq[] = {{"srqn", 32, "Shared receive queue"}};
inline constexpr Field kQuerySrqReply[] = {
    {"limit", 32, "Armed limit; 0 once it fired"},
    {"filled", 32, "Receives posted and not taken"},
};
inline constexpr Field kDestroySrq[] = {{"srqn", 32, "Shared receive queue"}};
/// The caller fills the new ring with owner bits that tell of the pass before, for the indices from
/// `consumer` on, so that no entry looks written.
inline constexpr Field kResizeCq[] = {
    {"cqn", 32, "Completion queue"},
    {"log_entries", 8, "log2 of entries of the new ring, 1 to 16"},
    {"reserved", 8, "0"},
    {"consumer", 16, "Free-running index of the oldest entry that must move"},
    {"base", 64, "New ring, 4 KiB aligned, same address space"},
};
inline constexpr Field kSetPkey[] = {
    {"index", 16, "Entry"},
    {"pkey", 16, "P_Key; 0 clears the entry. Queue pairs take it when they are modified"},
};
inline constexpr Field kQueryPkey[] = {{"index", 16, "Entry"}};
inline constexpr Field kQueryPkeyReply[] = {{"pkey", 16, "P_Key"}};
inline constexpr Field kDeregMr[] = {{"key", 32, "Key"}};
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
    {"drop_duplicate", 48, "Duplicate requests that were not answered"},
    {"drop_out_of_sequence", 48, "Requests behind a gap that was NAKed before"},
    {"rx_frames", 48, "Frames received from the MAC"},
    {"rx_bytes", 48, "Bytes received from the MAC"},
    {"tx_frames", 48, "Frames sent to the MAC"},
    {"tx_bytes", 48, "Bytes sent to the MAC"},
    {"rx_roce", 48, "RoCE packets accepted by the transport"},
    {"rx_ethernet", 48, "Frames handed to the Ethernet path or to firmware"},
};
/// Reply for a queue pair: every QpCounter in order.
inline constexpr Field kQpCountersReply[] = {
    {"tx_packets", 64, "Packets sent"},
    {"tx_bytes", 64, "Payload bytes sent"},
    {"rx_packets", 64, "Packets accepted"},
    {"rx_bytes", 64, "Payload bytes accepted"},
    {"retries", 64, "Times sending went back"},
    {"timeouts", 64, "Retries caused by the timer"},
    {"naks_sent", 64, "NAKs sent, RNR included"},
    {"naks_received", 64, "NAKs received, RNR included"},
};

}  // namespace roci::spec
