// SPDX-License-Identifier: Apache-2.0
// What happens inside an engine, for observers: which of its blocks are at work, and what they hand
// on to each other. roci_nic_probe.sv has the numbers too.
#pragma once

#include <cstdint>

namespace roci::testbench {

enum class EngineBlock : std::uint8_t {
  kScheduler,
  kSegmenter,
  kRequester,
  kTransmitOrder,
  kTransmit,
  kReceive,
  kPostedReceives,
  kResponder,
  kMemoryOperations,
  kKeys,
  kDma,
  kTimer,
  kCompletions,
  kEvents,
  kManagement,  ///< tables, and what firmware reads and writes
};
inline constexpr unsigned kEngineBlocks = 15;

/// What is handed on, and what EngineRecord::code and EngineRecord::number are.
enum class EngineRecordKind : std::uint8_t {
  kGrant,              ///< work requests to be fetched: their count, index of the first
  kPlan,               ///< a packet of a work request: operation (WrOp), index and bits of `plan`
  kRequestPacket,      ///< a packet of the requester: opcode, PSN
  kResponse,           ///< received, for the requester: opcode, PSN
  kRequest,            ///< received, for the responder: opcode, PSN
  kResponsePacket,     ///< a READ or atomic response: opcode, PSN
  kAck,                ///< ACK or NAK: syndrome, PSN
  kOrdered,            ///< a packet in the order of the wire: opcode, PSN
  kLeft,               ///< a packet left for the MAC: 1 when its payload failed, PSN
  kSendCompletion,     ///< status, index
  kReceiveCompletion,  ///< status, index
  kTimer,              ///< 1: the wait after an RNR NAK, 0: the timeout
  kSendFailure,        ///< event of the queue pair
  kReceiveFailure,     ///< event of the queue pair
  kEvent,              ///< event; `queue_pair` is what it names
  kWorkRequestsRead,   ///< count of blocks of 64 bytes, address
  kReceivesRead,       ///< likewise
  kListRead,           ///< likewise: where the data of a READ goes, again
  kAtomicRead,         ///< likewise
  kFirmwareRead,       ///< likewise
};
inline constexpr unsigned kEngineRecordKinds = 20;

/// Bits of EngineRecord::number of a plan, beside the index of its work request.
namespace plan {
inline constexpr unsigned kIndex = 0xFFFF;
inline constexpr unsigned kFirst = 1u << 16;
inline constexpr unsigned kLast = 1u << 17;
}  // namespace plan

struct EngineRecord {
  EngineRecordKind kind;
  std::uint64_t from_ns;     ///< offered
  std::uint64_t to_ns;       ///< taken by the next block
  std::uint32_t queue_pair;  ///< own; 0 for reads
  std::uint8_t code;
  std::uint64_t number;
};

}  // namespace roci::testbench
