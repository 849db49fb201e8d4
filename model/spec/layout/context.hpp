// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
// Rows of the tables inside the adapter.
#pragma once

#include "model/spec/layout/field.hpp"

// clang-format off

namespace roci::layout {

inline constexpr unsigned kRowBits = 512;
inline constexpr unsigned kRowBytes = 64;

/// Queue pair attributes.
namespace qp_attr {
inline constexpr MemoryField<uint16_t, 0, 16> pd;  ///< Protection domain
inline constexpr MemoryField<uint32_t, 16, 20> pasid;  ///< Address space of the queues
inline constexpr MemoryField<uint8_t, 36, 4> access;  ///< Remote operations allowed, bits as Access
inline constexpr MemoryField<uint8_t, 40, 3> pmtu;  ///< Path MTU code: 1 = 256 to 5 = 4096 bytes
inline constexpr MemoryField<uint8_t, 43, 3> retry_cnt;  ///< Transport retries, 0 to 7
inline constexpr MemoryField<uint8_t, 46, 3> rnr_retry;  ///< RNR retries, 7 without end
inline constexpr MemoryField<uint8_t, 49, 5> timeout;  ///< T = 4.096 us * 2^timeout; 0: no timer
inline constexpr MemoryField<uint8_t, 54, 5> min_rnr_timer;  ///< Timer code sent in RNR NAKs
/// READs and atomics outstanding as requester, 0 to 16
inline constexpr MemoryField<uint8_t, 59, 5> max_rd_atomic;
/// Replay slots used as responder, 0 to 16
inline constexpr MemoryField<uint8_t, 64, 5> max_dest_rd_atomic;
inline constexpr MemoryField<uint16_t, 69, 16> send_cqn;  ///< Completion queue of sends
inline constexpr MemoryField<uint16_t, 85, 16> recv_cqn;  ///< Completion queue of receives
/// Address of the send queue, 4 KiB aligned
inline constexpr MemoryField<uint64_t, 101, 64> sq_base;
inline constexpr MemoryField<uint8_t, 165, 4> sq_log;  ///< log2 of send queue entries, up to 15
inline constexpr MemoryField<uint8_t, 169, 2> sq_stride_log;  ///< log2 of blocks in an entry
/// Address of the receive queue, 4 KiB aligned
inline constexpr MemoryField<uint64_t, 171, 64> rq_base;
inline constexpr MemoryField<uint8_t, 235, 4> rq_log;  ///< log2 of receive queue entries, up to 15
inline constexpr MemoryField<uint8_t, 239, 2> rq_stride_log;  ///< log2 of blocks in an entry
inline constexpr MemoryField<uint32_t, 241, 24> sq_psn;  ///< First PSN sent
inline constexpr MemoryField<uint32_t, 265, 24> rq_psn;  ///< First PSN expected
/// Receives come from the SRQ `srqn`; rq_* are not used
inline constexpr MemoryField<bool, 289, 1> srq;
inline constexpr MemoryField<uint16_t, 290, 16> srqn;  ///< Shared receive queue
/// AETHs carry credits (9.7.7.2); 0: code 31, no limit
inline constexpr MemoryField<bool, 306, 1> credits;
inline constexpr unsigned kBits = 307, kBytes = 39;
}  // namespace qp_attr

/// Address vector.
namespace av {
inline constexpr MemoryField<uint64_t, 0, 48> dst_mac;  ///< Next hop
inline constexpr MemoryField<uint64_t, 48, 48> src_mac;  ///< Own address
inline constexpr MemoryField<void, 96, 128> dst_ip;  ///< Peer; an IPv4 address in the low 32 bits
inline constexpr MemoryField<void, 224, 128> src_ip;  ///< Own; an IPv4 address in the low 32 bits
inline constexpr MemoryField<bool, 352, 1> ipv6;  ///< 1: IPv6, 0: IPv4
inline constexpr MemoryField<bool, 353, 1> vlan;  ///< A tag is sent and required
inline constexpr MemoryField<uint16_t, 354, 16> vlan_tci;  ///< PCP, DEI, VID
inline constexpr MemoryField<uint8_t, 370, 8> traffic_class;  ///< TOS or traffic class
inline constexpr MemoryField<uint8_t, 378, 8> hop_limit;  ///< TTL or hop limit
inline constexpr MemoryField<uint32_t, 386, 20> flow_label;  ///< IPv6 flow label
inline constexpr MemoryField<uint16_t, 406, 16> src_port;  ///< UDP source port
inline constexpr MemoryField<uint16_t, 422, 16> pkey;  ///< Partition key
inline constexpr MemoryField<uint32_t, 438, 24> dest_qpn;  ///< Queue pair of the peer
/// RoCE v1 (A16): EtherType 0x8915, a GRH in place of IP and UDP; `ipv6` is 1, the addresses are
/// whole GIDs
inline constexpr MemoryField<bool, 462, 1> roce_v1;
inline constexpr unsigned kBits = 463, kBytes = 58;
}  // namespace av

/// Transport service of a queue pair.
namespace qp_service {
inline constexpr MemoryField<uint8_t, 0, 2> service;  ///< Service
/// UD: Q_Key of what is received, and of sends whose own has bit 31 set
inline constexpr MemoryField<uint32_t, 2, 32> qkey;
inline constexpr unsigned kBits = 34, kBytes = 5;
}  // namespace qp_service

/// Address handle.
namespace ah {
/// As a row of kAv; `pkey` and `dest_qpn` are not used
inline constexpr MemoryField<void, 0, 463> av;
inline constexpr MemoryField<uint16_t, 463, 16> pd;  ///< Protection domain
inline constexpr MemoryField<bool, 479, 1> valid;  ///< In use
inline constexpr unsigned kBits = 480, kBytes = 60;
}  // namespace ah

/// GID of the port.
namespace gid {
inline constexpr MemoryField<void, 0, 128> gid;  ///< First byte in the top bits
inline constexpr MemoryField<bool, 128, 1> valid;  ///< In use
inline constexpr MemoryField<bool, 129, 1> roce_v1;  ///< Frames of RoCE v1
inline constexpr MemoryField<bool, 130, 1> vlan;  ///< Frames have a tag
inline constexpr MemoryField<uint16_t, 131, 12> vid;  ///< VLAN identifier
inline constexpr unsigned kBits = 143, kBytes = 18;
}  // namespace gid

/// Queue pair of a multicast group.
namespace multicast {
inline constexpr MemoryField<void, 0, 128> gid;  ///< The group, as a row of kGid
inline constexpr MemoryField<uint32_t, 128, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<bool, 152, 1> valid;  ///< In use
/// A search that comes here goes on with the next row
inline constexpr MemoryField<bool, 153, 1> more;
inline constexpr unsigned kBits = 154, kBytes = 20;
}  // namespace multicast

/// Memory key.
namespace key {
inline constexpr MemoryField<bool, 0, 1> valid;  ///< Region is registered
inline constexpr MemoryField<uint8_t, 1, 8> variant;  ///< Low byte of the key
inline constexpr MemoryField<uint16_t, 9, 16> pd;  ///< Protection domain
inline constexpr MemoryField<uint8_t, 25, 6> access;  ///< Rights, bits as Access
inline constexpr MemoryField<uint32_t, 31, 20> pasid;  ///< Address space of the region
/// First address as work requests and peers name it
inline constexpr MemoryField<uint64_t, 51, 64> iova;
inline constexpr MemoryField<uint64_t, 115, 64> length;  ///< Bytes
inline constexpr MemoryField<uint64_t, 179, 64> addr;  ///< DMA address of the first byte
inline constexpr MemoryField<uint8_t, 243, 2> kind;  ///< KeyKind
inline constexpr MemoryField<bool, 245, 1> remote_only;  ///< A window: no local key
inline constexpr MemoryField<uint32_t, 246, 24> qpn;  ///< WindowType2: queue pair that bound it
inline constexpr MemoryField<uint32_t, 270, 24> parent;  ///< A bound window: row of its region
inline constexpr unsigned kBits = 294, kBytes = 37;
}  // namespace key

/// Completion queue.
namespace cq {
inline constexpr MemoryField<bool, 0, 1> valid;  ///< In use
inline constexpr MemoryField<uint32_t, 1, 20> pasid;  ///< Address space of the ring
inline constexpr MemoryField<uint64_t, 21, 64> base;  ///< Address of the ring, 4 KiB aligned
inline constexpr MemoryField<uint8_t, 85, 5> log;  ///< log2 of entries, 1 to 16
/// Event after this many completions; 0 or 1: each
inline constexpr MemoryField<uint16_t, 90, 16> moderation_count;
/// Event at the latest after this many us; 0: no moderation
inline constexpr MemoryField<uint16_t, 106, 16> moderation_period;
/// Write only: the ring moves, indices and arming stay
inline constexpr MemoryField<bool, 122, 1> resize;
inline constexpr unsigned kBits = 123, kBytes = 16;
}  // namespace cq

/// Shared receive queue.
namespace srq {
inline constexpr MemoryField<bool, 0, 1> valid;  ///< In use
inline constexpr MemoryField<uint16_t, 1, 16> pd;  ///< Protection domain
inline constexpr MemoryField<uint32_t, 17, 20> pasid;  ///< Address space of the ring
inline constexpr MemoryField<uint64_t, 37, 64> base;  ///< Address of the ring, 4 KiB aligned
inline constexpr MemoryField<uint8_t, 101, 4> log;  ///< log2 of entries, up to 15
inline constexpr MemoryField<uint8_t, 105, 2> stride_log;  ///< log2 of blocks in an entry
/// Event when fewer receives are left; reads 0 once it fired
inline constexpr MemoryField<uint16_t, 107, 16> limit;
inline constexpr unsigned kBits = 123, kBytes = 16;
}  // namespace srq

/// Queue pair state.
namespace qp_state {
inline constexpr MemoryField<uint8_t, 0, 3> state;  ///< QpState
inline constexpr unsigned kBits = 3, kBytes = 1;
}  // namespace qp_state

/// Live queue pair state.
namespace qp_live {
inline constexpr MemoryField<uint32_t, 0, 24> sq_psn;  ///< Next PSN to send
inline constexpr MemoryField<uint32_t, 24, 24> rq_psn;  ///< PSN expected
inline constexpr MemoryField<uint32_t, 48, 24> sq_una_psn;  ///< Oldest PSN not acknowledged
inline constexpr MemoryField<uint32_t, 72, 24> msn;  ///< Messages completed as responder
/// Free-running index of the oldest send not completed
inline constexpr MemoryField<uint16_t, 96, 16> sq_completed;
inline constexpr MemoryField<bool, 112, 1> sq_idle;  ///< Nothing outstanding as requester
inline constexpr unsigned kBits = 113, kBytes = 15;
}  // namespace qp_live

/// Live shared receive queue state.
namespace srq_live {
/// Free-running index of the newest doorbell
inline constexpr MemoryField<uint16_t, 0, 16> producer;
/// Free-running index of the next receive to take
inline constexpr MemoryField<uint16_t, 16, 16> consumer;
inline constexpr MemoryField<uint16_t, 32, 16> limit;  ///< Armed limit; 0: none
inline constexpr unsigned kBits = 48, kBytes = 6;
}  // namespace srq_live

/// Live completion queue state.
namespace cq_live {
inline constexpr MemoryField<uint16_t, 0, 16> producer;  ///< Free-running index of the next entry
inline constexpr MemoryField<bool, 16, 1> overflowed;  ///< Takes no more entries
inline constexpr MemoryField<uint16_t, 17, 16> consumer;  ///< Newest consumer index of a doorbell
/// Bit 16 of the producer, for the owner bits of a ring of 2^16
inline constexpr MemoryField<bool, 33, 1> pass;
inline constexpr unsigned kBits = 34, kBytes = 5;
}  // namespace cq_live

}  // namespace roci::layout
