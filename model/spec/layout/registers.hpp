// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
// Register map.
#pragma once

#include "model/spec/layout/field.hpp"

// clang-format off

namespace roci::layout {

/// Offsets of registers.
namespace reg {
inline constexpr uint32_t kId = 0x0000;  ///< "ROCI"
inline constexpr uint32_t kIdReset = 0x524F4349;
inline constexpr uint32_t kVersion = 0x0004;  ///< Register map version
inline constexpr uint32_t kVersionReset = 0x0001;
inline constexpr uint32_t kParameters = 0x0008;  ///< Parameters of the engine
inline constexpr uint32_t kParameters2 = 0x0018;  ///< Parameters of the engine, continued
/// Parameters of the engine, continued; 0 without multicast
inline constexpr uint32_t kParameters3 = 0x001C;
inline constexpr uint32_t kControl = 0x000C;  ///< What is switched on
inline constexpr uint32_t kTimeLo = 0x0010;  ///< Time input in ns, low; latches TimeHi
inline constexpr uint32_t kTimeHi = 0x0014;  ///< Time input in ns, high
inline constexpr uint32_t kAdminBaseLo = 0x0020;  ///< Admin command ring, 4 KiB aligned, low
inline constexpr uint32_t kAdminBaseHi = 0x0024;  ///< Admin command ring, high
inline constexpr uint32_t kAdminReplyLo = 0x0028;  ///< Admin reply ring, 4 KiB aligned, low
inline constexpr uint32_t kAdminReplyHi = 0x002C;  ///< Admin reply ring, high
inline constexpr uint32_t kAdminSize = 0x0030;  ///< Size and address space of both rings
inline constexpr uint32_t kAdminDoorbell = 0x0034;  ///< Producer index of the command ring
inline constexpr uint32_t kAdminDone = 0x0038;  ///< Count of replies written; firmware writes it
inline constexpr uint32_t kEqBaseLo = 0x0040;  ///< Event queue, 4 KiB aligned, low
inline constexpr uint32_t kEqBaseHi = 0x0044;  ///< Event queue, high
/// Size and address space of the event queue, and its switch
inline constexpr uint32_t kEqSize = 0x0048;
inline constexpr uint32_t kEqConsumer = 0x004C;  ///< Consumer index; a write re-arms the interrupt
inline constexpr uint32_t kEqStatus = 0x0050;  ///< State of the event queue
inline constexpr uint32_t kAttention = 0x1000;  ///< What waits for firmware
/// Starts an access of the table port; reads what was written
inline constexpr uint32_t kTableCommand = 0x1010;
inline constexpr uint32_t kFenceCommand = 0x1014;  ///< Starts a fence
inline constexpr uint32_t kEngineEvent = 0x1018;  ///< Pops one event
inline constexpr uint32_t kEventPost = 0x101C;  ///< Puts an event into the event queue
/// Host address of the DMA window, low; its low 6 bits count as 0, except bit 5 when at most 32
/// bytes are written
inline constexpr uint32_t kDmaAddressLo = 0x1020;
inline constexpr uint32_t kDmaAddressHi = 0x1024;  ///< Host address of the DMA window, high
/// Starts an access of the DMA window; reads what was written
inline constexpr uint32_t kDmaCommand = 0x1028;
inline constexpr uint32_t kTxFrameCommand = 0x1030;  ///< A write sends the frame in TxFrameData
inline constexpr uint32_t kRxFrameStatus = 0x1034;  ///< The frame in RxFrameData
inline constexpr uint32_t kRxFramePop = 0x1038;  ///< Write 1: release the frame
inline constexpr uint32_t kMacLo = 0x1040;  ///< Port MAC address, low 32 bits
inline constexpr uint32_t kMacHi = 0x1044;  ///< Port MAC address, high 16 bits
/// PortCounter to read; latches CounterLo and CounterHi
inline constexpr uint32_t kCounterSelect = 0x1050;
inline constexpr uint32_t kCounterLo = 0x1054;  ///< Selected port counter, low
inline constexpr uint32_t kCounterHi = 0x1058;  ///< Selected port counter, high

/// Parameters.
namespace parameters {
inline constexpr MemoryField<uint8_t, 0, 8> beat_bytes;  ///< DataWidth / 8
inline constexpr MemoryField<uint8_t, 8, 8> log_qps;  ///< log2 NumQps
inline constexpr MemoryField<uint8_t, 16, 8> log_keys;  ///< log2 NumKeys
inline constexpr MemoryField<uint8_t, 24, 8> log_cqs;  ///< log2 NumCqs
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace parameters

/// Parameters2.
namespace parameters2 {
inline constexpr MemoryField<uint8_t, 0, 8> log_srqs;  ///< log2 NumSrqs
inline constexpr MemoryField<bool, 8, 1> uc;  ///< The engine has UC
inline constexpr MemoryField<bool, 9, 1> ud;  ///< The engine has UD
/// Bits by Option: what the engine does not have
inline constexpr MemoryField<uint8_t, 10, 6> absent;
inline constexpr MemoryField<uint8_t, 16, 8> log_ahs;  ///< log2 of address handles, with UD
inline constexpr unsigned kBits = 24, kBytes = 3;
}  // namespace parameters2

/// Parameters3.
namespace parameters3 {
/// log2 of attachments to multicast groups; 0: no multicast
inline constexpr MemoryField<uint8_t, 0, 8> log_attachments;
inline constexpr unsigned kBits = 8, kBytes = 1;
}  // namespace parameters3

/// Control.
namespace control {
inline constexpr MemoryField<bool, 0, 1> enable;  ///< RoCE packets are taken
/// ARP and neighbour discovery go to firmware
inline constexpr MemoryField<bool, 1, 1> neighbours;
inline constexpr unsigned kBits = 2, kBytes = 1;
}  // namespace control

/// AdminSize.
namespace admin_size {
inline constexpr MemoryField<uint8_t, 0, 4> log;  ///< log2 of entries of both rings
inline constexpr MemoryField<uint8_t, 4, 8> reserved0;  ///< 0
inline constexpr MemoryField<uint32_t, 12, 20> pasid;  ///< Address space of both rings
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace admin_size

/// AdminDoorbell.
namespace admin_doorbell {
inline constexpr MemoryField<uint16_t, 0, 16> index;  ///< Free-running producer index
inline constexpr unsigned kBits = 16, kBytes = 2;
}  // namespace admin_doorbell

/// AdminDone.
namespace admin_done {
inline constexpr MemoryField<uint16_t, 0, 16> count;  ///< Free-running count
inline constexpr unsigned kBits = 16, kBytes = 2;
}  // namespace admin_done

/// EqSize.
namespace eq_size {
inline constexpr MemoryField<uint8_t, 0, 4> log;  ///< log2 of entries
inline constexpr MemoryField<bool, 4, 1> enable;  ///< Events are written; a rise restarts the ring
inline constexpr MemoryField<uint8_t, 5, 7> reserved0;  ///< 0
inline constexpr MemoryField<uint32_t, 12, 20> pasid;  ///< Address space of the ring
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace eq_size

/// EqConsumer.
namespace eq_consumer {
inline constexpr MemoryField<uint16_t, 0, 16> index;  ///< Free-running consumer index
inline constexpr unsigned kBits = 16, kBytes = 2;
}  // namespace eq_consumer

/// EqStatus.
namespace eq_status {
/// The event queue was full; a Completion is raised later, other events are lost
inline constexpr MemoryField<bool, 0, 1> overflow;
inline constexpr unsigned kBits = 1, kBytes = 1;
}  // namespace eq_status

/// Attention.
namespace attention {
inline constexpr MemoryField<bool, 0, 1> admin;  ///< AdminDoorbell differs from AdminDone
inline constexpr MemoryField<bool, 1, 1> frame;  ///< A frame was received
inline constexpr MemoryField<bool, 2, 1> engine_event;  ///< An engine event waits
inline constexpr unsigned kBits = 3, kBytes = 1;
}  // namespace attention

/// TableCommand.
namespace table_command {
inline constexpr MemoryField<uint32_t, 0, 24> row;  ///< Number of the row
inline constexpr MemoryField<uint8_t, 24, 4> table_id;  ///< Table
inline constexpr MemoryField<uint8_t, 28, 2> reserved0;  ///< 0
inline constexpr MemoryField<bool, 30, 1> write;  ///< Write the row; else read it
inline constexpr MemoryField<bool, 31, 1> go;  ///< Start; reads 1 while busy
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace table_command

/// FenceCommand.
namespace fence_command {
/// Start; reads 1 until all work that began before has left the engine
inline constexpr MemoryField<bool, 0, 1> go;
inline constexpr unsigned kBits = 1, kBytes = 1;
}  // namespace fence_command

/// EngineEvent.
namespace engine_event {
inline constexpr MemoryField<uint32_t, 0, 24> number;  ///< Queue pair, completion queue or SRQ
inline constexpr MemoryField<uint8_t, 24, 7> kind;  ///< Event
inline constexpr MemoryField<bool, 31, 1> valid;  ///< There was an event
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace engine_event

/// EventPost.
namespace event_post {
inline constexpr MemoryField<uint32_t, 0, 24> number;  ///< Queue pair, completion queue or SRQ
inline constexpr MemoryField<uint8_t, 24, 8> kind;  ///< Event
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace event_post

/// DmaCommand.
namespace dma_command {
inline constexpr MemoryField<uint32_t, 0, 20> pasid;  ///< Address space
inline constexpr MemoryField<uint8_t, 20, 7> bytes;  ///< Bytes of a write; 0: 64
inline constexpr MemoryField<uint8_t, 27, 2> reserved0;  ///< 0
inline constexpr MemoryField<bool, 29, 1> error;  ///< Reads 1: the access failed
inline constexpr MemoryField<bool, 30, 1> write;  ///< Write; else read 64 bytes
inline constexpr MemoryField<bool, 31, 1> go;  ///< Start; reads 1 while busy
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace dma_command

/// TxFrameCommand.
namespace tx_frame_command {
inline constexpr MemoryField<uint16_t, 0, 11> bytes;  ///< Bytes of the frame
inline constexpr MemoryField<uint32_t, 11, 20> reserved0;  ///< 0
inline constexpr MemoryField<bool, 31, 1> busy;  ///< Reads 1: the frame is being sent
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace tx_frame_command

/// RxFrameStatus.
namespace rx_frame_status {
inline constexpr MemoryField<uint16_t, 0, 11> bytes;  ///< Bytes of the frame
inline constexpr MemoryField<uint32_t, 11, 20> reserved0;  ///< 0
inline constexpr MemoryField<bool, 31, 1> valid;  ///< A frame was received
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace rx_frame_status

/// MacHi.
namespace mac_hi {
inline constexpr MemoryField<uint16_t, 0, 16> high;  ///< High bits of the address
inline constexpr unsigned kBits = 16, kBytes = 2;
}  // namespace mac_hi

/// CounterSelect.
namespace counter_select {
/// PortCounter; those from 16 on with UC or UD only
inline constexpr MemoryField<uint8_t, 0, 5> counter;
inline constexpr unsigned kBits = 5, kBytes = 1;
}  // namespace counter_select

/// CqArm, a word of CqDoorbell.
namespace cq_arm {
inline constexpr MemoryField<uint16_t, 0, 16> index;  ///< Index after the newest entry seen
inline constexpr MemoryField<uint16_t, 16, 15> reserved0;  ///< 0
/// Only a solicited or failed completion raises an event
inline constexpr MemoryField<bool, 31, 1> solicited;
inline constexpr unsigned kBits = 32, kBytes = 4;
}  // namespace cq_arm

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
/// Written: data of the next DMA write; read: what the last DMA read brought
inline constexpr Window kDmaData = {0x1140, 0x0040};
/// Frame to send, first byte in bits 7:0 of the first word; reads as 0
inline constexpr Window kTxFrameData = {0x2000, 0x0600};
inline constexpr Window kRxFrameData = {0x3000, 0x0600};  ///< Frame received
/// 16 bytes a queue pair: +0 SQ producer index, +4 RQ producer index, +8 producer index of the SRQ
/// with that number
inline constexpr Window kQpDoorbell = {0x100000, 0x80000};
/// 16 bytes a CQ: +0 consumer index, +4 arm
inline constexpr Window kCqDoorbell = {0x180000, 0x80000};
/// 128 bytes a queue pair: the work request of one or two blocks that its next SQ doorbell hands
/// over alone, words from the first to the last; written only, and it stands in the queue, too
inline constexpr Window kQpPost = {0x200000, 0x200000};
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
inline constexpr uint32_t kArmSolicited = layout::bits(reg::cq_arm::solicited, 1);
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

inline constexpr uint32_t kPostBytes = 128;  ///< QpPost: bytes of a queue pair
constexpr uint32_t post_offset(uint32_t number) {
  return window::kQpPost.offset + kPostBytes * number;
}

}  // namespace roci::layout
