// SPDX-License-Identifier: Apache-2.0
// Tables inside the adapter that firmware writes through the table port. A row has at most 512
// bits. Rows are indexed by queue pair, completion queue or key number.
#pragma once

#include "model/spec/codes.hpp"

namespace roci::spec {

inline constexpr unsigned kRowBits = 512;

/// Static attributes of a queue pair.
inline constexpr Field kQpAttr[] = {
    {"pd", 16, "Protection domain"},
    {"pasid", 20, "Address space of the queues"},
    {"access", 4, "Remote operations allowed, bits as Access"},
    {"pmtu", 3, "Path MTU code: 1 = 256 to 5 = 4096 bytes"},
    {"retry_cnt", 3, "Transport retries, 0 to 7"},
    {"rnr_retry", 3, "RNR retries, 7 without end"},
    {"timeout", 5, "T = 4.096 us * 2^timeout; 0: no timer"},
    {"min_rnr_timer", 5, "Timer code sent in RNR NAKs"},
    {"max_rd_atomic", 5, "READs and atomics outstanding as requester, 0 to 16"},
    {"max_dest_rd_atomic", 5, "Replay slots used as responder, 0 to 16"},
    {"send_cqn", 16, "Completion queue of sends"},
    {"recv_cqn", 16, "Completion queue of receives"},
    {"sq_base", 64, "Address of the send queue, 4 KiB aligned"},
    {"sq_log", 4, "log2 of send queue entries, up to 15"},
    {"sq_stride_log", 2, "log2 of blocks in an entry"},
    {"rq_base", 64, "Address of the receive queue, 4 KiB aligned"},
    {"rq_log", 4, "log2 of receive queue entries, up to 15"},
    {"rq_stride_log", 2, "log2 of blocks in an entry"},
    {"sq_psn", 24, "First PSN sent"},
    {"rq_psn", 24, "First PSN expected"},
    {"srq", 1, "Receives come from the SRQ `srqn`; rq_* are not used"},
    {"srqn", 16, "Shared receive queue"},
    {"credits", 1, "AETHs carry credits (9.7.7.2); 0: code 31, no limit"},
};
static_assert(total_bits(kQpAttr) <= kRowBits);

/// Address vector of a connected queue pair: all that its headers need. Numbers are as the
/// header fields read, first wire byte in the top bits.
inline constexpr Field kAv[] = {
    {"dst_mac", 48, "Next hop"},
    {"src_mac", 48, "Own address"},
    {"dst_ip", 128, "Peer; an IPv4 address in the low 32 bits"},
    {"src_ip", 128, "Own; an IPv4 address in the low 32 bits"},
    {"ipv6", 1, "1: IPv6, 0: IPv4"},
    {"vlan", 1, "A tag is sent and required"},
    {"vlan_tci", 16, "PCP, DEI, VID"},
    {"traffic_class", 8, "TOS or traffic class"},
    {"hop_limit", 8, "TTL or hop limit"},
    {"flow_label", 20, "IPv6 flow label"},
    {"src_port", 16, "UDP source port"},
    {"pkey", 16, "Partition key"},
    {"dest_qpn", 24, "Queue pair of the peer"},
    {"roce_v1", 1,
     "RoCE v1 (A16): EtherType 0x8915, a GRH in place of IP and UDP; `ipv6` is 1, "
     "the addresses are whole GIDs"},
};
static_assert(total_bits(kAv) <= kRowBits);

/// Transport service of a queue pair; all zero is RC. A table of its own beside QpAttr, so that an
/// engine with RC alone does not store it (decision 0007). UD: the row of kAv with the queue pair's
/// number gives only the partition key.
inline constexpr Field kQpService[] = {
    {"service", 2, "Service"},
    {"qkey", 32, "UD: Q_Key of what is received, and of sends whose own has bit 31 set"},
};

/// Address handle of a UD work request.
inline constexpr Field kAh[] = {
    {"av", total_bits(kAv), "As a row of kAv; `pkey` and `dest_qpn` are not used"},
    {"pd", 16, "Protection domain"},
    {"valid", 1, "In use"},
};
static_assert(total_bits(kAh) <= kRowBits);

/// GID of the port. A datagram is accepted when its destination is one of them.
inline constexpr Field kGid[] = {
    {"gid", 128, "First byte in the top bits"},
    {"valid", 1, "In use"},
    {"roce_v1", 1, "Frames of RoCE v1"},
    {"vlan", 1, "Frames have a tag"},
    {"vid", 12, "VLAN identifier"},
};

/// A queue pair of a multicast group: datagrams to the group are delivered to it.
inline constexpr Field kMulticast[] = {
    {"gid", 128, "The group, as a row of kGid"},
    {"qpn", 24, "Queue pair"},
    {"valid", 1, "In use"},
    {"more", 1, "A search that comes here goes on with the next row"},
};

/// Memory region. Row = key bits 31:8, `variant` = key bits 7:0.
inline constexpr Field kKey[] = {
    {"valid", 1, "Region is registered"},
    {"variant", 8, "Low byte of the key"},
    {"pd", 16, "Protection domain"},
    {"access", 6, "Rights, bits as Access"},
    {"pasid", 20, "Address space of the region"},
    {"iova", 64, "First address as work requests and peers name it"},
    {"length", 64, "Bytes"},
    {"addr", 64, "DMA address of the first byte"},
    {"kind", 2, "KeyKind"},
    {"remote_only", 1, "A window: no local key"},
    {"qpn", 24, "WindowType2: queue pair that bound it"},
    {"parent", 24, "A bound window: row of its region"},
};

/// Shared receive queue. A write that changes only the limit does not restart the ring.
inline constexpr Field kSrq[] = {
    {"valid", 1, "In use"},
    {"pd", 16, "Protection domain"},
    {"pasid", 20, "Address space of the ring"},
    {"base", 64, "Address of the ring, 4 KiB aligned"},
    {"log", 4, "log2 of entries, up to 15"},
    {"stride_log", 2, "log2 of blocks in an entry"},
    {"limit", 16, "Event when fewer receives are left; reads 0 once it fired"},
};
static_assert(total_bits(kSrq) <= kRowBits);
static_assert(total_bits(kKey) <= kRowBits);

/// Completion queue.
inline constexpr Field kCq[] = {
    {"valid", 1, "In use"},
    {"pasid", 20, "Address space of the ring"},
    {"base", 64, "Address of the ring, 4 KiB aligned"},
    {"log", 5, "log2 of entries, 1 to 16"},
    {"moderation_count", 16, "Event after this many completions; 0 or 1: each"},
    {"moderation_period", 16, "Event at the latest after this many us; 0: no moderation"},
    {"resize", 1, "Write only: the ring moves, indices and arming stay"},
};
static_assert(total_bits(kCq) <= kRowBits);

/// Tables of the table port (`table` of TABLE_COMMAND).
inline constexpr Code kTables[] = {
    {"QpAttr", 0, "Row of kQpAttr, write and read"},
    {"Av", 1, "Row of kAv, write only"},
    {"QpState", 2, "QpState in bits 2:0, write and read; a write acts"},
    {"Key", 3, "Row of kKey, write and read"},
    {"Cq", 4,
     "Row of kCq, write and read; a write restarts the ring unless only moderation changes"},
    {"QpCounters", 5, "Eight 64-bit counters, read only, see QpCounter"},
    {"QpLive", 6, "Row of kQpLive, read only"},
    {"Srq", 7, "Row of kSrq, write and read"},
    {"SrqLive", 8, "Row of kSrqLive, read only"},
    {"CqLive", 9, "Row of kCqLive, read only"},
    {"QpService", 10, "Row of kQpService, write only; engines with UC or UD"},
    {"Ah", 11, "Row of kAh by address handle, write only; engines with UD"},
    {"Gid", 12, "Row of kGid, write only; engines with UD"},
    {"Multicast", 13, "Row of kMulticast by attachment, write only; engines with multicast"},
};

/// Row of the table QpState: a write moves the queue pair to the state.
inline constexpr Field kQpStateRow[] = {
    {"state", 3, "QpState"},
};

/// Live transport state of a queue pair.
inline constexpr Field kQpLive[] = {
    {"sq_psn", 24, "Next PSN to send"},
    {"rq_psn", 24, "PSN expected"},
    {"sq_una_psn", 24, "Oldest PSN not acknowledged"},
    {"msn", 24, "Messages completed as responder"},
    {"sq_completed", 16, "Free-running index of the oldest send not completed"},
    {"sq_idle", 1, "Nothing outstanding as requester"},
};

/// Live state of a shared receive queue.
inline constexpr Field kSrqLive[] = {
    {"producer", 16, "Free-running index of the newest doorbell"},
    {"consumer", 16, "Free-running index of the next receive to take"},
    {"limit", 16, "Armed limit; 0: none"},
};

/// Live state of a completion queue.
inline constexpr Field kCqLive[] = {
    {"producer", 16, "Free-running index of the next entry"},
    {"overflowed", 1, "Takes no more entries"},
    {"consumer", 16, "Newest consumer index of a doorbell"},
    {"pass", 1, "Bit 16 of the producer, for the owner bits of a ring of 2^16"},
};

/// Counters of a queue pair, 64 bits each, in this order in the row.
inline constexpr Code kQpCounters[] = {
    {"TxPackets", 0, "Packets sent"},
    {"TxBytes", 1, "Payload bytes sent"},
    {"RxPackets", 2, "Packets accepted"},
    {"RxBytes", 3, "Payload bytes accepted"},
    {"Retries", 4, "Returns to an earlier PSN"},
    {"Timeouts", 5, "Retries caused by the timer"},
    {"NaksSent", 6, "NAKs sent, RNR included"},
    {"NaksReceived", 7, "NAKs received, RNR included"},
};

}  // namespace roci::spec
