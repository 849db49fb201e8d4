// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
// Opcodes, statuses, states and other named numbers.
#pragma once

#include <stdint.h>

// clang-format off

namespace roci::layout {

namespace ethertype {
inline constexpr uint16_t kIpv4 = 0x0800;  ///< RFC 791
inline constexpr uint16_t kArp = 0x0806;  ///< RFC 826
inline constexpr uint16_t kVlan = 0x8100;  ///< IEEE 802.1Q
inline constexpr uint16_t kIpv6 = 0x86DD;  ///< RFC 8200
inline constexpr uint16_t kRoceV1 = 0x8915;  ///< RoCE v1: a GRH and the BTH follow (A16)
}  // namespace ethertype

namespace protocol {
inline constexpr uint16_t kIpUdp = 17;  ///< IP protocol or next header of UDP
inline constexpr uint16_t kGrhBth = 27;  ///< Next header of a GRH: the BTH follows (8.3.5)
inline constexpr uint16_t kRoceUdpPort = 4791;  ///< UDP destination port of RoCE v2 (A17)
}  // namespace protocol

enum class WrOp : uint8_t {
  kSend = 0,  ///< SEND
  kSendImm = 1,  ///< SEND with immediate
  kWrite = 2,  ///< RDMA WRITE
  kWriteImm = 3,  ///< RDMA WRITE with immediate
  kRead = 4,  ///< RDMA READ
  kCmpSwap = 5,  ///< Atomic compare and swap
  kFetchAdd = 6,  ///< Atomic fetch and add
  kSendInv = 7,  ///< SEND with invalidate; `imm` of the WQE is the key
  kLocalInv = 8,  ///< Local invalidate of `rkey` (10.6.7)
  kBindMw = 9,  ///< Bind a memory window, see docs/queues.md
  kRegMr = 10,  ///< Fast registration, see docs/queues.md
};

enum class Status : uint8_t {
  kSuccess = 0,  ///< All data moved
  kLocLenErr = 1,  ///< Receive too small, message too long, or READ response of a wrong length
  kLocQpOpErr = 2,  ///< Work request malformed for the queue pair
  kLocProtErr = 4,  ///< Local key, bounds or rights
  kWrFlushErr = 5,  ///< Flushed: the queue pair is in error
  kMwBindErr = 6,  ///< Bind rejected: rights, range or owner of the region, or the window is bound
  kBadRespErr = 7,  ///< Response with an impossible opcode or syndrome
  kLocAccessErr = 8,  ///< Responder: remote access error on a request that holds a receive
  kRemInvReqErr = 9,  ///< Peer sent NAK invalid request
  kRemAccessErr = 10,  ///< Peer sent NAK remote access error
  kRemOpErr = 11,  ///< Peer sent NAK remote operational error
  kRetryExcErr = 12,  ///< Transport retries ran out
  kRnrRetryExcErr = 13,  ///< RNR retries ran out
  kFatalErr = 19,  ///< Adapter error, such as a failed DMA
};

enum class WcOp : uint8_t {
  kSend = 0,  ///< SEND
  kWrite = 1,  ///< RDMA WRITE
  kRead = 2,  ///< RDMA READ
  kCmpSwap = 3,  ///< Compare and swap
  kFetchAdd = 4,  ///< Fetch and add
  kBindMw = 5,  ///< Bind of a memory window
  kLocalInv = 6,  ///< Local invalidate
  kRegMr = 8,  ///< Fast registration; no number of libibverbs
  kRecv = 128,  ///< Receive of a SEND
  kRecvWriteImm = 129,  ///< Receive of an RDMA WRITE with immediate
};

enum class QpState : uint8_t {
  kReset = 0,  ///< Not in use
  kInit = 1,  ///< Receives may be posted
  kRtr = 2,  ///< Ready to receive
  kRts = 3,  ///< Ready to send
  kSqd = 4,  ///< Send queue drained
  kSqe = 5,  ///< UC and UD: sends flush, receives go on
  kErr = 6,  ///< Error: everything flushes
};

enum class Service : uint8_t {
  kRc = 0,  ///< Reliable connection
  kUc = 1,  ///< Unreliable connection
  kUd = 2,  ///< Unreliable datagram
};

enum class Option : uint8_t {
  kAtomics = 0,  ///< Atomics, as requester and as responder
  /// Memory windows, fast regions, and invalidation of keys by work requests and peers
  kKeyOps = 1,
  kSrq = 2,  ///< Shared receive queues
  kQpCounters = 3,  ///< Counters of each queue pair
  kNetworks = 4,  ///< RoCE over IPv6, RoCE v1 and VLAN tags
  kPosts = 5,  ///< Work requests that come with their doorbell
};

enum class AethKind : uint8_t {
  kAck = 0,  ///< Acknowledge; 4:0 credits
  kRnr = 1,  ///< Receiver not ready; 4:0 timer code
  kNak = 3,  ///< Negative; 4:0 code
};

namespace syndrome {
inline constexpr uint8_t kAckNoCredits = 0x001F;  ///< ACK, credits not used
inline constexpr uint8_t kRnrNak = 0x0020;  ///< RNR NAK; the timer code is ORed in
inline constexpr uint8_t kNakSequence = 0x0060;  ///< PSN sequence error
inline constexpr uint8_t kNakInvalid = 0x0061;  ///< Invalid request
inline constexpr uint8_t kNakAccess = 0x0062;  ///< Remote access error
inline constexpr uint8_t kNakOperational = 0x0063;  ///< Remote operational error
}  // namespace syndrome

namespace access {
inline constexpr uint32_t kLocalWrite = 1u << 0;  ///< Bit: local write
inline constexpr uint32_t kRemoteWrite = 1u << 1;  ///< Bit: remote write
inline constexpr uint32_t kRemoteRead = 1u << 2;  ///< Bit: remote read
inline constexpr uint32_t kRemoteAtomic = 1u << 3;  ///< Bit: remote atomic
inline constexpr uint32_t kMwBind = 1u << 4;  ///< Bit: windows may be bound to the region
/// Bit: addresses of the window count from its start
inline constexpr uint32_t kZeroBased = 1u << 5;
}  // namespace access

enum class KeyKind : uint8_t {
  kRegion = 0,  ///< Registered by a command
  kWindowType1 = 1,  ///< Memory window, usable on every queue pair of its domain
  kWindowType2 = 2,  ///< Memory window, usable on the queue pair that bound it (type 2B)
  kFastRegion = 3,  ///< Registered by a work request
};

enum class KeyOp : uint8_t {
  kInvalidate = 0,  ///< Free the key (10.6.7): type 2 windows and fast regions
  kBind = 1,  ///< Bind a window to a range of a region
  kRegister = 2,  ///< Give a fast region its range
};

enum class DropCause : uint8_t {
  kIcrc = 0,  ///< RoCE frame with a wrong ICRC
  kMalformed = 1,  ///< Lengths, IP or UDP checksum, TVer, pad or options wrong
  kOverflow = 2,  ///< Receive buffer full
  kUnknownQp = 3,  ///< Queue pair not in use, or in a state that accepts no such packet
  kAddress = 4,  ///< Source or destination address is not the connection's
  kPkey = 5,  ///< Partition key does not match
  kOpcode = 6,  ///< Opcode of another transport, reserved, or not allowed
  kGhost = 7,  ///< Response outside the outstanding window
  kDuplicate = 8,  ///< Duplicate request that gets no response
  kOutOfSequence = 9,  ///< Request ahead of the expected PSN, beyond the one that was NAKed
};

enum class EventKind : uint8_t {
  kCompletion = 1,  ///< A CQ that was armed got an entry; `number` is the CQ
  kCqError = 2,  ///< A CQ overflowed; `number` is the CQ
  kQpFatal = 3,  ///< The adapter moved the queue pair to ERR; `number` is the QP
  kQpRequest = 4,  ///< Responder sent NAK invalid request; `number` is the QP
  kQpAccess = 5,  ///< Responder sent NAK remote access error; `number` is the QP
  kCommEst = 6,  ///< First request arrived in RTR; `number` is the QP
  kSqDrained = 7,  ///< Send queue drained; `number` is the QP
  kSrqLimit = 8,  ///< Receives in an SRQ fell below its limit; `number` is the SRQ
  kQpLastWqe = 9,  ///< QP in error takes no more receives from its SRQ; `number` is the QP
  kSrqError = 10,  ///< A receive of an SRQ could not be read; `number` is the SRQ
};

enum class VendorErr : uint8_t {
  kNone = 0,  ///< Success, flushed, or the status is the whole cause
  kLocalKey = 1,  ///< Key, bounds or rights of the send list
  kLocalLength = 2,  ///< List shorter than the message, message too long, atomic not of 8 bytes
  kLocalFormat = 3,  ///< Opcode, list or inline data of the work request
  kLocalFetch = 4,  ///< Work request could not be read
  kNoDepth = 5,  ///< READ or atomic while max_rd_atomic is 0
  kKeyOperation = 6,  ///< Local invalidate, bind or registration was rejected
  kPayload = 7,  ///< Payload of a SEND or WRITE could not be read
  kAddressHandle = 8,  ///< UD: no such address handle in the protection domain
  kResponseKind = 16,  ///< Response of a kind that does not fit the request
  kResponseLength = 17,  ///< READ response of a wrong length
  kResponseSyndrome = 18,  ///< Reserved syndrome, or a NAK code that RC does not have
  kPlaceKey = 19,  ///< Key, bounds or rights where READ data or an atomic result goes
  kPlaceFetch = 20,  ///< Work request of a READ could not be fetched for its response
  kRetryTimeout = 32,  ///< Last retry ended by the timer
  kRetrySequence = 33,  ///< Last retry ended by a NAK sequence error
  kRetryImplied = 34,  ///< Last retry ended by a response that skipped a READ or atomic
  kRetryRnr = 35,  ///< Last RNR retry ended by an RNR NAK
  kPeerNak = 48,  ///< The peer NAKed the request
};

enum class QpEvent : uint8_t {
  kInitRequester = 0,  ///< Entering RTS from RTR: take the SQ PSN, forget the old generation
  kInitResponder = 1,  ///< Entering RTR: take the RQ PSN, forget the old generation
  kFlush = 2,  ///< Entering ERR or SQE: complete every posted work request with a flush
  kResume = 3,  ///< From SQE to RTS: send what is posted from now on
};

enum class FailKind : uint8_t {
  kSends = 0,  ///< UC: the queue pair goes to SQE, its receives go on, and no event is raised
};

enum class SchedEvent : uint8_t {
  kState = 0,  ///< State row
  kCommand = 1,  ///< A generation begins, or is flushed
  kSet = 2,  ///< Pointer of the requester
  kSegment = 3,  ///< Pointer of the segmenter: end of a grant
  kBell = 4,  ///< Doorbell
  kGrant = 5,  ///< Head of the ready queue
};

enum class MessageKind : uint8_t {
  kData = 0,  ///< SEND or WRITE
  kRead = 1,  ///< READ
  kAtomic = 2,  ///< Atomic
  kError = 3,  ///< Completes with `status` when it is the oldest
};

enum class ResponseAsk : uint8_t {
  kNone = 0,  ///< Nothing
  kRecover = 1,  ///< Return to the oldest unacknowledged PSN: a gap
  kRnr = 2,  ///< Return to that PSN after the RNR delay
  kFatal = 3,  ///< The peer NAKed the request: it fails
  kSyndrome = 4,  ///< A syndrome that is reserved for RC
  kData = 5,  ///< Place data of a READ
  kAtomic = 6,  ///< Place the result of an atomic
};

enum class RequesterState : uint8_t {
  kIdle = 0,  ///< Wait for an event
  kCompare = 1,  ///< Compare the oldest message with what a response acknowledges
  kPlan = 2,  ///< Send the packet of a plan, or drop the plan
  kOperate = 3,  ///< Request a key operation
  kOperating = 4,  ///< Wait for its response
  kOperated = 5,  ///< Complete the work request of the key operation
  kRetire = 6,  ///< Complete what a response acknowledges
  kAct = 7,  ///< Act on its ResponseAsk
  kPlace = 8,  ///< Look up the memory for its data
  kPlaced = 9,  ///< The memory for its data is known
  kRecover = 10,  ///< Return to the oldest unacknowledged PSN
  kFail = 11,  ///< Complete with an error
  kFlush = 12,  ///< Complete the outstanding work requests as flushed
  kEnd = 13,  ///< End the event of a response
  kHandle = 14,  ///< Timers, commands, and responses outside of the window
  kDone = 15,  ///< End an event whose last step took long to know that it was the last
};

enum class ResponderIn : uint8_t {
  kNothing = 0,  ///< Between messages
  kSend = 1,  ///< SEND
  kWrite = 2,  ///< RDMA WRITE
};

enum class ResponderAck : uint8_t {
  kNone = 0,  ///< Nothing
  kAck = 1,  ///< ACK, when the payload is in memory
  kNak = 2,  ///< NAK or RNR NAK, at once
  kFatal = 3,  ///< NAK that ends the connection; sent even in ERR
};

enum class Verdict : uint8_t {
  kIgnore = 0,  ///< Queue pair has failed: no response
  kAhead = 1,  ///< After a gap that was NAKed before: no response
  kGap = 2,  ///< First request after a gap: NAK sequence error
  kReack = 3,  ///< Duplicate SEND or WRITE: repeat the ACK
  kReplay = 4,  ///< Duplicate READ or atomic: find its replay slot
  kPeek = 5,  ///< Uses a receive: check that one is posted
  kRnr = 6,  ///< No receive: RNR NAK
  kNak = 7,  ///< Violates a rule: NAK, and the connection ends
  kDiscard = 8,  ///< UC: the message is dropped, and its receive serves the next one
  kSend = 9,  ///< Execute
  kWrite = 10,  ///< Execute
  kRead = 11,  ///< Execute
  kAtomic = 12,  ///< Execute
};

enum class ResponderKind : uint8_t {
  kEvent = 0,  ///< A change of state
  kResult = 1,  ///< An atomic is done
  kLive = 2,  ///< Firmware reads the live state
  kRequest = 3,  ///< A packet
  kStep = 4,  ///< A step of a response, or of a flush
  kFault = 5,  ///< Memory could not be written or read
};

enum class ReceiveOp : uint8_t {
  kPeek = 0,  ///< Report the oldest receive
  kFree = 1,  ///< The oldest receive has been used
  kInit = 2,  ///< Entering RTR: start fetching
  kFlush = 3,  ///< Entering ERR: stop fetching, report receives posted from now on
};

enum class AtomicOp : uint8_t {
  kStore = 0,  ///< Write the operand: result of an atomic of this side
  kCmpSwap = 1,  ///< Compare and swap
  kFetchAdd = 2,  ///< Fetch and add
};

enum class TimerOp : uint8_t {
  kStart = 0,  ///< Run for the transport timeout unless the timer is running
  kRestart = 1,  ///< Run for the transport timeout from now
  kStop = 2,  ///< Nothing outstanding (a Start since expiry wins)
  kRnr = 3,  ///< Run for the RNR time of `code` from now
};

enum class CqOp : uint8_t {
  kEntry = 0,  ///< Write an entry
  kConsumer = 1,  ///< Doorbell: consumer index
  kArm = 2,  ///< Doorbell: arm
  kRestart = 3,  ///< A row was written
  kPeriod = 4,  ///< A moderation period ended
  kLive = 5,  ///< Read the ring
  kBreak = 6,  ///< An entry did not reach memory
};

enum class CqArmed : uint8_t {
  kNo = 0,  ///< Not armed
  kSolicited = 1,  ///< For solicited entries and errors
  kAny = 2,  ///< For any entry
};

enum class Table : uint8_t {
  kQpAttr = 0,  ///< Row of kQpAttr, write and read
  kAv = 1,  ///< Row of kAv, write only
  kQpState = 2,  ///< QpState in bits 2:0, write and read; a write acts
  kKey = 3,  ///< Row of kKey, write and read
  /// Row of kCq, write and read; a write restarts the ring unless only moderation changes
  kCq = 4,
  kQpCounters = 5,  ///< Eight 64-bit counters, read only, see QpCounter
  kQpLive = 6,  ///< Row of kQpLive, read only
  kSrq = 7,  ///< Row of kSrq, write and read
  kSrqLive = 8,  ///< Row of kSrqLive, read only
  kCqLive = 9,  ///< Row of kCqLive, read only
  kQpService = 10,  ///< Row of kQpService, write only; engines with UC or UD
  kAh = 11,  ///< Row of kAh by address handle, write only; engines with UD
  kGid = 12,  ///< Row of kGid, write only; engines with UD
  kMulticast = 13,  ///< Row of kMulticast by attachment, write only; engines with multicast
};

enum class QpCounter : uint8_t {
  kTxPackets = 0,  ///< Packets sent
  kTxBytes = 1,  ///< Payload bytes sent
  kRxPackets = 2,  ///< Packets accepted
  kRxBytes = 3,  ///< Payload bytes accepted
  kRetries = 4,  ///< Returns to an earlier PSN
  kTimeouts = 5,  ///< Retries caused by the timer
  kNaksSent = 6,  ///< NAKs sent, RNR included
  kNaksReceived = 7,  ///< NAKs received, RNR included
};

enum class PortCounter : uint8_t {
  kDropFirst = 0,  ///< Drop causes, see DropCause
  kRxFrames = 10,  ///< Frames received from the MAC
  kRxBytes = 11,  ///< Bytes received from the MAC
  kTxFrames = 12,  ///< Frames sent to the MAC
  kTxBytes = 13,  ///< Bytes sent to the MAC
  kRxRoce = 14,  ///< RoCE packets accepted by the transport
  kRxEthernet = 15,  ///< Frames handed to the Ethernet path or to firmware
  kQkeyViolations = 16,  ///< UD packets whose Q_Key is not the queue pair's (10.2.5)
  kDiscards = 17,  ///< UC and UD packets that were accepted and not delivered
};

enum class AdminOp : uint16_t {
  kQueryDevice = 1,  ///< Limits of the adapter
  kQueryPort = 2,  ///< State, MTU, MAC
  kSetGid = 3,  ///< Writes an entry of the GID table; the zero GID clears it
  kQueryGid = 4,  ///< Reads an entry of the GID table
  kCreateCq = 5,  ///< Makes a completion queue on memory of the caller
  kModifyCq = 6,  ///< Completion moderation
  kDestroyCq = 7,  ///< Rejected while a queue pair uses it
  kCreateQp = 8,  ///< Makes a queue pair in RESET on memory of the caller
  kModifyQp = 9,  ///< State and attributes, by the rules of 11.2.5.2
  kQueryQp = 10,  ///< State and attributes
  kDestroyQp = 11,  ///< Returns when no access of it can follow
  kRegMr = 12,  ///< Registers a region
  kDeregMr = 13,  ///< Returns when no access through it can follow
  kResolveAddress = 14,  ///< MAC address of a GID, by ARP or neighbour discovery
  kAllocPd = 15,  ///< Makes a protection domain
  kDeallocPd = 16,  ///< Rejected while an object of the domain exists
  kQueryCounters = 17,  ///< Counters of the port or of a queue pair
  kAllocMw = 18,  ///< Makes a memory window, unbound
  kDeallocMw = 19,  ///< Returns when no access through it can follow
  kAllocFastMr = 20,  ///< Makes a region for RegMr work requests, free
  kCreateSrq = 21,  ///< Makes a shared receive queue on memory of the caller
  kModifySrq = 22,  ///< Arms the limit event
  kQuerySrq = 23,  ///< Limit and fill
  kDestroySrq = 24,  ///< Rejected while a queue pair uses it
  kResizeCq = 25,  ///< Moves the unread entries to another ring (11.2.6.3)
  kSetPkey = 26,  ///< Writes an entry of the P_Key table
  kQueryPkey = 27,  ///< Reads an entry of the P_Key table
  kReregMr = 28,  ///< Changes domain, rights or range of a region
  kCreateAh = 29,  ///< Makes an address handle; resolves its address
  kDestroyAh = 30,  ///< Returns when no send that names it is in progress
  kAttachMulticast = 31,  ///< Attaches a UD queue pair to a group; again: the same attachment
  kDetachMulticast = 32,  ///< Returns when no datagram of the group is delivered any more
};

enum class AdminStatus : uint16_t {
  kOk = 0,  ///< Done
  kBadOpcode = 1,  ///< No such command
  kBadHandle = 2,  ///< No such queue pair, CQ, key, PD or GID index
  kBadParameter = 3,  ///< A value out of range, or an address not aligned
  kBadState = 4,  ///< Transition or attribute not allowed in this state
  kNoResource = 5,  ///< Table full
  kBusy = 6,  ///< In use by something else
  kUnreachable = 7,  ///< Address did not resolve
  kHardwareError = 8,  ///< DMA of firmware failed
  kUnsupported = 9,  ///< The engine does not have it
};

namespace qp_mask {
inline constexpr uint32_t kState = 1u << 0;
inline constexpr uint32_t kCurState = 1u << 1;
inline constexpr uint32_t kEnSqdAsyncNotify = 1u << 2;
inline constexpr uint32_t kAccessFlags = 1u << 3;
inline constexpr uint32_t kPkeyIndex = 1u << 4;
inline constexpr uint32_t kPort = 1u << 5;
inline constexpr uint32_t kQkey = 1u << 6;
inline constexpr uint32_t kAv = 1u << 7;
inline constexpr uint32_t kPathMtu = 1u << 8;
inline constexpr uint32_t kTimeout = 1u << 9;
inline constexpr uint32_t kRetryCnt = 1u << 10;
inline constexpr uint32_t kRnrRetry = 1u << 11;
inline constexpr uint32_t kRqPsn = 1u << 12;
inline constexpr uint32_t kMaxQpRdAtomic = 1u << 13;
inline constexpr uint32_t kMinRnrTimer = 1u << 15;
inline constexpr uint32_t kSqPsn = 1u << 16;
inline constexpr uint32_t kMaxDestRdAtomic = 1u << 17;
inline constexpr uint32_t kDestQpn = 1u << 20;
}  // namespace qp_mask

/// Opcodes of the base transport header (9.2.1).
namespace opcode {
inline constexpr uint8_t kRcSendFirst = 0x00;
inline constexpr uint8_t kRcSendMiddle = 0x01;
inline constexpr uint8_t kRcSendLast = 0x02;
inline constexpr uint8_t kRcSendLastImm = 0x03;
inline constexpr uint8_t kRcSendOnly = 0x04;
inline constexpr uint8_t kRcSendOnlyImm = 0x05;
inline constexpr uint8_t kRcWriteFirst = 0x06;
inline constexpr uint8_t kRcWriteMiddle = 0x07;
inline constexpr uint8_t kRcWriteLast = 0x08;
inline constexpr uint8_t kRcWriteLastImm = 0x09;
inline constexpr uint8_t kRcWriteOnly = 0x0A;
inline constexpr uint8_t kRcWriteOnlyImm = 0x0B;
inline constexpr uint8_t kRcReadRequest = 0x0C;
inline constexpr uint8_t kRcReadRespFirst = 0x0D;
inline constexpr uint8_t kRcReadRespMiddle = 0x0E;
inline constexpr uint8_t kRcReadRespLast = 0x0F;
inline constexpr uint8_t kRcReadRespOnly = 0x10;
inline constexpr uint8_t kRcAck = 0x11;
inline constexpr uint8_t kRcAtomicAck = 0x12;
inline constexpr uint8_t kRcCmpSwap = 0x13;
inline constexpr uint8_t kRcFetchAdd = 0x14;
inline constexpr uint8_t kRcSendLastInv = 0x16;
inline constexpr uint8_t kRcSendOnlyInv = 0x17;
inline constexpr uint8_t kUcSendFirst = 0x20;
inline constexpr uint8_t kUcSendMiddle = 0x21;
inline constexpr uint8_t kUcSendLast = 0x22;
inline constexpr uint8_t kUcSendLastImm = 0x23;
inline constexpr uint8_t kUcSendOnly = 0x24;
inline constexpr uint8_t kUcSendOnlyImm = 0x25;
inline constexpr uint8_t kUcWriteFirst = 0x26;
inline constexpr uint8_t kUcWriteMiddle = 0x27;
inline constexpr uint8_t kUcWriteLast = 0x28;
inline constexpr uint8_t kUcWriteLastImm = 0x29;
inline constexpr uint8_t kUcWriteOnly = 0x2A;
inline constexpr uint8_t kUcWriteOnlyImm = 0x2B;
inline constexpr uint8_t kUdSendOnly = 0x64;
inline constexpr uint8_t kUdSendOnlyImm = 0x65;
inline constexpr uint8_t kCnp = 0x81;
}  // namespace opcode

}  // namespace roci::layout
