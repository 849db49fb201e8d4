// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
// Admin commands and their replies.
#pragma once

#include "model/spec/layout/field.hpp"

// clang-format off

namespace roci::layout {

inline constexpr unsigned kCommandBytes = 128;
inline constexpr unsigned kCommandBodyOffset = 8;
inline constexpr unsigned kCommandBodyBytes = 120;

/// Command header.
namespace command_header {
inline constexpr MemoryField<uint16_t, 0, 16> opcode;  ///< AdminOp
inline constexpr MemoryField<uint16_t, 16, 16> tag;  ///< Free; the reply repeats it
inline constexpr MemoryField<uint32_t, 32, 32> reserved;  ///< 0
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace command_header

/// Reply header.
namespace reply_header {
inline constexpr MemoryField<uint16_t, 0, 16> status;  ///< AdminStatus
inline constexpr MemoryField<uint16_t, 16, 16> tag;  ///< As in the command
/// Field in question: its byte offset in the command; for diagnosis only
inline constexpr MemoryField<uint32_t, 32, 32> detail;
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace reply_header

/// QueryDevice reply.
namespace query_device_reply {
inline constexpr MemoryField<uint32_t, 0, 32> max_qp;  ///< Queue pairs
inline constexpr MemoryField<uint32_t, 32, 32> max_cq;  ///< Completion queues
inline constexpr MemoryField<uint32_t, 64, 32> max_mr;  ///< Regions
inline constexpr MemoryField<uint32_t, 96, 32> max_pd;  ///< Protection domains
inline constexpr MemoryField<uint32_t, 128, 32> max_qp_wr;  ///< Entries of a work queue
inline constexpr MemoryField<uint32_t, 160, 32> max_cqe;  ///< Entries of a completion queue
inline constexpr MemoryField<uint32_t, 192, 32> max_sge;  ///< Entries of a scatter/gather list
inline constexpr MemoryField<uint32_t, 224, 32> max_inline;  ///< Bytes of inline data
/// READs and atomics outstanding, either role
inline constexpr MemoryField<uint32_t, 256, 32> max_rd_atomic;
inline constexpr MemoryField<uint32_t, 288, 32> max_gid;  ///< Entries of the GID table
inline constexpr MemoryField<uint64_t, 320, 64> max_message;  ///< Bytes of a message
inline constexpr MemoryField<uint32_t, 384, 32> fw_version;  ///< Firmware version
inline constexpr MemoryField<uint32_t, 416, 32> max_srq;  ///< Shared receive queues
inline constexpr MemoryField<uint32_t, 448, 32> max_srq_wr;  ///< Entries of a shared receive queue
inline constexpr MemoryField<uint32_t, 480, 32> max_pkeys;  ///< Entries of the P_Key table
inline constexpr MemoryField<uint32_t, 512, 32> max_mw;  ///< Memory windows, besides the regions
/// Bits by Service: which the engine has; RC always
inline constexpr MemoryField<uint32_t, 544, 32> services;
inline constexpr MemoryField<uint32_t, 576, 32> max_ah;  ///< Address handles; 0 without UD
/// Bits by Option: what the engine does not have
inline constexpr MemoryField<uint32_t, 608, 32> absent;
/// Attachments to multicast groups; 0: no multicast
inline constexpr MemoryField<uint32_t, 640, 32> max_attachments;
inline constexpr unsigned kBits = 672, kBytes = 84;
}  // namespace query_device_reply

/// QueryPort reply.
namespace query_port_reply {
inline constexpr MemoryField<uint8_t, 0, 8> state;  ///< 1 down, 4 active, as ibv_port_state
inline constexpr MemoryField<uint8_t, 8, 8> max_mtu;  ///< Path MTU code
inline constexpr MemoryField<uint8_t, 16, 8> active_mtu;  ///< Path MTU code
inline constexpr MemoryField<uint8_t, 24, 8> reserved;  ///< 0
inline constexpr MemoryField<uint16_t, 32, 16> pkey;  ///< The one entry of the P_Key table
inline constexpr MemoryField<uint64_t, 48, 48> mac;  ///< Port MAC address as a number
inline constexpr unsigned kBits = 96, kBytes = 12;
}  // namespace query_port_reply

/// SetGid.
namespace set_gid {
inline constexpr MemoryField<uint16_t, 0, 16> index;  ///< Entry
inline constexpr MemoryField<bool, 16, 1> vlan;  ///< Belongs to a VLAN
inline constexpr MemoryField<uint8_t, 17, 3> reserved;  ///< 0
inline constexpr MemoryField<uint16_t, 20, 12> vid;  ///< VLAN identifier
inline constexpr MemoryField<bool, 32, 1> roce_v1;  ///< Frames of RoCE v1 (A16)
inline constexpr MemoryField<uint32_t, 33, 31> reserved1;  ///< 0
inline constexpr MemoryField<uint64_t, 64, 64> gid_hi;  ///< GID bytes 0 to 7 as a big-endian number
inline constexpr MemoryField<uint64_t, 128, 64> gid_lo;  ///< GID bytes 8 to 15
inline constexpr unsigned kBits = 192, kBytes = 24;
}  // namespace set_gid

/// QueryGid.
namespace query_gid {
inline constexpr MemoryField<uint16_t, 0, 16> index;  ///< Entry
inline constexpr unsigned kBits = 16, kBytes = 2;
}  // namespace query_gid

/// QueryGid reply.
namespace query_gid_reply {
inline constexpr MemoryField<bool, 0, 1> vlan;  ///< Belongs to a VLAN
inline constexpr MemoryField<uint8_t, 1, 3> reserved;  ///< 0
inline constexpr MemoryField<uint16_t, 4, 12> vid;  ///< VLAN identifier
inline constexpr MemoryField<bool, 16, 1> roce_v1;  ///< Frames of RoCE v1 (A16)
inline constexpr MemoryField<uint64_t, 17, 47> reserved1;  ///< 0
/// GID bytes 0 to 7 as a big-endian number; 0 and 0: empty
inline constexpr MemoryField<uint64_t, 64, 64> gid_hi;
inline constexpr MemoryField<uint64_t, 128, 64> gid_lo;  ///< GID bytes 8 to 15
inline constexpr unsigned kBits = 192, kBytes = 24;
}  // namespace query_gid_reply

/// CreateCq.
namespace create_cq {
inline constexpr MemoryField<uint8_t, 0, 8> log_entries;  ///< log2 of entries, 1 to 16
inline constexpr MemoryField<uint32_t, 8, 24> reserved;  ///< 0
inline constexpr MemoryField<uint32_t, 32, 32> pasid;  ///< Address space of the ring
inline constexpr MemoryField<uint64_t, 64, 64> base;  ///< Ring, 4 KiB aligned
inline constexpr unsigned kBits = 128, kBytes = 16;
}  // namespace create_cq

/// CreateCq reply.
namespace create_cq_reply {
inline constexpr MemoryField<uint32_t, 0, 32> cqn;  ///< Completion queue
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace create_cq_reply

/// ModifyCq.
namespace modify_cq {
inline constexpr MemoryField<uint32_t, 0, 32> cqn;  ///< Completion queue
inline constexpr MemoryField<uint16_t, 32, 16> count;  ///< Event after this many completions
/// Event at the latest after this many us; 0: off
inline constexpr MemoryField<uint16_t, 48, 16> period;
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace modify_cq

/// DestroyCq.
namespace destroy_cq {
inline constexpr MemoryField<uint32_t, 0, 32> cqn;  ///< Completion queue
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace destroy_cq

/// CreateQp.
namespace create_qp {
inline constexpr MemoryField<uint32_t, 0, 32> pd;  ///< Protection domain
inline constexpr MemoryField<uint32_t, 32, 32> pasid;  ///< Address space of the queues
inline constexpr MemoryField<uint32_t, 64, 32> send_cqn;  ///< Completion queue of sends
inline constexpr MemoryField<uint32_t, 96, 32> recv_cqn;  ///< Completion queue of receives
inline constexpr MemoryField<uint64_t, 128, 64> sq_base;  ///< Send queue, 4 KiB aligned
inline constexpr MemoryField<uint64_t, 192, 64> rq_base;  ///< Receive queue, 4 KiB aligned
inline constexpr MemoryField<uint8_t, 256, 8> sq_log;  ///< log2 of entries, 1 to 15
/// log2 of blocks in an entry, 0 to 2
inline constexpr MemoryField<uint8_t, 264, 8> sq_stride_log;
inline constexpr MemoryField<uint8_t, 272, 8> rq_log;  ///< log2 of entries, 1 to 15
/// log2 of blocks in an entry, 0 to 2
inline constexpr MemoryField<uint8_t, 280, 8> rq_stride_log;
/// 1: receives come from `srqn`, rq_* are not used
inline constexpr MemoryField<uint8_t, 288, 8> srq;
inline constexpr MemoryField<uint8_t, 296, 8> credits;  ///< 1: send credits in AETHs
inline constexpr MemoryField<uint8_t, 304, 8> service;  ///< Service
inline constexpr MemoryField<uint8_t, 312, 8> reserved;  ///< 0
inline constexpr MemoryField<uint32_t, 320, 32> srqn;  ///< Shared receive queue
inline constexpr unsigned kBits = 352, kBytes = 44;
}  // namespace create_qp

/// CreateQp reply.
namespace create_qp_reply {
inline constexpr MemoryField<uint32_t, 0, 32> qpn;  ///< Queue pair
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace create_qp_reply

/// ModifyQp, QueryQp reply.
namespace qp_attributes {
inline constexpr MemoryField<uint32_t, 0, 32> qpn;  ///< Queue pair
/// Which attributes are given, bits as QpMask
inline constexpr MemoryField<uint32_t, 32, 32> attr_mask;
inline constexpr MemoryField<uint8_t, 64, 8> state;  ///< QpState
inline constexpr MemoryField<uint8_t, 72, 8> cur_state;  ///< QpState that the caller expects
inline constexpr MemoryField<uint8_t, 80, 8> path_mtu;  ///< Code 1 to 5
inline constexpr MemoryField<uint8_t, 88, 8> access;  ///< Bits as Access
inline constexpr MemoryField<uint16_t, 96, 16> pkey_index;  ///< 0
inline constexpr MemoryField<uint8_t, 112, 8> port;  ///< 1
inline constexpr MemoryField<uint8_t, 120, 8> timeout;  ///< 0 to 31
inline constexpr MemoryField<uint8_t, 128, 8> retry_cnt;  ///< 0 to 7
inline constexpr MemoryField<uint8_t, 136, 8> rnr_retry;  ///< 0 to 7
inline constexpr MemoryField<uint8_t, 144, 8> min_rnr_timer;  ///< 0 to 31
inline constexpr MemoryField<uint8_t, 152, 8> max_rd_atomic;  ///< 0 to max_rd_atomic of the device
/// 0 to max_rd_atomic of the device
inline constexpr MemoryField<uint8_t, 160, 8> max_dest_rd_atomic;
inline constexpr MemoryField<uint8_t, 168, 8> sgid_index;  ///< Own GID
inline constexpr MemoryField<uint8_t, 176, 8> hop_limit;  ///< TTL or hop limit
inline constexpr MemoryField<uint8_t, 184, 8> traffic_class;  ///< TOS or traffic class
inline constexpr MemoryField<uint32_t, 192, 32> dest_qpn;  ///< Queue pair of the peer
inline constexpr MemoryField<uint32_t, 224, 32> sq_psn;  ///< First PSN sent; QueryQp: next
inline constexpr MemoryField<uint32_t, 256, 32> rq_psn;  ///< First PSN expected; QueryQp: expected
inline constexpr MemoryField<uint32_t, 288, 32> flow_label;  ///< 20 bits
/// Peer GID bytes 0 to 7 as a big-endian number
inline constexpr MemoryField<uint64_t, 320, 64> dgid_hi;
inline constexpr MemoryField<uint64_t, 384, 64> dgid_lo;  ///< Peer GID bytes 8 to 15
inline constexpr MemoryField<uint64_t, 448, 48> dst_mac;  ///< Next hop; 0: firmware resolves it
inline constexpr MemoryField<uint8_t, 496, 8> sl;  ///< Service level, becomes the PCP of a VLAN tag
/// 0 SQD: raise SqDrained; QueryQp: 1 still draining
inline constexpr MemoryField<uint8_t, 504, 8> flags;
inline constexpr MemoryField<uint32_t, 512, 32> qkey;  ///< UD: Q_Key
inline constexpr unsigned kBits = 544, kBytes = 68;
}  // namespace qp_attributes

/// CreateAh.
namespace create_ah {
inline constexpr MemoryField<uint32_t, 0, 32> pd;  ///< Protection domain
inline constexpr MemoryField<uint8_t, 32, 8> sgid_index;  ///< Own GID
inline constexpr MemoryField<uint8_t, 40, 8> hop_limit;  ///< TTL or hop limit
inline constexpr MemoryField<uint8_t, 48, 8> traffic_class;  ///< TOS or traffic class
inline constexpr MemoryField<uint8_t, 56, 8> sl;  ///< Service level, becomes the PCP of a VLAN tag
inline constexpr MemoryField<uint32_t, 64, 32> flow_label;  ///< 20 bits
inline constexpr MemoryField<uint32_t, 96, 32> reserved;  ///< 0
/// GID of the destination, bytes 0 to 7 as a big-endian number
inline constexpr MemoryField<uint64_t, 128, 64> dgid_hi;
inline constexpr MemoryField<uint64_t, 192, 64> dgid_lo;  ///< GID of the destination, bytes 8 to 15
inline constexpr MemoryField<uint64_t, 256, 48> dst_mac;  ///< Next hop; 0: firmware resolves it
inline constexpr MemoryField<uint16_t, 304, 16> reserved1;  ///< 0
inline constexpr unsigned kBits = 320, kBytes = 40;
}  // namespace create_ah

/// CreateAh reply.
namespace create_ah_reply {
inline constexpr MemoryField<uint32_t, 0, 32> ah;  ///< Address handle
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace create_ah_reply

/// DestroyAh.
namespace destroy_ah {
inline constexpr MemoryField<uint32_t, 0, 32> ah;  ///< Address handle
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace destroy_ah

/// AttachMulticast.
namespace attach_multicast {
inline constexpr MemoryField<uint32_t, 0, 32> qpn;  ///< Queue pair
inline constexpr MemoryField<uint32_t, 32, 32> reserved;  ///< 0
/// GID of the group, bytes 0 to 7 as a big-endian number
inline constexpr MemoryField<uint64_t, 64, 64> gid_hi;
inline constexpr MemoryField<uint64_t, 128, 64> gid_lo;  ///< GID of the group, bytes 8 to 15
inline constexpr unsigned kBits = 192, kBytes = 24;
}  // namespace attach_multicast

/// AttachMulticast reply.
namespace attach_multicast_reply {
inline constexpr MemoryField<uint32_t, 0, 32> attachment;  ///< Attachment
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace attach_multicast_reply

/// DetachMulticast.
namespace detach_multicast {
inline constexpr MemoryField<uint32_t, 0, 32> attachment;  ///< Attachment
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace detach_multicast

/// QueryQp.
namespace query_qp {
inline constexpr MemoryField<uint32_t, 0, 32> qpn;  ///< Queue pair
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace query_qp

/// DestroyQp.
namespace destroy_qp {
inline constexpr MemoryField<uint32_t, 0, 32> qpn;  ///< Queue pair
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace destroy_qp

/// RegMr.
namespace reg_mr {
inline constexpr MemoryField<uint32_t, 0, 32> pd;  ///< Protection domain
inline constexpr MemoryField<uint32_t, 32, 32> access;  ///< Bits as Access
inline constexpr MemoryField<uint32_t, 64, 32> pasid;  ///< Address space
inline constexpr MemoryField<uint32_t, 96, 32> reserved;  ///< 0
inline constexpr MemoryField<uint64_t, 128, 64> iova;  ///< First address as work requests name it
/// Bytes, not 0; iova + length and addr + length stay below 2^64
inline constexpr MemoryField<uint64_t, 192, 64> length;
inline constexpr MemoryField<uint64_t, 256, 64> addr;  ///< First address as DMA sees it
inline constexpr unsigned kBits = 320, kBytes = 40;
}  // namespace reg_mr

/// RegMr reply.
namespace reg_mr_reply {
inline constexpr MemoryField<uint32_t, 0, 32> key;  ///< Local and remote key
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace reg_mr_reply

/// ReregMr.
namespace rereg_mr {
inline constexpr MemoryField<uint32_t, 0, 32> key;  ///< Key of the region; it stays
/// Bits: 0 range, 1 domain, 2 rights, as ibv_rereg_mr_flags
inline constexpr MemoryField<uint32_t, 32, 32> what;
inline constexpr MemoryField<uint32_t, 64, 32> pd;  ///< Protection domain
inline constexpr MemoryField<uint32_t, 96, 32> access;  ///< Bits as Access
inline constexpr MemoryField<uint64_t, 128, 64> iova;  ///< As in RegMr
inline constexpr MemoryField<uint64_t, 192, 64> length;  ///< As in RegMr
inline constexpr MemoryField<uint64_t, 256, 64> addr;  ///< As in RegMr
inline constexpr unsigned kBits = 320, kBytes = 40;
}  // namespace rereg_mr

/// DeregMr.
namespace dereg_mr {
inline constexpr MemoryField<uint32_t, 0, 32> key;  ///< Key
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace dereg_mr

/// AllocMw.
namespace alloc_mw {
inline constexpr MemoryField<uint32_t, 0, 32> pd;  ///< Protection domain
inline constexpr MemoryField<uint32_t, 32, 32> kind;  ///< KeyKind: WindowType1 or WindowType2
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace alloc_mw

/// AllocMw reply.
namespace alloc_mw_reply {
inline constexpr MemoryField<uint32_t, 0, 32> key;  ///< Key; its low byte is the first variant
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace alloc_mw_reply

/// DeallocMw.
namespace dealloc_mw {
inline constexpr MemoryField<uint32_t, 0, 32> key;  ///< Key as allocated or as last bound
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace dealloc_mw

/// AllocFastMr.
namespace alloc_fast_mr {
inline constexpr MemoryField<uint32_t, 0, 32> pd;  ///< Protection domain
inline constexpr MemoryField<uint32_t, 32, 32> pasid;  ///< Address space of what it will name
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace alloc_fast_mr

/// AllocFastMr reply.
namespace alloc_fast_mr_reply {
inline constexpr MemoryField<uint32_t, 0, 32> key;  ///< Key
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace alloc_fast_mr_reply

/// CreateSrq.
namespace create_srq {
inline constexpr MemoryField<uint32_t, 0, 32> pd;  ///< Protection domain
inline constexpr MemoryField<uint32_t, 32, 32> pasid;  ///< Address space of the ring
inline constexpr MemoryField<uint64_t, 64, 64> base;  ///< Ring, 4 KiB aligned
inline constexpr MemoryField<uint8_t, 128, 8> log;  ///< log2 of entries, 1 to 15
inline constexpr MemoryField<uint8_t, 136, 8> stride_log;  ///< log2 of blocks in an entry, 0 to 2
inline constexpr MemoryField<uint16_t, 144, 16> limit;  ///< As in ModifySrq
inline constexpr unsigned kBits = 160, kBytes = 20;
}  // namespace create_srq

/// CreateSrq reply.
namespace create_srq_reply {
inline constexpr MemoryField<uint32_t, 0, 32> srqn;  ///< Shared receive queue
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace create_srq_reply

/// ModifySrq.
namespace modify_srq {
inline constexpr MemoryField<uint32_t, 0, 32> srqn;  ///< Shared receive queue
/// Event when fewer receives are left, once; 0: none; at most the ring's entries
inline constexpr MemoryField<uint32_t, 32, 32> limit;
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace modify_srq

/// QuerySrq.
namespace query_srq {
inline constexpr MemoryField<uint32_t, 0, 32> srqn;  ///< Shared receive queue
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace query_srq

/// QuerySrq reply.
namespace query_srq_reply {
inline constexpr MemoryField<uint32_t, 0, 32> limit;  ///< Armed limit; 0 once it fired
inline constexpr MemoryField<uint32_t, 32, 32> filled;  ///< Receives posted and not taken
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace query_srq_reply

/// DestroySrq.
namespace destroy_srq {
inline constexpr MemoryField<uint32_t, 0, 32> srqn;  ///< Shared receive queue
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace destroy_srq

/// ResizeCq.
namespace resize_cq {
inline constexpr MemoryField<uint32_t, 0, 32> cqn;  ///< Completion queue
/// log2 of entries of the new ring, 1 to 16
inline constexpr MemoryField<uint8_t, 32, 8> log_entries;
inline constexpr MemoryField<uint8_t, 40, 8> reserved;  ///< 0
/// Free-running index of the oldest entry that must move
inline constexpr MemoryField<uint16_t, 48, 16> consumer;
/// New ring, 4 KiB aligned, same address space
inline constexpr MemoryField<uint64_t, 64, 64> base;
inline constexpr unsigned kBits = 128, kBytes = 16;
}  // namespace resize_cq

/// SetPkey.
namespace set_pkey {
inline constexpr MemoryField<uint16_t, 0, 16> index;  ///< Entry
/// P_Key; 0 clears the entry. Queue pairs take it when they are modified
inline constexpr MemoryField<uint16_t, 16, 16> pkey;
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace set_pkey

/// QueryPkey.
namespace query_pkey {
inline constexpr MemoryField<uint16_t, 0, 16> index;  ///< Entry
inline constexpr unsigned kBits = 16, kBytes = 2;
}  // namespace query_pkey

/// QueryPkey reply.
namespace query_pkey_reply {
inline constexpr MemoryField<uint16_t, 0, 16> pkey;  ///< P_Key
inline constexpr unsigned kBits = 16, kBytes = 2;
}  // namespace query_pkey_reply

/// ResolveAddress.
namespace resolve_address {
inline constexpr MemoryField<uint32_t, 0, 32> sgid_index;  ///< Own GID
inline constexpr MemoryField<uint32_t, 32, 32> reserved;  ///< 0
/// Peer GID bytes 0 to 7 as a big-endian number
inline constexpr MemoryField<uint64_t, 64, 64> dgid_hi;
inline constexpr MemoryField<uint64_t, 128, 64> dgid_lo;  ///< Peer GID bytes 8 to 15
inline constexpr unsigned kBits = 192, kBytes = 24;
}  // namespace resolve_address

/// ResolveAddress reply.
namespace resolve_address_reply {
inline constexpr MemoryField<uint64_t, 0, 48> mac;  ///< MAC address as a number
inline constexpr unsigned kBits = 48, kBytes = 6;
}  // namespace resolve_address_reply

/// AllocPd reply.
namespace alloc_pd_reply {
inline constexpr MemoryField<uint32_t, 0, 32> pd;  ///< Protection domain
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace alloc_pd_reply

/// DeallocPd.
namespace dealloc_pd {
inline constexpr MemoryField<uint32_t, 0, 32> pd;  ///< Protection domain
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace dealloc_pd

/// QueryCounters.
namespace query_counters {
inline constexpr MemoryField<uint32_t, 0, 32> of_qp;  ///< 0: of the port, 1: of a queue pair
inline constexpr MemoryField<uint32_t, 32, 32> qpn;  ///< Queue pair; 0 for the port
inline constexpr unsigned kBits = 64, kBytes = 8;
}  // namespace query_counters

/// QueryCounters reply, port.
namespace port_counters_reply {
inline constexpr MemoryField<uint64_t, 0, 48> drop_icrc;  ///< RoCE frames with a wrong ICRC
/// Frames with wrong lengths, checksums, TVer, pad or options
inline constexpr MemoryField<uint64_t, 48, 48> drop_malformed;
/// Frames for which the receive buffer had no room
inline constexpr MemoryField<uint64_t, 96, 48> drop_overflow;
/// Packets for no queue pair, or for one that takes none
inline constexpr MemoryField<uint64_t, 144, 48> drop_unknown_qp;
/// Packets with addresses not of the connection
inline constexpr MemoryField<uint64_t, 192, 48> drop_address;
inline constexpr MemoryField<uint64_t, 240, 48> drop_pkey;  ///< Packets of another partition
/// Packets of another transport, or not allowed
inline constexpr MemoryField<uint64_t, 288, 48> drop_opcode;
/// Responses outside the outstanding window
inline constexpr MemoryField<uint64_t, 336, 48> drop_ghost;
/// Duplicate requests that got no response
inline constexpr MemoryField<uint64_t, 384, 48> drop_duplicate;
/// Requests after a gap that was NAKed before
inline constexpr MemoryField<uint64_t, 432, 48> drop_out_of_sequence;
inline constexpr MemoryField<uint64_t, 480, 48> rx_frames;  ///< Frames received from the MAC
inline constexpr MemoryField<uint64_t, 528, 48> rx_bytes;  ///< Bytes received from the MAC
inline constexpr MemoryField<uint64_t, 576, 48> tx_frames;  ///< Frames sent to the MAC
inline constexpr MemoryField<uint64_t, 624, 48> tx_bytes;  ///< Bytes sent to the MAC
/// RoCE packets accepted by the transport
inline constexpr MemoryField<uint64_t, 672, 48> rx_roce;
/// Frames handed to the Ethernet path or to firmware
inline constexpr MemoryField<uint64_t, 720, 48> rx_ethernet;
inline constexpr MemoryField<uint64_t, 768, 48> qkey_violations;  ///< UD packets with a wrong Q_Key
/// UC and UD packets that were accepted and not delivered
inline constexpr MemoryField<uint64_t, 816, 48> discards;
inline constexpr unsigned kBits = 864, kBytes = 108;
}  // namespace port_counters_reply

/// QueryCounters reply, queue pair.
namespace qp_counters_reply {
inline constexpr MemoryField<uint64_t, 0, 64> tx_packets;  ///< Packets sent
inline constexpr MemoryField<uint64_t, 64, 64> tx_bytes;  ///< Payload bytes sent
inline constexpr MemoryField<uint64_t, 128, 64> rx_packets;  ///< Packets accepted
inline constexpr MemoryField<uint64_t, 192, 64> rx_bytes;  ///< Payload bytes accepted
/// Times the requester returned to an earlier PSN
inline constexpr MemoryField<uint64_t, 256, 64> retries;
inline constexpr MemoryField<uint64_t, 320, 64> timeouts;  ///< Retries caused by the timer
inline constexpr MemoryField<uint64_t, 384, 64> naks_sent;  ///< NAKs sent, RNR included
inline constexpr MemoryField<uint64_t, 448, 64> naks_received;  ///< NAKs received, RNR included
inline constexpr unsigned kBits = 512, kBytes = 64;
}  // namespace qp_counters_reply

}  // namespace roci::layout
