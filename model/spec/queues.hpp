// SPDX-License-Identifier: Apache-2.0
// Entries that software and adapter write for each other in host memory. Little-endian; a block is
// 64 bytes, the unit of every queue entry, and every ring starts on a 4 KiB boundary.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

inline constexpr unsigned kBlockBytes = 64;
inline constexpr unsigned kSgeBytes = 16;
inline constexpr unsigned kMaxSge = 13;       ///< one in block 0, four in each further block
inline constexpr unsigned kMaxInline = 192;   ///< bytes of inline data, blocks 1 to 3
inline constexpr unsigned kMaxStrideLog = 2;  ///< a work queue entry has 1, 2 or 4 blocks
inline constexpr std::uint64_t kMaxMessage = std::uint64_t{1} << 31;  ///< bytes (9.7.4.1.6)

/// Scatter/gather entry.
inline constexpr Field kSge[] = {
    {"addr", 64, "Virtual address of the region named by the key"},
    {"length", 32, "Bytes; 0 is an empty entry"},
    {"lkey", 32, "Local key"},
};
static_assert(total_bits(kSge) == kSgeBytes * 8);

/// Work queue entry, block 0, of send and receive queues. Entry i > 0 of the scatter/gather list
/// lies in block 1 + (i - 1) / 4, at 16 * ((i - 1) % 4). Inline data starts at block 1.
/// A receive uses num_sge and the list only; one of an SRQ also has a tag, which its completion
/// gives as `wqe_index`, because receives of an SRQ do not complete in order. LocalInv: `rkey` is
/// the key. BindMw: `rkey` is the window's new key, `remote_addr` and `swap_add` its first address
/// and its bytes (0 unbinds), `compare` its Access bits, `sge0_lkey` the region. RegMr: `rkey` is
/// the new key, `remote_addr` its first address (iova), `swap_add` its bytes, `compare` its Access
/// bits, `sge0_addr` its first address as DMA sees it. In all three `length` and num_sge are 0.
inline constexpr Field kWqe[] = {
    {"opcode", 8, "WrOp"},
    {"signaled", 1, "Make a completion on success too"},
    {"solicited", 1, "Solicited event at the receiver"},
    {"fence", 1, "Start after all earlier READs and atomics"},
    {"inline_data", 1, "Payload stands in blocks 1 to 3 of this entry; num_sge is 0"},
    {"reserved0", 4, "0"},
    {"num_sge", 8, "Entries of the scatter/gather list"},
    {"reserved1", 8, "0"},
    {"imm", 32,
     "Immediate data as a number; SendInv: key to invalidate; receive of an SRQ: 15:0 tag"},
    {"length", 32, "Bytes of the message, sum over the list, at most 2^31"},
    {"rkey", 32, "Remote key"},
    {"remote_addr", 64, "Remote virtual address"},
    {"swap_add", 64, "Swap or add operand"},
    {"compare", 64, "Compare operand"},
    {"reserved2", 64, "0"},
    {"sge0_addr", 64, "First scatter/gather entry: address"},
    {"sge0_length", 32, "First scatter/gather entry: bytes"},
    {"sge0_lkey", 32, "First scatter/gather entry: key"},
};
static_assert(total_bits(kWqe) == kBlockBytes * 8);

/// Block 0 of a send of a UD queue pair: what differs.
inline constexpr Field kUdWqe[] = {
    {"head", 96, "As above: opcode to length"},
    {"qkey", 32, "Q_Key of the destination; bit 31: the queue pair's own is sent instead"},
    {"dest_qpn", 24, "Queue pair of the destination"},
    {"reserved0", 8, "0"},
    {"ah", 16, "Address handle, of the protection domain of the queue pair"},
    {"reserved1", 16, "0"},
    {"reserved2", 192, "0"},
    {"sge0", 128, "First scatter/gather entry"},
};
static_assert(total_bits(kUdWqe) == total_bits(kWqe));

/// Completion queue entry. The owner bit is 1 in the first pass over the ring, 0 in the second,
/// and so on; it lies in the last word so that it arrives last.
inline constexpr Field kCqe[] = {
    {"wqe_index", 16, "Free-running index of the work request in its queue"},
    {"status", 8, "Status"},
    {"opcode", 8, "WcOp; when status is not Success only bit 7 is defined: 1 of the receive queue"},
    {"byte_len", 32, "Bytes received, or read, or 8 for an atomic"},
    {"imm", 32, "Immediate data as a number, when with_imm; the key, when with_inv"},
    {"reserved0", 32, "0"},
    {"qpn", 24, "Queue pair"},
    {"vendor_err", 8, "Cause within the status, see docs/queues.md"},
    {"reserved1", 64, "0"},
    {"with_imm", 1, "imm is valid"},
    {"solicited", 1, "The sender requested an event"},
    {"with_inv", 1, "imm is the key that the SEND invalidated"},
    {"reserved2", 28, "0"},
    {"owner", 1, "Pass parity"},
};
static_assert(total_bits(kCqe) == 256);

/// Completion queue entry of a receive of a UD queue pair: what differs. Its buffer begins with 40
/// bytes of GRH, which byte_len includes: an IPv6 header, or 20 zeros and an IPv4 header.
inline constexpr Field kUdCqe[] = {
    {"head", 96, "As above: wqe_index to imm"},
    {"src_qp", 24, "Queue pair of the sender"},
    {"reserved0", 8, "0"},
    {"middle", 99, "As above: qpn to with_inv"},
    {"with_grh", 1, "The buffer begins with a GRH, and src_qp is valid"},
    {"reserved1", 27, "0"},
    {"owner", 1, "Pass parity"},
};
static_assert(total_bits(kUdCqe) == total_bits(kCqe));

/// Event queue entry; owner as in the completion queue.
inline constexpr Field kEqe[] = {
    {"kind", 8, "Event"},
    {"reserved0", 24, "0"},
    {"number", 24, "Queue pair, completion queue or SRQ"},
    {"reserved1", 7, "0"},
    {"owner", 1, "Pass parity"},
    {"reserved2", 64, "0"},
};
static_assert(total_bits(kEqe) == 128);

}  // namespace roci::spec
