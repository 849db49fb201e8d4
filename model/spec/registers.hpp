// SPDX-License-Identifier: Apache-2.0
// Register map: 32-bit registers behind one AXI4-Lite slave, byte offsets.
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
    {"Parameters", 0x0008, "ro", 0,
     "7:0 DataWidth / 8, 15:8 log2 NumQps, 23:16 log2 NumKeys, 31:24 log2 NumCqs"},
    {"Parameters2", 0x0018, "ro", 0, "7:0 log2 NumSrqs"},
    {"Control", 0x000C, "rw", 0, "0 enable RoCE, 1 ARP and neighbour discovery go to firmware"},
    {"TimeLo", 0x0010, "ro", 0, "Time input in ns, low; latches TimeHi"},
    {"TimeHi", 0x0014, "ro", 0, "Time input in ns, high"},
    {"AdminBaseLo", 0x0020, "rw", 0, "Admin command ring, 4 KiB aligned, low"},
    {"AdminBaseHi", 0x0024, "rw", 0, "Admin command ring, high"},
    {"AdminReplyLo", 0x0028, "rw", 0, "Admin reply ring, 4 KiB aligned, low"},
    {"AdminReplyHi", 0x002C, "rw", 0, "Admin reply ring, high"},
    {"AdminSize", 0x0030, "rw", 0, "3:0 log2 of entries of both rings, 31:12 PASID"},
    {"AdminDoorbell", 0x0034, "rw", 0, "15:0 free-running producer index of the command ring"},
    {"AdminDone", 0x0038, "rw", 0,
     "15:0 free-running count of replies written; firmware writes it"},
    {"EqBaseLo", 0x0040, "rw", 0, "Event queue, 4 KiB aligned, low"},
    {"EqBaseHi", 0x0044, "rw", 0, "Event queue, high"},
    {"EqSize", 0x0048, "rw", 0,
     "3:0 log2 of entries, 4 enable (a rise restarts the ring), 31:12 PASID"},
    {"EqConsumer", 0x004C, "rw", 0,
     "15:0 free-running consumer index; a write re-arms the interrupt"},
    {"EqStatus", 0x0050, "w1c", 0,
     "0 overflow: an event found no room; a Completion comes later, others are lost"},
    // Management: firmware only
    {"Attention", 0x1000, "ro", 0,
     "0 admin doorbell differs from AdminDone, 1 frame received, 2 engine event waits"},
    {"TableCommand", 0x1010, "rw", 0,
     "23:0 row, 27:24 Table, 30 write (else read), 31 go; reads 31 as busy"},
    {"FenceCommand", 0x1014, "rw", 0,
     "Write 1: start a fence; reads 1 until all work begun before it left the engine"},
    {"EngineEvent", 0x1018, "ro", 0, "Pops one event: 23:0 number, 30:24 kind, 31 valid"},
    {"EventPost", 0x101C, "wo", 0, "Puts an event into the event queue: 23:0 number, 31:24 kind"},
    {"DmaAddressLo", 0x1020, "rw", 0,
     "Host address of the DMA window, low; a read begins at a multiple of 64"},
    {"DmaAddressHi", 0x1024, "rw", 0, "Host address of the DMA window, high"},
    {"DmaCommand", 0x1028, "rw", 0,
     "19:0 PASID, 26:20 bytes of a write (0: 64), 30 write (else read 64 bytes), 31 go; reads 31 "
     "busy, 29 error"},
    {"TxFrameCommand", 0x1030, "rw", 0,
     "10:0 bytes of the frame in TxFrameData; writing sends; reads 31 busy"},
    {"RxFrameStatus", 0x1034, "ro", 0, "10:0 bytes of the frame in RxFrameData, 31 valid"},
    {"RxFramePop", 0x1038, "wo", 0, "Write 1: the frame is done with"},
    {"MacLo", 0x1040, "rw", 0, "Port MAC address, low 32 bits"},
    {"MacHi", 0x1044, "rw", 0, "Port MAC address, high 16 bits"},
    {"CounterSelect", 0x1050, "rw", 0, "PortCounter to read; latches CounterLo and CounterHi"},
    {"CounterLo", 0x1054, "ro", 0, "Selected port counter, low"},
    {"CounterHi", 0x1058, "ro", 0, "Selected port counter, high"},
};

/// Arrays of registers: 32-bit words from `offset` on.
struct Window {
  std::string_view name;
  std::uint32_t offset;
  std::uint32_t bytes;
  std::string_view doc;
};

inline constexpr Window kWindows[] = {
    {"TableData", 0x1100, 64, "Row of the table port, little-endian words"},
    {"DmaData", 0x1140, 64, "Data of the DMA window"},
    {"TxFrameData", 0x2000, 1536, "Frame to send, first byte in bits 7:0 of the first word"},
    {"RxFrameData", 0x3000, 1536, "Frame received"},
    {"QpDoorbell", 0x100000, 0x80000,
     "16 bytes a queue pair: +0 SQ producer index, +4 RQ producer index, +8 producer index of the "
     "SRQ with that number"},
    {"CqDoorbell", 0x180000, 0x80000,
     "16 bytes a CQ: +0 consumer index, +4 arm (15:0 index behind the newest entry seen, 31 "
     "solicited only)"},
};

/// Window called `name`. A name that is not in the table does not compile.
constexpr Window window_of(std::string_view name) {
  for (const Window& window : kWindows) {
    if (window.name == name) return window;
  }
  throw "no such window";
}

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

/// Bit of CqArm: only a solicited or failed completion raises an event.
inline constexpr unsigned kArmSolicitedBit = 31;

/// Port counters (CounterSelect). The first ten are the drop causes, in their order.
inline constexpr Code kPortCounters[] = {
    {"DropFirst", 0, "Drop causes, see DropCause"},
    {"RxFrames", 10, "Frames received from the MAC"},
    {"RxBytes", 11, "Bytes received from the MAC"},
    {"TxFrames", 12, "Frames sent to the MAC"},
    {"TxBytes", 13, "Bytes sent to the MAC"},
    {"RxRoce", 14, "RoCE packets accepted by the transport"},
    {"RxEthernet", 15, "Frames handed to the Ethernet path or to firmware"},
};

}  // namespace roci::spec
