// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
// Records that travel between blocks of the RTL.
#pragma once

#include "model/spec/layout/field.hpp"

// clang-format off

namespace roci::layout {

namespace tx_desc {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Own queue pair; selects the address vector
inline constexpr MemoryField<uint8_t, 24, 8> opcode;  ///< BTH opcode
inline constexpr MemoryField<uint32_t, 32, 24> psn;  ///< Packet sequence number
inline constexpr MemoryField<bool, 56, 1> solicited;  ///< SE bit
inline constexpr MemoryField<bool, 57, 1> ack_req;  ///< AckReq bit
inline constexpr MemoryField<uint8_t, 58, 5> ext_len;  ///< Bytes of extension headers, 0 to 28
inline constexpr MemoryField<uint16_t, 63, 13> payload_len;  ///< Bytes of payload, 0 to 4096
inline constexpr MemoryField<void, 76, 224> ext;  ///< Extension headers, left-aligned
inline constexpr unsigned kBits = 300, kBytes = 38;
}  // namespace tx_desc

namespace row_write {
inline constexpr MemoryField<void, 0, 512> data;  ///< Row
inline constexpr MemoryField<uint32_t, 512, 24> index;  ///< Its number
inline constexpr MemoryField<uint8_t, 536, 4> table_id;  ///< Table
inline constexpr unsigned kBits = 540, kBytes = 68;
}  // namespace row_write

namespace block_read_req {
/// DMA address of the first block, a multiple of 64
inline constexpr MemoryField<uint64_t, 0, 64> addr;
inline constexpr MemoryField<uint32_t, 64, 20> pasid;  ///< Address space
inline constexpr MemoryField<uint8_t, 84, 5> count;  ///< Blocks, 1 to 16, within a page of 4 KiB
inline constexpr unsigned kBits = 89, kBytes = 12;
}  // namespace block_read_req

namespace block_read_rsp {
inline constexpr MemoryField<void, 0, 512> data;  ///< Block
inline constexpr MemoryField<bool, 512, 1> error;  ///< The read failed
inline constexpr unsigned kBits = 513, kBytes = 65;
}  // namespace block_read_rsp

namespace block_write_req {
inline constexpr MemoryField<void, 0, 512> data;  ///< Bytes, the first one lowest
inline constexpr MemoryField<uint64_t, 512, 64> addr;  ///< DMA address of the first byte
inline constexpr MemoryField<uint32_t, 576, 20> pasid;  ///< Address space
inline constexpr MemoryField<uint8_t, 596, 7> bytes;  ///< Number of bytes, 1 to 64
inline constexpr unsigned kBits = 603, kBytes = 76;
}  // namespace block_write_req

namespace block_write_rsp {
inline constexpr MemoryField<bool, 0, 1> error;  ///< The write failed
inline constexpr unsigned kBits = 1, kBytes = 1;
}  // namespace block_write_rsp

namespace sent {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Own queue pair
inline constexpr MemoryField<uint32_t, 24, 24> psn;  ///< Packet
/// Its ICRC is inverted: its payload could not be read
inline constexpr MemoryField<bool, 48, 1> error;
inline constexpr unsigned kBits = 49, kBytes = 7;
}  // namespace sent

namespace frame_stat {
inline constexpr MemoryField<uint16_t, 0, 14> bytes;  ///< Bytes of the frame, without FCS
inline constexpr MemoryField<bool, 14, 1> ended;  ///< A frame ended
inline constexpr unsigned kBits = 15, kBytes = 2;
}  // namespace frame_stat

namespace seg {
/// DMA address of the first byte; fetched: its place in the kept blocks
inline constexpr MemoryField<uint64_t, 0, 64> addr;
inline constexpr MemoryField<uint32_t, 64, 20> pasid;  ///< Address space
/// Bytes, 1 to 4096, of a datagram with its GRH up to 4136
inline constexpr MemoryField<uint16_t, 84, 13> len;
inline constexpr MemoryField<bool, 97, 1> last;  ///< Last segment of the packet
/// Scatter only: skip these bytes, touch no memory
inline constexpr MemoryField<bool, 98, 1> drop;
/// Payload reads only: the bytes came with a fetched work request
inline constexpr MemoryField<bool, 99, 1> fetched;
inline constexpr unsigned kBits = 100, kBytes = 13;
}  // namespace seg

namespace rx_frame {
inline constexpr MemoryField<bool, 0, 1> roce;  ///< RoCE; else everything below is undefined
inline constexpr MemoryField<bool, 1, 1> looped;  ///< Sent by this adapter to a multicast group
inline constexpr MemoryField<uint8_t, 2, 4> cause;  ///< DropCause when `bad`
inline constexpr MemoryField<bool, 6, 1> bad;  ///< RoCE, but to be dropped for `cause`
/// Destination, an IPv4 address in the low 32 bits
inline constexpr MemoryField<void, 7, 128> dst_ip;
inline constexpr MemoryField<void, 135, 128> src_ip;  ///< Source
/// First 12 bytes of the IP header or GRH, the first byte on top
inline constexpr MemoryField<void, 263, 96> ip_head;
inline constexpr MemoryField<bool, 359, 1> ipv6;  ///< Over IPv6, or RoCE v1
/// RoCE v1; the addresses are those of the GRH
inline constexpr MemoryField<bool, 360, 1> roce_v1;
inline constexpr MemoryField<bool, 361, 1> vlan;  ///< Tagged
inline constexpr MemoryField<uint16_t, 362, 12> vid;  ///< VLAN identifier
inline constexpr MemoryField<uint8_t, 374, 2> ecn;  ///< ECN bits
inline constexpr MemoryField<uint16_t, 376, 16> pkey;  ///< Partition key
inline constexpr MemoryField<uint32_t, 392, 24> qpn;  ///< BTH DestQP
inline constexpr MemoryField<uint8_t, 416, 8> opcode;  ///< BTH opcode
inline constexpr MemoryField<uint32_t, 424, 24> psn;  ///< Packet sequence number
inline constexpr MemoryField<bool, 448, 1> solicited;  ///< SE bit
inline constexpr MemoryField<bool, 449, 1> ack_req;  ///< AckReq bit
/// First payload byte, counted from the start of the frame
inline constexpr MemoryField<uint8_t, 450, 8> payload_offset;
inline constexpr MemoryField<uint16_t, 458, 13> payload_len;  ///< Bytes of payload without pad
inline constexpr MemoryField<void, 471, 224> ext;  ///< Extension headers, left-aligned
inline constexpr unsigned kBits = 695, kBytes = 87;
}  // namespace rx_frame

namespace rx_meta {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Own queue pair
inline constexpr MemoryField<bool, 24, 1> uc;  ///< The service is unreliable: UC or UD
/// A datagram: its payload begins with the 40 bytes of the GRH
inline constexpr MemoryField<bool, 25, 1> ud;
/// BTH opcode, with UC and UD that of the same operation of RC
inline constexpr MemoryField<uint8_t, 26, 8> opcode;
inline constexpr MemoryField<uint32_t, 34, 24> psn;  ///< Packet sequence number
inline constexpr MemoryField<bool, 58, 1> solicited;  ///< SE bit
inline constexpr MemoryField<bool, 59, 1> ack_req;  ///< AckReq bit
/// Bytes of payload without pad, of a datagram with its GRH
inline constexpr MemoryField<uint16_t, 60, 13> payload_len;
/// Packets with payload so far, this one included
inline constexpr MemoryField<uint16_t, 73, 16> ticket;
inline constexpr MemoryField<void, 89, 224> ext;  ///< Extension headers, left-aligned
inline constexpr unsigned kBits = 313, kBytes = 40;
}  // namespace rx_meta

namespace grh {
/// Destination, an IPv4 address in the low 32 bits
inline constexpr MemoryField<void, 0, 128> dst_ip;
inline constexpr MemoryField<void, 128, 128> src_ip;  ///< Source
/// First 12 bytes of the IP header or GRH, the first byte on top
inline constexpr MemoryField<void, 256, 96> ip_head;
inline constexpr MemoryField<bool, 352, 1> ipv6;  ///< Over IPv6, or RoCE v1
/// First payload byte, counted from the start of the frame
inline constexpr MemoryField<uint8_t, 353, 8> offset;
inline constexpr MemoryField<bool, 361, 1> empty;  ///< There is no payload
inline constexpr unsigned kBits = 362, kBytes = 46;
}  // namespace grh

namespace pay_hdr {
inline constexpr MemoryField<uint32_t, 0, 24> psn;  ///< Packet
inline constexpr MemoryField<uint32_t, 24, 24> qpn;  ///< Own queue pair
/// Bytes, 1 to 4096, of a datagram with its GRH up to 4136
inline constexpr MemoryField<uint16_t, 48, 13> len;
/// Byte of the first beat where payload starts
inline constexpr MemoryField<uint8_t, 61, 6> offset;
inline constexpr MemoryField<bool, 67, 1> src;  ///< 0 request, 1 response
inline constexpr unsigned kBits = 68, kBytes = 9;
}  // namespace pay_hdr

namespace ext_reth {
inline constexpr MemoryField<uint64_t, 0, 64> rest;  ///< 0
inline constexpr MemoryField<uint32_t, 64, 32> immediate;  ///< Immediate data of a WRITE ONLY
/// Length of the whole message in bytes
inline constexpr MemoryField<uint32_t, 96, 32> dma_length;
inline constexpr MemoryField<uint32_t, 128, 32> rkey;  ///< Remote key
inline constexpr MemoryField<uint64_t, 160, 64> va;  ///< Remote virtual address
inline constexpr unsigned kBits = 224, kBytes = 28;
}  // namespace ext_reth

namespace ext_aeth {
inline constexpr MemoryField<void, 0, 128> rest;  ///< 0
/// Atomic response: content of memory before the operation
inline constexpr MemoryField<uint64_t, 128, 64> original;
inline constexpr MemoryField<uint32_t, 192, 24> msn;  ///< Message sequence number
/// Lower bits of the syndrome: credits, timer code or NAK code
inline constexpr MemoryField<uint8_t, 216, 5> code;
/// Upper bits of the syndrome: AethAck, AethRnr, AethNak
inline constexpr MemoryField<uint8_t, 221, 3> kind;
inline constexpr unsigned kBits = 224, kBytes = 28;
}  // namespace ext_aeth

namespace ext_imm_dt {
inline constexpr MemoryField<void, 0, 192> rest;  ///< 0
/// Immediate data, or the key to invalidate
inline constexpr MemoryField<uint32_t, 192, 32> immediate;
inline constexpr unsigned kBits = 224, kBytes = 28;
}  // namespace ext_imm_dt

namespace ext_deth {
/// To send: queue pair of the destination; not sent as part of `ext`
inline constexpr MemoryField<uint32_t, 0, 24> dest_qpn;
inline constexpr MemoryField<uint16_t, 24, 16> ah;  ///< To send: address handle; not sent
inline constexpr MemoryField<void, 40, 88> rest;  ///< 0
inline constexpr MemoryField<uint32_t, 128, 32> immediate;  ///< Immediate data
inline constexpr MemoryField<uint32_t, 160, 24> src_qp;  ///< Queue pair of the sender
inline constexpr MemoryField<uint8_t, 184, 8> reserved;  ///< 0
inline constexpr MemoryField<uint32_t, 192, 32> qkey;  ///< Queue key
inline constexpr unsigned kBits = 224, kBytes = 28;
}  // namespace ext_deth

namespace ext_datagram {
inline constexpr MemoryField<void, 0, 160> rest;  ///< Not used
inline constexpr MemoryField<uint32_t, 160, 24> src_qp;  ///< Queue pair of the sender
inline constexpr MemoryField<uint8_t, 184, 8> reserved;  ///< Not used
inline constexpr MemoryField<uint32_t, 192, 32> immediate;  ///< Immediate data
inline constexpr unsigned kBits = 224, kBytes = 28;
}  // namespace ext_datagram

namespace plan {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
/// Generation of the fetch; plans of a former one are dropped
inline constexpr MemoryField<uint8_t, 24, 4> epoch;
/// Free-running index of the work request
inline constexpr MemoryField<uint16_t, 28, 16> wqe_index;
inline constexpr MemoryField<uint8_t, 44, 8> opcode;  ///< WrOp
inline constexpr MemoryField<bool, 52, 1> first;  ///< First packet of the message
inline constexpr MemoryField<bool, 53, 1> last;  ///< Last packet of the message
inline constexpr MemoryField<bool, 54, 1> signaled;  ///< From the WQE
inline constexpr MemoryField<bool, 55, 1> solicited;  ///< From the WQE
inline constexpr MemoryField<bool, 56, 1> fence;  ///< From the WQE
/// Segments of payload wait in the segment stream
inline constexpr MemoryField<bool, 57, 1> has_segs;
/// Status; not Success: this packet must not be sent
inline constexpr MemoryField<uint8_t, 58, 8> status;
inline constexpr MemoryField<uint32_t, 66, 32> offset;  ///< Bytes of the message before this packet
/// Payload bytes of this packet; for READ, bytes still to read
inline constexpr MemoryField<uint32_t, 98, 32> len;
inline constexpr MemoryField<uint32_t, 130, 32> msg_len;  ///< Bytes of the message
inline constexpr MemoryField<uint64_t, 162, 64> remote_addr;  ///< From the WQE
inline constexpr MemoryField<uint32_t, 226, 32> rkey;  ///< From the WQE
inline constexpr MemoryField<uint32_t, 258, 32> imm;  ///< From the WQE
inline constexpr MemoryField<uint64_t, 290, 64> swap_add;  ///< From the WQE
inline constexpr MemoryField<uint64_t, 354, 64> compare;  ///< From the WQE
inline constexpr MemoryField<uint8_t, 418, 8> num_sge;  ///< From the WQE
inline constexpr MemoryField<uint64_t, 426, 64> sge0_addr;  ///< From the WQE
inline constexpr MemoryField<uint32_t, 490, 32> sge0_length;  ///< From the WQE
inline constexpr MemoryField<uint32_t, 522, 32> sge0_lkey;  ///< From the WQE
inline constexpr unsigned kBits = 554, kBytes = 70;
}  // namespace plan

namespace grant {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 4> epoch;  ///< Generation of the fetch
inline constexpr MemoryField<uint16_t, 28, 16> wqe_index;  ///< First work request
/// Work requests, 1 to 32, contiguous in the ring
inline constexpr MemoryField<uint8_t, 44, 6> count;
inline constexpr MemoryField<uint32_t, 50, 32> offset;  ///< Bytes of the first one to skip
inline constexpr unsigned kBits = 82, kBytes = 11;
}  // namespace grant

namespace segment_job {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 4> epoch;  ///< From the grant
inline constexpr MemoryField<uint16_t, 28, 16> wqe_index;  ///< First work request
inline constexpr MemoryField<bool, 44, 1> kept;  ///< The first one was kept and is not fetched
inline constexpr MemoryField<uint8_t, 45, 6> count;  ///< Work requests, the kept one included
inline constexpr MemoryField<uint32_t, 51, 32> offset;  ///< Bytes of the first one to skip
inline constexpr MemoryField<uint16_t, 83, 16> pd;  ///< Protection domain
inline constexpr MemoryField<uint8_t, 99, 3> pmtu;  ///< Path MTU code
inline constexpr MemoryField<uint8_t, 102, 2> stride_log;  ///< log2 of blocks in an entry
inline constexpr unsigned kBits = 104, kBytes = 13;
}  // namespace segment_job

namespace fetch_ptr {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 4> epoch;  ///< Generation of the fetch
inline constexpr MemoryField<uint16_t, 28, 16> wqe_index;  ///< Next work request
inline constexpr MemoryField<uint32_t, 44, 32> offset;  ///< Bytes of it to skip
inline constexpr MemoryField<bool, 76, 1> ready;  ///< The queue pair may be granted
/// The next grant has 32 work requests at most, or half as many so many times
inline constexpr MemoryField<uint8_t, 77, 2> less;
inline constexpr unsigned kBits = 79, kBytes = 10;
}  // namespace fetch_ptr

namespace sq_control {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
/// 1: complete all up to `index` with a flush, 0: begin a generation
inline constexpr MemoryField<bool, 24, 1> flush;
/// With flush 0: RTS after SQE, indices and PSNs go on
inline constexpr MemoryField<bool, 25, 1> resume;
/// The queue pair was in RESET since the last record: indices are at 0
inline constexpr MemoryField<bool, 26, 1> clear;
inline constexpr MemoryField<uint16_t, 27, 16> index;  ///< Producer index
inline constexpr unsigned kBits = 43, kBytes = 6;
}  // namespace sq_control

namespace post_word {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 5> place;  ///< Word of the work request
inline constexpr MemoryField<uint32_t, 29, 32> data;  ///< Its bytes
inline constexpr unsigned kBits = 61, kBytes = 8;
}  // namespace post_word

namespace doorbell {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint16_t, 24, 16> index;  ///< Free-running producer index
inline constexpr unsigned kBits = 40, kBytes = 5;
}  // namespace doorbell

namespace key_req {
inline constexpr MemoryField<uint32_t, 0, 32> key;  ///< Key
inline constexpr MemoryField<uint64_t, 32, 64> va;  ///< First address
inline constexpr MemoryField<uint32_t, 96, 32> len;  ///< Bytes, not 0
inline constexpr MemoryField<uint16_t, 128, 16> pd;  ///< Protection domain that must own the region
inline constexpr MemoryField<uint8_t, 144, 4> access;  ///< Rights that are all required
/// Queue pair, when a remote right is requested
inline constexpr MemoryField<uint32_t, 148, 24> qpn;
inline constexpr unsigned kBits = 172, kBytes = 22;
}  // namespace key_req

namespace key_rsp {
inline constexpr MemoryField<bool, 0, 1> ok;  ///< Access is allowed
inline constexpr MemoryField<uint64_t, 1, 64> addr;  ///< DMA address of the first byte
inline constexpr MemoryField<uint32_t, 65, 20> pasid;  ///< Address space
inline constexpr unsigned kBits = 85, kBytes = 11;
}  // namespace key_rsp

namespace key_op_req {
inline constexpr MemoryField<uint8_t, 0, 2> op;  ///< KeyOp
/// Row and variant: for Invalidate the present variant, else the new one
inline constexpr MemoryField<uint32_t, 2, 32> key;
inline constexpr MemoryField<uint32_t, 34, 24> qpn;  ///< Queue pair of the work request or SEND
inline constexpr MemoryField<uint16_t, 58, 16> pd;  ///< Its protection domain
inline constexpr MemoryField<uint32_t, 74, 32> region;  ///< Bind: local key of the region
inline constexpr MemoryField<uint64_t, 106, 64> va;  ///< Bind, Register: first address
inline constexpr MemoryField<uint64_t, 170, 64> length;  ///< Bind, Register: bytes; 0 unbinds
inline constexpr MemoryField<uint8_t, 234, 6> access;  ///< Bind, Register: bits as Access
inline constexpr MemoryField<uint64_t, 240, 64> addr;  ///< Register: first address as DMA sees it
inline constexpr unsigned kBits = 304, kBytes = 38;
}  // namespace key_op_req

namespace key_op_rsp {
inline constexpr MemoryField<bool, 0, 1> ok;  ///< Done; 0: nothing changed
inline constexpr unsigned kBits = 1, kBytes = 1;
}  // namespace key_op_rsp

namespace cqe_req {
inline constexpr MemoryField<uint16_t, 0, 16> cqn;  ///< Completion queue
inline constexpr MemoryField<uint32_t, 16, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint16_t, 40, 16> wqe_index;  ///< Work request
inline constexpr MemoryField<uint8_t, 56, 8> status;  ///< Status
inline constexpr MemoryField<uint8_t, 64, 8> opcode;  ///< WcOp
inline constexpr MemoryField<uint32_t, 72, 32> byte_len;  ///< Bytes
inline constexpr MemoryField<uint32_t, 104, 32> imm;  ///< Immediate
inline constexpr MemoryField<bool, 136, 1> with_imm;  ///< imm is valid
inline constexpr MemoryField<bool, 137, 1> with_inv;  ///< imm is the key invalidated
inline constexpr MemoryField<bool, 138, 1> solicited;  ///< Raises a solicited event
/// The buffer begins with a GRH, and src_qp is valid
inline constexpr MemoryField<bool, 139, 1> with_grh;
inline constexpr MemoryField<uint32_t, 140, 24> src_qp;  ///< Queue pair of the sender of a datagram
inline constexpr MemoryField<uint8_t, 164, 8> vendor_err;  ///< Cause
inline constexpr MemoryField<bool, 172, 1> wait_data;  ///< Wait for `ticket`
inline constexpr MemoryField<uint16_t, 173, 16> ticket;  ///< Payload packets that must be in memory
inline constexpr MemoryField<bool, 189, 1> wait_store;  ///< Wait for `store_ticket`
/// Atomic-unit stores that must be in memory
inline constexpr MemoryField<uint8_t, 190, 8> store_ticket;
inline constexpr unsigned kBits = 198, kBytes = 25;
}  // namespace cqe_req

namespace event_req {
inline constexpr MemoryField<uint8_t, 0, 8> kind;  ///< Event
inline constexpr MemoryField<uint32_t, 8, 24> number;  ///< Queue pair, completion queue or SRQ
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace event_req

namespace fault {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Own queue pair
inline constexpr MemoryField<uint32_t, 24, 24> psn;  ///< Packet
/// 1: a response to a request of this side; 0: a request, or the response to it
inline constexpr MemoryField<bool, 48, 1> response;
inline constexpr unsigned kBits = 49, kBytes = 7;
}  // namespace fault

namespace atomic_job {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 2> op;  ///< AtomicOp
inline constexpr MemoryField<uint8_t, 26, 4> slot;  ///< Replay slot, returned with the result
/// DMA address, a multiple of 8 except for a store
inline constexpr MemoryField<uint64_t, 30, 64> addr;
inline constexpr MemoryField<uint32_t, 94, 20> pasid;  ///< Address space
inline constexpr MemoryField<uint64_t, 114, 64> operand;  ///< Value to store, swap or add
inline constexpr MemoryField<uint64_t, 178, 64> compare;  ///< Value to compare
/// Payload packets that must be in memory first
inline constexpr MemoryField<uint16_t, 242, 16> ticket;
inline constexpr unsigned kBits = 258, kBytes = 33;
}  // namespace atomic_job

namespace atomic_done {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 4> slot;  ///< Replay slot
inline constexpr MemoryField<uint64_t, 28, 64> original;  ///< Content before the operation
inline constexpr MemoryField<bool, 92, 1> error;  ///< Memory could not be read, or not be written
inline constexpr unsigned kBits = 93, kBytes = 12;
}  // namespace atomic_done

namespace sched_qp {
/// Producer index of the last good doorbell
inline constexpr MemoryField<uint16_t, 0, 16> produced;
inline constexpr MemoryField<uint16_t, 16, 16> fetched;  ///< Next work request to fetch
inline constexpr MemoryField<uint16_t, 32, 16> begun;  ///< First work request never segmented
inline constexpr MemoryField<uint32_t, 48, 32> offset;  ///< Bytes of the next one to skip
inline constexpr MemoryField<uint8_t, 80, 4> epoch;  ///< Generation of the fetch
inline constexpr MemoryField<uint8_t, 84, 3> state;  ///< QpState
inline constexpr MemoryField<bool, 87, 1> granted;  ///< A grant is outstanding
inline constexpr MemoryField<bool, 88, 1> ready;  ///< The requester accepts plans of it
inline constexpr MemoryField<bool, 89, 1> queued;  ///< It stands in the ready queue
inline constexpr MemoryField<bool, 90, 1> clear;  ///< It was in RESET since the last control record
/// The requester has not begun this generation, its index does not count
inline constexpr MemoryField<bool, 91, 1> fresh;
/// The next grant has 32 work requests at most, or half as many so many times
inline constexpr MemoryField<uint8_t, 92, 2> less;
inline constexpr unsigned kBits = 94, kBytes = 12;
}  // namespace sched_qp

namespace requester_qp {
inline constexpr MemoryField<uint32_t, 0, 24> psn_next;  ///< Next PSN to send
inline constexpr MemoryField<uint32_t, 24, 24> una;  ///< Oldest PSN not acknowledged
/// After the newest PSN ever sent: `psn_next`, or beyond it during a retransmission
inline constexpr MemoryField<uint32_t, 48, 24> psn_max;
inline constexpr MemoryField<uint16_t, 72, 16> done;  ///< Oldest work request not completed
inline constexpr MemoryField<uint16_t, 88, 16> begun;  ///< First work request never seen
/// Messages completed: SSN of the oldest in flight, less one
inline constexpr MemoryField<uint32_t, 104, 24> messages;
inline constexpr MemoryField<uint8_t, 128, 7> head;  ///< Ring: oldest message in flight
inline constexpr MemoryField<uint8_t, 135, 8> count;  ///< Ring: messages in flight
inline constexpr MemoryField<uint8_t, 143, 8> count_max;  ///< Ring: messages up to `psn_max`
/// Slot of the oldest READ or atomic in flight
inline constexpr MemoryField<uint8_t, 151, 4> rd_head;
inline constexpr MemoryField<uint8_t, 155, 5> rd_count;  ///< READs and atomics in flight
inline constexpr MemoryField<uint8_t, 160, 4> epoch;  ///< Generation of the fetch
inline constexpr MemoryField<uint8_t, 164, 3> retry_left;  ///< Retries left
inline constexpr MemoryField<uint8_t, 167, 3> rnr_left;  ///< RNR retries left
inline constexpr MemoryField<bool, 170, 1> blocked;  ///< Waits for room; resumes at `resume_*`
/// Blocked until no READ or atomic is in flight
inline constexpr MemoryField<bool, 171, 1> fence_wait;
inline constexpr MemoryField<bool, 172, 1> drain_wait;  ///< Blocked until nothing is in flight
/// Blocked until credits come, or nothing is in flight
inline constexpr MemoryField<bool, 173, 1> credit_wait;
inline constexpr MemoryField<bool, 174, 1> rnr_wait;  ///< Waits for the RNR timer
/// An error entry ends the ring: no more plans
inline constexpr MemoryField<bool, 175, 1> stopped;
inline constexpr MemoryField<bool, 176, 1> failed;  ///< Until the next generation
/// Payload of `bad_psn` could not be read: its message ends in an error
inline constexpr MemoryField<bool, 177, 1> bad;
/// First such packet since the last return to an earlier PSN
inline constexpr MemoryField<uint32_t, 178, 24> bad_psn;
/// The READ at the head was requested anew from `una`
inline constexpr MemoryField<bool, 202, 1> restart;
/// Returned for a skipped READ, no progress since
inline constexpr MemoryField<bool, 203, 1> implied;
/// Returned for a sequence NAK, no progress since
inline constexpr MemoryField<bool, 204, 1> naked;
inline constexpr MemoryField<bool, 205, 1> owe_data;  ///< Unsignaled READ since the last completion
inline constexpr MemoryField<bool, 206, 1> owe_store;  ///< Unsignaled atomic likewise
/// The timer was left running with nothing in flight
inline constexpr MemoryField<bool, 207, 1> unstopped;
inline constexpr MemoryField<bool, 208, 1> limited;  ///< The peer counts credits
/// SSN of the last message it has a receive for
inline constexpr MemoryField<uint32_t, 209, 24> limit;
inline constexpr MemoryField<uint16_t, 233, 16> resume_index;  ///< Work request to resume with
inline constexpr MemoryField<uint32_t, 249, 32> resume_offset;  ///< Bytes of it to skip
inline constexpr unsigned kBits = 281, kBytes = 36;
}  // namespace requester_qp

namespace requester_entry {
inline constexpr MemoryField<uint32_t, 0, 24> first;  ///< First PSN
inline constexpr MemoryField<uint32_t, 24, 24> last;  ///< Last PSN
inline constexpr MemoryField<uint8_t, 48, 2> kind;  ///< MessageKind
inline constexpr MemoryField<uint8_t, 50, 3> opcode;  ///< WrOp
inline constexpr MemoryField<bool, 53, 1> signaled;  ///< From the WQE
inline constexpr MemoryField<uint32_t, 54, 32> msg_len;  ///< Bytes
inline constexpr MemoryField<uint8_t, 86, 8> status;  ///< Error: Status
inline constexpr MemoryField<uint8_t, 94, 8> vendor;  ///< Error: VendorErr
inline constexpr unsigned kBits = 102, kBytes = 13;
}  // namespace requester_entry

namespace requester_run {
inline constexpr MemoryField<uint8_t, 0, 3> ask;  ///< What to do for the response: ResponseAsk
inline constexpr MemoryField<uint32_t, 3, 24> upto;  ///< PSNs before this one are acknowledged
inline constexpr MemoryField<bool, 27, 1> progress;  ///< Something was acknowledged
inline constexpr MemoryField<bool, 28, 1> placed;  ///< The memory for the payload is known
inline constexpr MemoryField<bool, 29, 1> counted;  ///< The return to an earlier PSN costs a retry
inline constexpr MemoryField<bool, 30, 1> rnr;  ///< The return to an earlier PSN is for an RNR NAK
/// A fatal NAK of a packet sent before the last return to an earlier PSN
inline constexpr MemoryField<bool, 31, 1> late;
inline constexpr MemoryField<bool, 32, 1> live;  ///< The queue pair is alive and has not failed
inline constexpr MemoryField<bool, 33, 1> in_window;  ///< The PSN of the event is in flight
inline constexpr MemoryField<bool, 34, 1> credit;  ///< The credits of the response count
inline constexpr MemoryField<bool, 35, 1> arrived;  ///< The response is to be counted
/// What the step depends on was compared a clock before
inline constexpr MemoryField<bool, 36, 1> compared;
/// For the completion, should the work request fail
inline constexpr MemoryField<uint8_t, 37, 8> status;
/// For the completion, should the work request fail
inline constexpr MemoryField<uint8_t, 45, 8> vendor;
inline constexpr MemoryField<uint8_t, 53, 5> flushed;  ///< Work requests flushed
/// First or only response of a READ, by its opcode
inline constexpr MemoryField<bool, 58, 1> begins;
inline constexpr unsigned kBits = 59, kBytes = 8;
}  // namespace requester_run

namespace requester_look {
inline constexpr MemoryField<uint32_t, 0, 24> flight;  ///< Packets in flight
/// Packets sent before a return to an earlier PSN, not retransmitted yet
inline constexpr MemoryField<uint32_t, 24, 24> ahead;
inline constexpr MemoryField<bool, 48, 1> some;  ///< Packets are in flight
/// All that were ever sent are, or are acknowledged
inline constexpr MemoryField<bool, 49, 1> all;
inline constexpr MemoryField<bool, 50, 1> over;  ///< Its message is beyond the credits of the peer
inline constexpr MemoryField<bool, 51, 1> old;  ///< The plan is of before a recovery or an error
inline constexpr MemoryField<bool, 52, 1> fresh;  ///< Its work request was never seen
inline constexpr MemoryField<bool, 53, 1> bad;  ///< It cannot be sent
inline constexpr MemoryField<bool, 54, 1> not_there;  ///< UC and UD have no such operation
inline constexpr MemoryField<bool, 55, 1> alone;  ///< Its message is the only one in the ring
inline constexpr MemoryField<bool, 56, 1> ring;  ///< It waits for room in the ring
inline constexpr MemoryField<bool, 57, 1> fence;  ///< It waits for READs before a fence
/// It waits for all that is before a local operation
inline constexpr MemoryField<bool, 58, 1> drain;
/// It waits for one of these two, or for the depth of READs
inline constexpr MemoryField<bool, 59, 1> full;
inline constexpr MemoryField<bool, 60, 1> window;  ///< It waits for the window
/// The window has room for those that may follow it, too
inline constexpr MemoryField<bool, 61, 1> roomy;
/// It is one that others may follow, if it is sent
inline constexpr MemoryField<bool, 62, 1> plain;
inline constexpr unsigned kBits = 63, kBytes = 8;
}  // namespace requester_look

namespace requester_step {
inline constexpr MemoryField<uint8_t, 0, 4> state;  ///< Next step: RequesterState
inline constexpr MemoryField<bool, 4, 1> finish;  ///< The event ends
inline constexpr MemoryField<bool, 5, 1> retire;  ///< The oldest message leaves the ring
inline constexpr MemoryField<bool, 6, 1> next_entry;  ///< Read the ring's next entry
inline constexpr MemoryField<bool, 7, 1> enter;  ///< Write an entry of the ring
inline constexpr MemoryField<bool, 8, 1> enter_last;  ///< The entry replaces the newest
inline constexpr MemoryField<bool, 9, 1> slot;  ///< Write a slot
inline constexpr MemoryField<bool, 10, 1> cqe;  ///< Completion
inline constexpr MemoryField<uint8_t, 11, 8> cqe_status;  ///< Its status
inline constexpr MemoryField<uint8_t, 19, 8> cqe_vendor;  ///< Its vendor_err
inline constexpr MemoryField<bool, 27, 1> fail;  ///< Queue pair fails
inline constexpr MemoryField<bool, 28, 1> desc;  ///< Packet
inline constexpr MemoryField<bool, 29, 1> verdict;  ///< The plan had segments
inline constexpr MemoryField<bool, 30, 1> kill;  ///< Drop the waiting packets
/// Give the scheduler the pointer at which to resume
inline constexpr MemoryField<bool, 31, 1> ptr;
inline constexpr MemoryField<bool, 32, 1> ptr_go;  ///< It may grant
inline constexpr MemoryField<bool, 33, 1> count;  ///< Count
inline constexpr MemoryField<uint8_t, 34, 3> counter;  ///< QpCounter
inline constexpr MemoryField<bool, 37, 1> data;  ///< Count the payload of the response too
inline constexpr MemoryField<bool, 38, 1> timer;  ///< Command to the timer
inline constexpr MemoryField<uint8_t, 39, 2> timer_op;  ///< TimerOp
inline constexpr MemoryField<uint8_t, 41, 5> timer_code;  ///< Its code
inline constexpr MemoryField<bool, 46, 1> job;  ///< Store the result of an atomic
inline constexpr MemoryField<bool, 47, 1> again;  ///< Continue the flush later
inline constexpr MemoryField<bool, 48, 1> ghost;  ///< Response is ignored
inline constexpr unsigned kBits = 49, kBytes = 7;
}  // namespace requester_step

namespace responder_qp {
inline constexpr MemoryField<uint32_t, 0, 24> epsn;  ///< PSN expected
inline constexpr MemoryField<uint32_t, 24, 24> msn;  ///< Messages completed
inline constexpr MemoryField<uint32_t, 48, 24> last_psn;  ///< Newest SEND or WRITE packet executed
inline constexpr MemoryField<uint8_t, 72, 2> message;  ///< Message in flight: ResponderIn
inline constexpr MemoryField<uint64_t, 74, 64> write_addr;  ///< WRITE: DMA address of the next byte
inline constexpr MemoryField<uint32_t, 138, 20> write_pasid;  ///< WRITE: address space
inline constexpr MemoryField<uint32_t, 158, 32> write_left;  ///< WRITE: bytes still to come
inline constexpr MemoryField<uint32_t, 190, 32> write_rkey;  ///< WRITE: its key
/// WRITE: remote address of the next byte
inline constexpr MemoryField<uint64_t, 222, 64> write_va;
inline constexpr MemoryField<uint32_t, 286, 32> bytes;  ///< Bytes of the message so far
inline constexpr MemoryField<uint16_t, 318, 16> recv_index;  ///< SEND: receive that it fills
inline constexpr MemoryField<bool, 334, 1> nak_sent;  ///< The gap was NAKed; drop requests after it
/// Unreliable connection, since the first packet: no response leaves
inline constexpr MemoryField<bool, 335, 1> uc;
inline constexpr MemoryField<bool, 336, 1> dead;  ///< Accepts no more requests
inline constexpr MemoryField<bool, 337, 1> established;  ///< CommEst was considered
inline constexpr MemoryField<bool, 338, 1> flush;  ///< Posted receives are to be flushed
inline constexpr MemoryField<bool, 339, 1> last_wqe;  ///< With an SRQ: QpLastWqe was raised
inline constexpr MemoryField<uint8_t, 340, 2> ack;  ///< Acknowledge to send next: ResponderAck
inline constexpr MemoryField<uint32_t, 342, 24> ack_psn;  ///< Its PSN
inline constexpr MemoryField<uint32_t, 366, 24> ack_msn;  ///< Its MSN
inline constexpr MemoryField<uint8_t, 390, 8> ack_syndrome;  ///< Its syndrome
/// Payload packets that must be in memory before it
inline constexpr MemoryField<uint32_t, 398, 32> ack_ticket;
inline constexpr MemoryField<bool, 430, 1> next;  ///< An ACK follows that one
inline constexpr MemoryField<uint32_t, 431, 24> next_psn;  ///< Its PSN
inline constexpr MemoryField<uint32_t, 455, 24> next_msn;  ///< Its MSN
inline constexpr MemoryField<uint32_t, 479, 32> next_ticket;  ///< As ack_ticket
/// Replay slots whose response is to be sent
inline constexpr MemoryField<uint16_t, 511, 16> pending;
/// Those of them whose response was sent before
inline constexpr MemoryField<uint16_t, 527, 16> replayed;
inline constexpr MemoryField<uint8_t, 543, 4> slot_next;  ///< Slot the next READ or atomic takes
inline constexpr MemoryField<uint8_t, 547, 5> slot_count;  ///< Slots in use
inline constexpr MemoryField<uint8_t, 552, 5> atomics;  ///< Jobs in the atomic unit
/// Number of the newest packet in tx's payload queue
inline constexpr MemoryField<uint16_t, 557, 16> last_desc;
/// Free-running index of the next receive to use
inline constexpr MemoryField<uint16_t, 573, 16> recv_next;
inline constexpr unsigned kBits = 589, kBytes = 74;
}  // namespace responder_qp

namespace responder_slot {
inline constexpr MemoryField<uint32_t, 0, 24> psn;  ///< First PSN
inline constexpr MemoryField<uint32_t, 24, 24> last_psn;  ///< Last PSN of the response
inline constexpr MemoryField<uint8_t, 48, 8> opcode;  ///< Request
inline constexpr MemoryField<uint64_t, 56, 64> va;  ///< Remote address of the request
inline constexpr MemoryField<uint32_t, 120, 32> rkey;  ///< Its key
inline constexpr MemoryField<uint32_t, 152, 24> msn;  ///< MSN of its response
/// Payload packets that must be in memory before a READ
inline constexpr MemoryField<uint32_t, 176, 32> ticket;
/// READ: the next packet is the first of the response
inline constexpr MemoryField<bool, 208, 1> first;
inline constexpr MemoryField<bool, 209, 1> done;  ///< Atomic: the result is known
inline constexpr MemoryField<uint32_t, 210, 24> next_psn;  ///< PSN of the next response packet
inline constexpr MemoryField<uint32_t, 234, 20> pasid;  ///< READ: address space
/// READ: DMA address of the next byte; atomic: swap or add operand
inline constexpr MemoryField<uint64_t, 254, 64> addr_operand;
/// READ: bytes of the whole; atomic: lower half of the compare operand
inline constexpr MemoryField<uint32_t, 318, 32> length;
/// READ: bytes not in a response yet; atomic: upper half of the compare operand
inline constexpr MemoryField<uint32_t, 350, 32> left;
inline constexpr MemoryField<uint64_t, 382, 64> original;  ///< Atomic: content of memory before it
/// READ: changes of the key table before its key was looked up
inline constexpr MemoryField<uint32_t, 446, 32> key_age;
inline constexpr unsigned kBits = 478, kBytes = 60;
}  // namespace responder_slot

namespace receive_ring {
inline constexpr MemoryField<uint16_t, 0, 16> prod;  ///< Index to be posted next
inline constexpr MemoryField<uint16_t, 16, 16> cons;  ///< Index of the oldest
inline constexpr MemoryField<uint16_t, 32, 16> next;  ///< Index to be fetched next
inline constexpr MemoryField<uint16_t, 48, 16> got;  ///< Index whose fetch ends next
inline constexpr MemoryField<uint8_t, 64, 4> epoch;  ///< Generation of the fetches
inline constexpr MemoryField<bool, 68, 1> active;  ///< Receives are fetched
inline constexpr MemoryField<bool, 69, 1> flush;  ///< Queue pair in ERR: report what is posted
inline constexpr MemoryField<bool, 70, 1> fired;  ///< SRQ: the limit event was raised
inline constexpr unsigned kBits = 71, kBytes = 9;
}  // namespace receive_ring

namespace receive_cmd {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 2> op;  ///< ReceiveOp
inline constexpr unsigned kBits = 26, kBytes = 4;
}  // namespace receive_cmd

namespace receive_rsp {
inline constexpr MemoryField<bool, 0, 1> posted;  ///< A receive is posted
inline constexpr MemoryField<bool, 1, 1> fetched;  ///< Its list has been fetched
inline constexpr MemoryField<uint16_t, 2, 16> index;  ///< Its free-running index
inline constexpr unsigned kBits = 18, kBytes = 3;
}  // namespace receive_rsp

namespace timer_cmd {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 2> op;  ///< TimerOp
inline constexpr MemoryField<uint8_t, 26, 5> code;  ///< Timeout code, or RNR timer code when Rnr
inline constexpr unsigned kBits = 31, kBytes = 4;
}  // namespace timer_cmd

namespace timer_event {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<bool, 24, 1> rnr;  ///< It was an RNR wait
inline constexpr unsigned kBits = 25, kBytes = 4;
}  // namespace timer_event

namespace cq_doorbell {
/// Consumer index; of an arm: the entry after the newest one seen
inline constexpr MemoryField<uint16_t, 0, 16> index;
/// Arm: an event for solicited entries and errors only
inline constexpr MemoryField<bool, 16, 1> solicited;
inline constexpr MemoryField<bool, 17, 1> arm;  ///< Arm; else a consumer index
inline constexpr MemoryField<uint16_t, 18, 16> cqn;  ///< Completion queue
inline constexpr unsigned kBits = 34, kBytes = 5;
}  // namespace cq_doorbell

namespace cq_ring {
inline constexpr MemoryField<uint16_t, 0, 16> waiting;  ///< Entries held back by moderation
/// Entries after the last one that satisfies a solicited arm, up to the limit
inline constexpr MemoryField<uint16_t, 16, 16> since;
inline constexpr MemoryField<bool, 32, 1> broken;  ///< An entry was lost
inline constexpr MemoryField<uint8_t, 33, 2> armed;  ///< CqArmed
inline constexpr MemoryField<uint16_t, 35, 16> consumer;  ///< Consumer index
inline constexpr MemoryField<uint16_t, 51, 16> producer;  ///< Producer index
/// Parity of the producer's pass through a ring of 2^16 entries
inline constexpr MemoryField<bool, 67, 1> pass;
inline constexpr unsigned kBits = 68, kBytes = 9;
}  // namespace cq_ring

namespace qp_event {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
inline constexpr MemoryField<uint8_t, 24, 2> kind;  ///< QpEvent
inline constexpr unsigned kBits = 26, kBytes = 4;
}  // namespace qp_event

namespace count {
inline constexpr MemoryField<uint32_t, 0, 24> qpn;  ///< Queue pair
/// QpCounter; for TxPackets and RxPackets, `bytes` go to the next one
inline constexpr MemoryField<uint8_t, 24, 3> counter;
inline constexpr MemoryField<uint16_t, 27, 13> bytes;  ///< Payload bytes
inline constexpr unsigned kBits = 40, kBytes = 5;
}  // namespace count

}  // namespace roci::layout
