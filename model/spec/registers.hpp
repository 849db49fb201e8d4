// SPDX-License-Identifier: Apache-2.0
// Register map: 32-bit registers of one AXI4-Lite slave, byte offsets.
//   0x000000  device       host driver and firmware
//   0x001000  management   firmware only; the board's interconnect keeps the host out
//   0x100000  doorbells of queue pairs, 16 bytes each
//   0x180000  doorbells of completion queues, 16 bytes each
#pragma once

#include "model/spec/codes.hpp"

namespace roci::spec {

inline constexpr unsigned kRegisterAddressBits = 22;

/// Access: "ro" read, "rw" read and write, "wo" write (reads 0), "w1c" a one clears the bit.
struct Register {
  std::string_view name;
  std::uint32_t offset;
  std::string_view access;
  std::uint32_t reset;
  std::string_view doc;
};

inline constexpr Register kRegisters[] = {
    // Device
    {"Id", 0x0000, "ro", 0x524F4349, "\"ROCI\""},
    {"Version", 0x0004, "ro", 0x00000001, "Register map version"},
    {"Parameters", 0x0008, "ro", 0, "Parameters of the engine"},
    {"Parameters2", 0x0018, "ro", 0, "Parameters of the engine, continued"},
    {"Parameters3", 0x001C, "ro", 0, "Parameters of the engine, continued; 0 without multicast"},
    {"Control", 0x000C, "rw", 0, "What is switched on"},
    {"TimeLo", 0x0010, "ro", 0, "Time input in ns, low; latches TimeHi"},
    {"TimeHi", 0x0014, "ro", 0, "Time input in ns, high"},
    {"AdminBaseLo", 0x0020, "rw", 0, "Admin command ring, 4 KiB aligned, low"},
    {"AdminBaseHi", 0x0024, "rw", 0, "Admin command ring, high"},
    {"AdminReplyLo", 0x0028, "rw", 0, "Admin reply ring, 4 KiB aligned, low"},
    {"AdminReplyHi", 0x002C, "rw", 0, "Admin reply ring, high"},
    {"AdminSize", 0x0030, "rw", 0, "Size and address space of both rings"},
    {"AdminDoorbell", 0x0034, "rw", 0, "Producer index of the command ring"},
    {"AdminDone", 0x0038, "rw", 0, "Count of replies written; firmware writes it"},
    {"EqBaseLo", 0x0040, "rw", 0, "Event queue, 4 KiB aligned, low"},
    {"EqBaseHi", 0x0044, "rw", 0, "Event queue, high"},
    {"EqSize", 0x0048, "rw", 0, "Size and address space of the event queue, and its switch"},
    {"EqConsumer", 0x004C, "rw", 0, "Consumer index; a write re-arms the interrupt"},
    {"EqStatus", 0x0050, "w1c", 0, "State of the event queue"},
    // Management: firmware only
    {"Attention", 0x1000, "ro", 0, "What waits for firmware"},
    {"TableCommand", 0x1010, "rw", 0, "Starts an access of the table port; reads what was written"},
    {"FenceCommand", 0x1014, "rw", 0, "Starts a fence"},
    {"EngineEvent", 0x1018, "ro", 0, "Pops one event"},
    {"EventPost", 0x101C, "wo", 0, "Puts an event into the event queue"},
    {"DmaAddressLo", 0x1020, "rw", 0,
     "Host address of the DMA window, low; its low 6 bits count as 0, except bit 5 when at most 32 "
     "bytes are written"},
    {"DmaAddressHi", 0x1024, "rw", 0, "Host address of the DMA window, high"},
    {"DmaCommand", 0x1028, "rw", 0, "Starts an access of the DMA window; reads what was written"},
    {"TxFrameCommand", 0x1030, "rw", 0, "A write sends the frame in TxFrameData"},
    {"RxFrameStatus", 0x1034, "ro", 0, "The frame in RxFrameData"},
    {"RxFramePop", 0x1038, "wo", 0, "Write 1: release the frame"},
    {"MacLo", 0x1040, "rw", 0, "Port MAC address, low 32 bits"},
    {"MacHi", 0x1044, "rw", 0, "Port MAC address, high 16 bits"},
    {"CounterSelect", 0x1050, "rw", 0, "PortCounter to read; latches CounterLo and CounterHi"},
    {"CounterLo", 0x1054, "ro", 0, "Selected port counter, low"},
    {"CounterHi", 0x1058, "ro", 0, "Selected port counter, high"},
};

/// What a queue pair has in the window QpPost.
inline constexpr unsigned kPostBytes = 128;

/// Arrays of registers: 32-bit words from `offset` on.
struct Window {
  std::string_view name;
  std::uint32_t offset;
  std::uint32_t bytes;
  std::string_view doc;
};

inline constexpr Window kWindows[] = {
    {"TableData", 0x1100, 64, "Row of the table port, little-endian words"},
    {"DmaData", 0x1140, 64,
     "Written: data of the next DMA write; read: what the last DMA read brought"},
    {"TxFrameData", 0x2000, 1536,
     "Frame to send, first byte in bits 7:0 of the first word; reads as 0"},
    {"RxFrameData", 0x3000, 1536, "Frame received"},
    {"QpDoorbell", 0x100000, 0x80000,
     "16 bytes a queue pair: +0 SQ producer index, +4 RQ producer index, +8 producer index of the "
     "SRQ with that number"},
    {"CqDoorbell", 0x180000, 0x80000, "16 bytes a CQ: +0 consumer index, +4 arm"},
    {"QpPost", 0x200000, 0x200000,
     "128 bytes a queue pair: the work request of one or two blocks that its next SQ doorbell "
     "hands "
     "over alone, words from the first to the last; written only, and it stands in the queue, "
     "too"},
};

// Fields of registers that hold more than one number, or fewer than 32 bits. Bit 0 comes first.

inline constexpr Field kParameters[] = {
    {"beat_bytes", 8, "DataWidth / 8"},
    {"log_qps", 8, "log2 NumQps"},
    {"log_keys", 8, "log2 NumKeys"},
    {"log_cqs", 8, "log2 NumCqs"},
};
inline constexpr Field kParameters2[] = {
    {"log_srqs", 8, "log2 NumSrqs"},
    {"uc", 1, "The engine has UC"},
    {"ud", 1, "The engine has UD"},
    {"absent", 6, "Bits by Option: what the engine does not have"},
    {"log_ahs", 8, "log2 of address handles, with UD"},
};
inline constexpr Field kParameters3[] = {
    {"log_attachments", 8, "log2 of attachments to multicast groups; 0: no multicast"},
};
inline constexpr Field kControl[] = {
    {"enable", 1, "RoCE packets are taken"},
    {"neighbours", 1, "ARP and neighbour discovery go to firmware"},
};
inline constexpr Field kAdminSize[] = {
    {"log", 4, "log2 of entries of both rings"},
    {"reserved0", 8, "0"},
    {"pasid", 20, "Address space of both rings"},
};
inline constexpr Field kAdminDoorbell[] = {
    {"index", 16, "Free-running producer index"},
};
inline constexpr Field kAdminDone[] = {
    {"count", 16, "Free-running count"},
};
inline constexpr Field kEqSize[] = {
    {"log", 4, "log2 of entries"},
    {"enable", 1, "Events are written; a rise restarts the ring"},
    {"reserved0", 7, "0"},
    {"pasid", 20, "Address space of the ring"},
};
inline constexpr Field kEqConsumer[] = {
    {"index", 16, "Free-running consumer index"},
};
inline constexpr Field kEqStatus[] = {
    {"overflow", 1,
     "The event queue was full; a Completion is raised later, other events are lost"},
};
inline constexpr Field kAttention[] = {
    {"admin", 1, "AdminDoorbell differs from AdminDone"},
    {"frame", 1, "A frame was received"},
    {"engine_event", 1, "An engine event waits"},
};
inline constexpr Field kTableCommand[] = {
    {"row", 24, "Number of the row"},
    {"table_id", 4, "Table"},
    {"reserved0", 2, "0"},
    {"write", 1, "Write the row; else read it"},
    {"go", 1, "Start; reads 1 while busy"},
};
inline constexpr Field kFenceCommand[] = {
    {"go", 1, "Start; reads 1 until all work that began before has left the engine"},
};
inline constexpr Field kEngineEvent[] = {
    {"number", 24, "Queue pair, completion queue or SRQ"},
    {"kind", 7, "Event"},
    {"valid", 1, "There was an event"},
};
inline constexpr Field kEventPost[] = {
    {"number", 24, "Queue pair, completion queue or SRQ"},
    {"kind", 8, "Event"},
};
inline constexpr Field kDmaCommand[] = {
    {"pasid", 20, "Address space"},
    {"bytes", 7, "Bytes of a write; 0: 64"},
    {"reserved0", 2, "0"},
    {"error", 1, "Reads 1: the access failed"},
    {"write", 1, "Write; else read 64 bytes"},
    {"go", 1, "Start; reads 1 while busy"},
};
inline constexpr Field kTxFrameCommand[] = {
    {"bytes", 11, "Bytes of the frame"},
    {"reserved0", 20, "0"},
    {"busy", 1, "Reads 1: the frame is being sent"},
};
inline constexpr Field kRxFrameStatus[] = {
    {"bytes", 11, "Bytes of the frame"},
    {"reserved0", 20, "0"},
    {"valid", 1, "A frame was received"},
};
inline constexpr Field kMacHi[] = {
    {"high", 16, "High bits of the address"},
};
inline constexpr Field kCounterSelect[] = {
    {"counter", 5, "PortCounter; those from 16 on with UC or UD only"},
};
inline constexpr Field kCqArm[] = {
    {"index", 16, "Index after the newest entry seen"},
    {"reserved0", 15, "0"},
    {"solicited", 1, "Only a solicited or failed completion raises an event"},
};

/// Bytes of the doorbell of a queue pair or of a completion queue.
inline constexpr unsigned kDoorbellStride = 16;

/// Words of a doorbell: byte offsets within it.
inline constexpr Code kDoorbells[] = {
    {"Sq", 0, "QpDoorbell: producer index of the send queue"},
    {"Rq", 4, "QpDoorbell: producer index of the receive queue"},
    {"Srq", 8, "QpDoorbell: producer index of the SRQ with that number"},
    {"CqConsumer", 0, "CqDoorbell: consumer index"},
    {"CqArm", 4, "CqDoorbell: arm for the next entry after this index"},
};

/// Port counters (CounterSelect). The first ten are the drop causes, in their order.
inline constexpr Code kPortCounters[] = {
    {"DropFirst", 0, "Drop causes, see DropCause"},
    {"RxFrames", 10, "Frames received from the MAC"},
    {"RxBytes", 11, "Bytes received from the MAC"},
    {"TxFrames", 12, "Frames sent to the MAC"},
    {"TxBytes", 13, "Bytes sent to the MAC"},
    {"RxRoce", 14, "RoCE packets accepted by the transport"},
    {"RxEthernet", 15, "Frames handed to the Ethernet path or to firmware"},
    {"QkeyViolations", 16, "UD packets whose Q_Key is not the queue pair's (10.2.5)"},
    {"Discards", 17, "UC and UD packets that were accepted and not delivered"},
};

}  // namespace roci::spec
