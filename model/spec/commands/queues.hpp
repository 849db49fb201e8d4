// SPDX-License-Identifier: Apache-2.0
// Bodies of commands of completion queues, queue pairs and shared receive queues.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

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
    {"service", 8, "Service"},
    {"reserved", 8, "0"},
    {"srqn", 32, "Shared receive queue"},
};
inline constexpr Field kCreateQpReply[] = {{"qpn", 32, "Queue pair"}};
/// ModifyQp; QueryQp replies with the same body.
inline constexpr Field kQpAttributes[] = {
    {"qpn", 32, "Queue pair"},
    {"attr_mask", 32, "Which attributes are given, bits as QpMask"},
    {"state", 8, "QpState"},
    {"cur_state", 8, "QpState that the caller expects"},
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
    {"qkey", 32, "UD: Q_Key"},
};
inline constexpr Field kCreateAh[] = {
    {"pd", 32, "Protection domain"},
    {"sgid_index", 8, "Own GID"},
    {"hop_limit", 8, "TTL or hop limit"},
    {"traffic_class", 8, "TOS or traffic class"},
    {"sl", 8, "Service level, becomes the PCP of a VLAN tag"},
    {"flow_label", 32, "20 bits"},
    {"reserved", 32, "0"},
    {"dgid_hi", 64, "GID of the destination, bytes 0 to 7 as a big-endian number"},
    {"dgid_lo", 64, "GID of the destination, bytes 8 to 15"},
    {"dst_mac", 48, "Next hop; 0: firmware resolves it"},
    {"reserved1", 16, "0"},
};
inline constexpr Field kCreateAhReply[] = {{"ah", 32, "Address handle"}};
inline constexpr Field kDestroyAh[] = {{"ah", 32, "Address handle"}};
inline constexpr Field kAttachMulticast[] = {
    {"qpn", 32, "Queue pair"},
    {"reserved", 32, "0"},
    {"gid_hi", 64, "GID of the group, bytes 0 to 7 as a big-endian number"},
    {"gid_lo", 64, "GID of the group, bytes 8 to 15"},
};
inline constexpr Field kAttachMulticastReply[] = {{"attachment", 32, "Attachment"}};
inline constexpr Field kDetachMulticast[] = {{"attachment", 32, "Attachment"}};
inline constexpr Field kQueryQp[] = {{"qpn", 32, "Queue pair"}};
inline constexpr Field kDestroyQp[] = {{"qpn", 32, "Queue pair"}};
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
/// The caller fills the new ring, from index `consumer` on, with the owner bits of the previous
/// pass, so that no entry looks written.
inline constexpr Field kResizeCq[] = {
    {"cqn", 32, "Completion queue"},
    {"log_entries", 8, "log2 of entries of the new ring, 1 to 16"},
    {"reserved", 8, "0"},
    {"consumer", 16, "Free-running index of the oldest entry that must move"},
    {"base", 64, "New ring, 4 KiB aligned, same address space"},
};

}  // namespace roci::spec
