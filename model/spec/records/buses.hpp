// SPDX-License-Identifier: Apache-2.0
// Records that travel between engines: rows of tables, accesses to memory, completions, events.
#pragma once

#include "model/spec/context.hpp"
#include "model/spec/field.hpp"

namespace roci::spec {

/// A row of a table, as the row bus carries it to every block that keeps a copy.
inline constexpr Field kRowWrite[] = {
    {"data", kRowBits, "Row"},
    {"index", 24, "Its number"},
    {"table_id", 4, "Table"},
};

/// A read of whole blocks of host memory, and each block of its response.
inline constexpr Field kBlockReadReq[] = {
    {"addr", 64, "DMA address of the first block, a multiple of 64"},
    {"pasid", 20, "Address space"},
    {"count", 5, "Blocks, 1 to 16, within a page of 4 KiB"},
};
inline constexpr Field kBlockReadRsp[] = {
    {"data", 512, "Block"},
    {"error", 1, "The read failed"},
};

/// A write of up to a block of host memory, and its response when the bytes are in memory.
inline constexpr Field kBlockWriteReq[] = {
    {"data", 512, "Bytes, the first one lowest"},
    {"addr", 64, "DMA address of the first byte"},
    {"pasid", 20, "Address space"},
    {"bytes", 7, "Number of bytes, 1 to 64"},
};
inline constexpr Field kBlockWriteRsp[] = {
    {"error", 1, "The write failed"},
};

/// A segment of host memory that a packet's payload comes from or goes to; or inline data, which
/// come from blocks of the send queue that dma has kept since they were fetched.
inline constexpr Field kSeg[] = {
    {"addr", 64, "DMA address of the first byte; fetched: its place in the kept blocks"},
    {"pasid", 20, "Address space"},
    {"len", 13, "Bytes, 1 to 4096, of a datagram with its GRH up to 4136"},
    {"last", 1, "Last segment of the packet"},
    {"drop", 1, "Scatter only: skip these bytes, touch no memory"},
    {"fetched", 1, "Payload reads only: the bytes came with a fetched work request"},
};

/// A word of a work request that comes with its doorbell.
inline constexpr Field kPostWord[] = {
    {"qpn", 24, "Queue pair"},
    {"place", 5, "Word of the work request"},
    {"data", 32, "Its bytes"},
};

/// A doorbell.
inline constexpr Field kDoorbell[] = {
    {"qpn", 24, "Queue pair"},
    {"index", 16, "Free-running producer index"},
};

/// A change of state of a queue pair, for the engines.
inline constexpr Field kQpEvent[] = {
    {"qpn", 24, "Queue pair"},
    {"kind", 2, "QpEvent"},
};

/// A completion to write. It waits until the data before it is in memory.
inline constexpr Field kCqeReq[] = {
    {"cqn", 16, "Completion queue"},
    {"qpn", 24, "Queue pair"},
    {"wqe_index", 16, "Work request"},
    {"status", 8, "Status"},
    {"opcode", 8, "WcOp"},
    {"byte_len", 32, "Bytes"},
    {"imm", 32, "Immediate"},
    {"with_imm", 1, "imm is valid"},
    {"with_inv", 1, "imm is the key invalidated"},
    {"solicited", 1, "Raises a solicited event"},
    {"with_grh", 1, "The buffer begins with a GRH, and src_qp is valid"},
    {"src_qp", 24, "Queue pair of the sender of a datagram"},
    {"vendor_err", 8, "Cause"},
    {"wait_data", 1, "Wait for `ticket`"},
    {"ticket", 16, "Payload packets that must be in memory"},
    {"wait_store", 1, "Wait for `store_ticket`"},
    {"store_ticket", 8, "Atomic-unit stores that must be in memory"},
};

/// An event for the event queue.
inline constexpr Field kEventReq[] = {
    {"kind", 8, "Event"},
    {"number", 24, "Queue pair, completion queue or SRQ"},
};

/// An increment of a queue pair's counters.
inline constexpr Field kCount[] = {
    {"qpn", 24, "Queue pair"},
    {"counter", 3, "QpCounter; for TxPackets and RxPackets, `bytes` go to the next one"},
    {"bytes", 13, "Payload bytes"},
};

/// Payload that could not be written to memory or read from it.
inline constexpr Field kFault[] = {
    {"qpn", 24, "Own queue pair"},
    {"psn", 24, "Packet"},
    {"response", 1, "1: a response to a request of this side; 0: a request, or the response to it"},
};

}  // namespace roci::spec
