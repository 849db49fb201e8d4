// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
// Entries of the queues in host memory.
#pragma once

#include "model/spec/layout/field.hpp"

// clang-format off

namespace roci::layout {

inline constexpr unsigned kBlockBytes = 64;
inline constexpr unsigned kSgeBytes = 16;
inline constexpr unsigned kMaxSge = 13;
inline constexpr unsigned kMaxInline = 192;
inline constexpr unsigned kMaxStrideLog = 2;
inline constexpr uint64_t kMaxMessage = 0x80000000;

/// Work queue entry, block 0.
namespace wqe {
inline constexpr MemoryField<uint8_t, 0, 8> opcode;  ///< WrOp
inline constexpr MemoryField<bool, 8, 1> signaled;  ///< Make a completion on success too
inline constexpr MemoryField<bool, 9, 1> solicited;  ///< Solicited event at the receiver
inline constexpr MemoryField<bool, 10, 1> fence;  ///< Start after all earlier READs and atomics
/// Payload stands in blocks 1 to 3 of this entry; num_sge is 0
inline constexpr MemoryField<bool, 11, 1> inline_data;
inline constexpr MemoryField<uint8_t, 12, 4> reserved0;  ///< 0
inline constexpr MemoryField<uint8_t, 16, 8> num_sge;  ///< Entries of the scatter/gather list
inline constexpr MemoryField<uint8_t, 24, 8> reserved1;  ///< 0
/// Immediate data as a number; SendInv: key to invalidate; receive of an SRQ: 15:0 tag
inline constexpr MemoryField<uint32_t, 32, 32> imm;
/// Bytes of the message, sum over the list, at most 2^31
inline constexpr MemoryField<uint32_t, 64, 32> length;
inline constexpr MemoryField<uint32_t, 96, 32> rkey;  ///< Remote key
inline constexpr MemoryField<uint64_t, 128, 64> remote_addr;  ///< Remote virtual address
inline constexpr MemoryField<uint64_t, 192, 64> swap_add;  ///< Swap or add operand
inline constexpr MemoryField<uint64_t, 256, 64> compare;  ///< Compare operand
inline constexpr MemoryField<uint64_t, 320, 64> reserved2;  ///< 0
inline constexpr MemoryField<uint64_t, 384, 64> sge0_addr;  ///< First scatter/gather entry: address
inline constexpr MemoryField<uint32_t, 448, 32> sge0_length;  ///< First scatter/gather entry: bytes
inline constexpr MemoryField<uint32_t, 480, 32> sge0_lkey;  ///< First scatter/gather entry: key
inline constexpr unsigned kBits = 512, kBytes = 64;
}  // namespace wqe

/// Work queue entry, block 0, of a send of a UD queue pair.
namespace ud_wqe {
inline constexpr MemoryField<void, 0, 96> head;  ///< As above: opcode to length
/// Q_Key of the destination; bit 31: the queue pair's own is sent instead
inline constexpr MemoryField<uint32_t, 96, 32> qkey;
inline constexpr MemoryField<uint32_t, 128, 24> dest_qpn;  ///< Queue pair of the destination
inline constexpr MemoryField<uint8_t, 152, 8> reserved0;  ///< 0
/// Address handle, of the protection domain of the queue pair
inline constexpr MemoryField<uint16_t, 160, 16> ah;
inline constexpr MemoryField<uint16_t, 176, 16> reserved1;  ///< 0
inline constexpr MemoryField<void, 192, 192> reserved2;  ///< 0
inline constexpr MemoryField<void, 384, 128> sge0;  ///< First scatter/gather entry
inline constexpr unsigned kBits = 512, kBytes = 64;
}  // namespace ud_wqe

/// Scatter/gather entry.
namespace sge {
/// Virtual address of the region named by the key
inline constexpr MemoryField<uint64_t, 0, 64> addr;
inline constexpr MemoryField<uint32_t, 64, 32> length;  ///< Bytes; 0 is an empty entry
inline constexpr MemoryField<uint32_t, 96, 32> lkey;  ///< Local key
inline constexpr unsigned kBits = 128, kBytes = 16;
}  // namespace sge

/// Completion queue entry.
namespace cqe {
/// Free-running index of the work request in its queue
inline constexpr MemoryField<uint16_t, 0, 16> wqe_index;
inline constexpr MemoryField<uint8_t, 16, 8> status;  ///< Status
/// WcOp; when status is not Success only bit 7 is defined: 1 of the receive queue
inline constexpr MemoryField<uint8_t, 24, 8> opcode;
/// Bytes received, or read, or 8 for an atomic
inline constexpr MemoryField<uint32_t, 32, 32> byte_len;
/// Immediate data as a number, when with_imm; the key, when with_inv
inline constexpr MemoryField<uint32_t, 64, 32> imm;
inline constexpr MemoryField<uint32_t, 96, 32> reserved0;  ///< 0
inline constexpr MemoryField<uint32_t, 128, 24> qpn;  ///< Queue pair
/// Cause within the status, see docs/queues.md
inline constexpr MemoryField<uint8_t, 152, 8> vendor_err;
inline constexpr MemoryField<uint64_t, 160, 64> reserved1;  ///< 0
inline constexpr MemoryField<bool, 224, 1> with_imm;  ///< imm is valid
inline constexpr MemoryField<bool, 225, 1> solicited;  ///< The sender requested an event
inline constexpr MemoryField<bool, 226, 1> with_inv;  ///< imm is the key that the SEND invalidated
inline constexpr MemoryField<uint32_t, 227, 28> reserved2;  ///< 0
inline constexpr MemoryField<bool, 255, 1> owner;  ///< Pass parity
inline constexpr unsigned kBits = 256, kBytes = 32;
}  // namespace cqe

/// Completion queue entry of a receive of a UD queue pair.
namespace ud_cqe {
inline constexpr MemoryField<void, 0, 96> head;  ///< As above: wqe_index to imm
inline constexpr MemoryField<uint32_t, 96, 24> src_qp;  ///< Queue pair of the sender
inline constexpr MemoryField<uint8_t, 120, 8> reserved0;  ///< 0
inline constexpr MemoryField<void, 128, 99> middle;  ///< As above: qpn to with_inv
/// The buffer begins with a GRH, and src_qp is valid
inline constexpr MemoryField<bool, 227, 1> with_grh;
inline constexpr MemoryField<uint32_t, 228, 27> reserved1;  ///< 0
inline constexpr MemoryField<bool, 255, 1> owner;  ///< Pass parity
inline constexpr unsigned kBits = 256, kBytes = 32;
}  // namespace ud_cqe

/// Event queue entry.
namespace eqe {
inline constexpr MemoryField<uint8_t, 0, 8> kind;  ///< Event
inline constexpr MemoryField<uint32_t, 8, 24> reserved0;  ///< 0
inline constexpr MemoryField<uint32_t, 32, 24> number;  ///< Queue pair, completion queue or SRQ
inline constexpr MemoryField<uint8_t, 56, 7> reserved1;  ///< 0
inline constexpr MemoryField<bool, 63, 1> owner;  ///< Pass parity
inline constexpr MemoryField<uint64_t, 64, 64> reserved2;  ///< 0
inline constexpr unsigned kBits = 128, kBytes = 16;
}  // namespace eqe

}  // namespace roci::layout
