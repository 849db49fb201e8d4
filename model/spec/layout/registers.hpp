// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
// Register map.
#pragma once

#include <stdint.h>

// clang-format off

namespace roci::layout {

/// Offsets of registers.
namespace reg {
inline constexpr uint32_t kId = 0x0000;  ///< "ROCI"
inline constexpr uint32_t kIdReset = 0x524F4349;
inline constexpr uint32_t kVersion = 0x0004;  ///< Register map version
inline constexpr uint32_t kVersionReset = 0x0001;
/// 7:0 DataWidth / 8, 15:8 log2 NumQps, 23:16 log2 NumKeys, 31:24 log2 NumCqs
inline constexpr uint32_t kParameters = 0x0008;
inline constexpr uint32_t kParameters2 = 0x0018;  ///< 7:0 log2 NumSrqs
/// 0 enable RoCE, 1 ARP and neighbour discovery go to firmware
inline constexpr uint32_t kControl = 0x000C;
inline constexpr uint32_t kTimeLo = 0x0010;  ///< Time input in ns, low; latches TimeHi
inline constexpr uint32_t kTimeHi = 0x0014;  ///< Time input in ns, high
inline constexpr uint32_t kAdminBaseLo = 0x0020;  ///< Admin command ring, 4 KiB aligned, low
inline constexpr uint32_t kAdminBaseHi = 0x0024;  ///< Admin command ring, high
inline constexpr uint32_t kAdminReplyLo = 0x0028;  ///< Admin reply ring, 4 KiB aligned, low
inline constexpr uint32_t kAdminReplyHi = 0x002C;  ///< Admin reply ring, high
inline constexpr uint32_t kAdminSize = 0x0030;  ///< 3:0 log2 of entries of both rings, 31:12 PASID
/// 15:0 free-running producer index of the command ring
inline constexpr uint32_t kAdminDoorbell = 0x0034;
/// 15:0 free-running count of replies written; firmware writes it
inline constexpr uint32_t kAdminDone = 0x0038;
inline constexpr uint32_t kEqBaseLo = 0x0040;  ///< Event queue, 4 KiB aligned, low
inline constexpr uint32_t kEqBaseHi = 0x0044;  ///< Event queue, high
/// 3:0 log2 of entries, 4 enable (a rise restarts the ring), 31:12 PASID
inline constexpr uint32_t kEqSize = 0x0048;
/// 15:0 free-running consumer index; a write re-arms the interrupt
inline constexpr uint32_t kEqConsumer = 0x004C;
/// 0 overflow: an event found no room; a Completion comes later, others are lost
inline constexpr uint32_t kEqStatus = 0x0050;
/// 0 admin doorbell differs from AdminDone, 1 frame received, 2 engine event waits
inline constexpr uint32_t kAttention = 0x1000;
/// 23:0 row, 27:24 Table, 30 write (else read), 31 go; reads 31 as busy
inline constexpr uint32_t kTableCommand = 0x1010;
/// Write 1: start a fence; reads 1 until all work begun before it left the engine
inline constexpr uint32_t kFenceCommand = 0x1014;
/// Pops one event: 23:0 number, 30:24 kind, 31 valid
inline constexpr uint32_t kEngineEvent = 0x1018;
/// Puts an event into the event queue: 23:0 number, 31:24 kind
inline constexpr uint32_t kEventPost = 0x101C;
/// Host address of the DMA window, low; a read begins at a multiple of 64
inline constexpr uint32_t kDmaAddressLo = 0x1020;
inline constexpr uint32_t kDmaAddressHi = 0x1024;  ///< Host address of the DMA window, high
/// 19:0 PASID, 26:20 bytes of a write (0: 64), 30 write (else read 64 bytes), 31 go; reads 31 busy,
/// 29 error
inline constexpr uint32_t kDmaCommand = 0x1028;
/// 10:0 bytes of the frame in TxFrameData; writing sends; reads 31 busy
inline constexpr uint32_t kTxFrameCommand = 0x1030;
/// 10:0 bytes of the frame in RxFrameData, 31 valid
inline constexpr uint32_t kRxFrameStatus = 0x1034;
inline constexpr uint32_t kRxFramePop = 0x1038;  ///< Write 1: the frame is done with
inline constexpr uint32_t kMacLo = 0x1040;  ///< Port MAC address, low 32 bits
inline constexpr uint32_t kMacHi = 0x1044;  ///< Port MAC address, high 16 bits
/// PortCounter to read; latches CounterLo and CounterHi
inline constexpr uint32_t kCounterSelect = 0x1050;
inline constexpr uint32_t kCounterLo = 0x1054;  ///< Selected port counter, low
inline constexpr uint32_t kCounterHi = 0x1058;  ///< Selected port counter, high
}  // namespace reg

/// An array of registers: words of 32 bits from `offset` on.
struct Window {
  uint32_t offset;
  uint32_t bytes;
  constexpr bool has(uint32_t at) const { return at >= offset && at - offset < bytes; }
};

namespace window {
/// Row of the table port, little-endian words
inline constexpr Window kTableData = {0x1100, 0x0040};
inline constexpr Window kDmaData = {0x1140, 0x0040};  ///< Data of the DMA window
/// Frame to send, first byte in bits 7:0 of the first word
inline constexpr Window kTxFrameData = {0x2000, 0x0600};
inline constexpr Window kRxFrameData = {0x3000, 0x0600};  ///< Frame received
/// 16 bytes a queue pair: +0 SQ producer index, +4 RQ producer index, +8 producer index of the SRQ
/// with that number
inline constexpr Window kQpDoorbell = {0x100000, 0x80000};
/// 16 bytes a CQ: +0 consumer index, +4 arm (15:0 index behind the newest entry seen, 31 solicited
/// only)
inline constexpr Window kCqDoorbell = {0x180000, 0x80000};
}  // namespace window

/// Words of a doorbell.
namespace doorbell_word {
inline constexpr unsigned kStride = 16;
inline constexpr uint32_t kSq = 0;  ///< QpDoorbell: producer index of the send queue
inline constexpr uint32_t kRq = 4;  ///< QpDoorbell: producer index of the receive queue
inline constexpr uint32_t kSrq = 8;  ///< QpDoorbell: producer index of the SRQ with that number
inline constexpr uint32_t kCqConsumer = 0;  ///< CqDoorbell: consumer index
inline constexpr uint32_t kCqArm = 4;  ///< CqDoorbell: arm for the next entry after this index
/// In CqArm: only a solicited or failed completion raises an event
inline constexpr uint32_t kArmSolicited = 1u << 31;
}  // namespace doorbell_word

constexpr uint32_t sq_doorbell_offset(uint32_t number) {
  return window::kQpDoorbell.offset + doorbell_word::kStride * number + doorbell_word::kSq;
}
constexpr uint32_t rq_doorbell_offset(uint32_t number) {
  return window::kQpDoorbell.offset + doorbell_word::kStride * number + doorbell_word::kRq;
}
constexpr uint32_t srq_doorbell_offset(uint32_t number) {
  return window::kQpDoorbell.offset + doorbell_word::kStride * number + doorbell_word::kSrq;
}
constexpr uint32_t cq_doorbell_offset(uint32_t number) {
  return window::kCqDoorbell.offset + doorbell_word::kStride * number + doorbell_word::kCqConsumer;
}
constexpr uint32_t cq_arm_doorbell_offset(uint32_t number) {
  return window::kCqDoorbell.offset + doorbell_word::kStride * number + doorbell_word::kCqArm;
}

}  // namespace roci::layout
