// SPDX-License-Identifier: Apache-2.0
// Named numbers: opcodes, statuses, states. Values of the wire and of verbs are those of the
// specification and of libibverbs; the others are this adapter's own.
#pragma once

#include "model/spec/code.hpp"
#include "model/spec/engine_codes.hpp"
#include "model/spec/field.hpp"

namespace roci::spec {

/// One RC opcode: 9.2.1, table of base transport header opcodes.
struct Opcode {
  std::string_view name;
  std::uint8_t value;
  unsigned ext_bytes;  ///< extension headers between BTH and payload
  bool payload;        ///< may carry payload
};

inline constexpr Opcode kOpcodes[] = {
    {"RcSendFirst", 0x00, 0, true},      {"RcSendMiddle", 0x01, 0, true},
    {"RcSendLast", 0x02, 0, true},       {"RcSendLastImm", 0x03, 4, true},
    {"RcSendOnly", 0x04, 0, true},       {"RcSendOnlyImm", 0x05, 4, true},
    {"RcWriteFirst", 0x06, 16, true},    {"RcWriteMiddle", 0x07, 0, true},
    {"RcWriteLast", 0x08, 0, true},      {"RcWriteLastImm", 0x09, 4, true},
    {"RcWriteOnly", 0x0A, 16, true},     {"RcWriteOnlyImm", 0x0B, 20, true},
    {"RcReadRequest", 0x0C, 16, false},  {"RcReadRespFirst", 0x0D, 4, true},
    {"RcReadRespMiddle", 0x0E, 0, true}, {"RcReadRespLast", 0x0F, 4, true},
    {"RcReadRespOnly", 0x10, 4, true},   {"RcAck", 0x11, 4, false},
    {"RcAtomicAck", 0x12, 12, false},    {"RcCmpSwap", 0x13, 28, false},
    {"RcFetchAdd", 0x14, 28, false},     {"RcSendLastInv", 0x16, 4, true},
    {"RcSendOnlyInv", 0x17, 4, true},
};

/// Opcodes of UC, UD and congestion notification; an engine without a service drops its packets.
inline constexpr Opcode kOtherOpcodes[] = {
    {"UcSendFirst", 0x20, 0, true},   {"UcSendMiddle", 0x21, 0, true},
    {"UcSendLast", 0x22, 0, true},    {"UcSendLastImm", 0x23, 4, true},
    {"UcSendOnly", 0x24, 0, true},    {"UcSendOnlyImm", 0x25, 4, true},
    {"UcWriteFirst", 0x26, 16, true}, {"UcWriteMiddle", 0x27, 0, true},
    {"UcWriteLast", 0x28, 0, true},   {"UcWriteLastImm", 0x29, 4, true},
    {"UcWriteOnly", 0x2A, 16, true},  {"UcWriteOnlyImm", 0x2B, 20, true},
    {"UdSendOnly", 0x64, 8, true},    {"UdSendOnlyImm", 0x65, 12, true},
    {"Cnp", 0x81, 16, false},
};

inline constexpr Code kEtherTypes[] = {
    {"Ipv4", 0x0800, "RFC 791"},
    {"Arp", 0x0806, "RFC 826"},
    {"Vlan", 0x8100, "IEEE 802.1Q"},
    {"Ipv6", 0x86DD, "RFC 8200"},
    {"RoceV1", 0x8915, "RoCE v1: a GRH and the BTH follow (A16)"},
};

inline constexpr Code kProtocol[] = {
    {"IpUdp", 17, "IP protocol or next header of UDP"},
    {"GrhBth", 27, "Next header of a GRH: the BTH follows (8.3.5)"},
    {"RoceUdpPort", 4791, "UDP destination port of RoCE v2 (A17)"},
};

/// Operation of a send work request (`opcode` of the SQ WQE).
inline constexpr Code kWrOps[] = {
    {"Send", 0, "SEND"},
    {"SendImm", 1, "SEND with immediate"},
    {"Write", 2, "RDMA WRITE"},
    {"WriteImm", 3, "RDMA WRITE with immediate"},
    {"Read", 4, "RDMA READ"},
    {"CmpSwap", 5, "Atomic compare and swap"},
    {"FetchAdd", 6, "Atomic fetch and add"},
    {"SendInv", 7, "SEND with invalidate; `imm` of the WQE is the key"},
    {"LocalInv", 8, "Local invalidate of `rkey` (10.6.7)"},
    {"BindMw", 9, "Bind a memory window, see docs/queues.md"},
    {"RegMr", 10, "Fast registration, see docs/queues.md"},
};

/// Completion status, numbered as ibv_wc_status.
inline constexpr Code kStatuses[] = {
    {"Success", 0, "All data moved"},
    {"LocLenErr", 1, "Receive too small, message too long, or READ response of a wrong length"},
    {"LocQpOpErr", 2, "Work request malformed for the queue pair"},
    {"LocProtErr", 4, "Local key, bounds or rights"},
    {"WrFlushErr", 5, "Flushed: the queue pair is in error"},
    {"MwBindErr", 6, "Bind rejected: rights, range or owner of the region, or the window is bound"},
    {"BadRespErr", 7, "Response with an impossible opcode or syndrome"},
    {"LocAccessErr", 8, "Responder: remote access error on a request that holds a receive"},
    {"RemInvReqErr", 9, "Peer sent NAK invalid request"},
    {"RemAccessErr", 10, "Peer sent NAK remote access error"},
    {"RemOpErr", 11, "Peer sent NAK remote operational error"},
    {"RetryExcErr", 12, "Transport retries ran out"},
    {"RnrRetryExcErr", 13, "RNR retries ran out"},
    {"FatalErr", 19, "Adapter error, such as a failed DMA"},
};

/// Opcode of a completion, numbered as ibv_wc_opcode.
inline constexpr Code kWcOps[] = {
    {"Send", 0, "SEND"},
    {"Write", 1, "RDMA WRITE"},
    {"Read", 2, "RDMA READ"},
    {"CmpSwap", 3, "Compare and swap"},
    {"FetchAdd", 4, "Fetch and add"},
    {"BindMw", 5, "Bind of a memory window"},
    {"LocalInv", 6, "Local invalidate"},
    {"RegMr", 8, "Fast registration; no number of libibverbs"},
    {"Recv", 128, "Receive of a SEND"},
    {"RecvWriteImm", 129, "Receive of an RDMA WRITE with immediate"},
};

/// Queue pair states, numbered as ibv_qp_state.
inline constexpr Code kQpStates[] = {
    {"Reset", 0, "Not in use"},
    {"Init", 1, "Receives may be posted"},
    {"Rtr", 2, "Ready to receive"},
    {"Rts", 3, "Ready to send"},
    {"Sqd", 4, "Send queue drained"},
    {"Sqe", 5, "UC and UD: sends flush, receives go on"},
    {"Err", 6, "Error: everything flushes"},
};

/// Transport service of a queue pair; bits 7:5 of the opcodes of its packets are 0, 1 and 3.
inline constexpr Code kServices[] = {
    {"Rc", 0, "Reliable connection"},
    {"Uc", 1, "Unreliable connection"},
    {"Ud", 2, "Unreliable datagram"},
};

/// What an engine can be built without, by a parameter of roci_nic.
inline constexpr Code kOptions[] = {
    {"Atomics", 0, "Atomics, as requester and as responder"},
    {"KeyOps", 1,
     "Memory windows, fast regions, and invalidation of keys by work requests and peers"},
    {"Srq", 2, "Shared receive queues"},
    {"QpCounters", 3, "Counters of each queue pair"},
    {"Networks", 4, "RoCE over IPv6, RoCE v1 and VLAN tags"},
    {"Posts", 5, "Work requests that come with their doorbell"},
};

/// Kind of an AETH, bits 7:5 of the syndrome (9.3.5).
inline constexpr Code kAethKinds[] = {
    {"Ack", 0, "Acknowledge; 4:0 credits"},
    {"Rnr", 1, "Receiver not ready; 4:0 timer code"},
    {"Nak", 3, "Negative; 4:0 code"},
};

/// Whole syndromes that the responder sends (9.7.5.2).
inline constexpr Code kSyndromes[] = {
    {"AckNoCredits", 0x1F, "ACK, credits not used"},
    {"RnrNak", 0x20, "RNR NAK; the timer code is ORed in"},
    {"NakSequence", 0x60, "PSN sequence error"},
    {"NakInvalid", 0x61, "Invalid request"},
    {"NakAccess", 0x62, "Remote access error"},
    {"NakOperational", 0x63, "Remote operational error"},
};

/// Bits of access rights, of regions and of queue pairs. Numbered as ibv_access_flags.
inline constexpr Code kAccess[] = {
    {"LocalWrite", 0, "Bit: local write"},
    {"RemoteWrite", 1, "Bit: remote write"},
    {"RemoteRead", 2, "Bit: remote read"},
    {"RemoteAtomic", 3, "Bit: remote atomic"},
    {"MwBind", 4, "Bit: windows may be bound to the region"},
    {"ZeroBased", 5, "Bit: addresses of the window count from its start"},
};

/// What a row of the key table is.
inline constexpr Code kKeyKinds[] = {
    {"Region", 0, "Registered by a command"},
    {"WindowType1", 1, "Memory window, usable on every queue pair of its domain"},
    {"WindowType2", 2, "Memory window, usable on the queue pair that bound it (type 2B)"},
    {"FastRegion", 3, "Registered by a work request"},
};

/// Operation on a row of the key table by a work request or a SEND with invalidate.
inline constexpr Code kKeyOps[] = {
    {"Invalidate", 0, "Free the key (10.6.7): type 2 windows and fast regions"},
    {"Bind", 1, "Bind a window to a range of a region"},
    {"Register", 2, "Give a fast region its range"},
};

/// Why the adapter dropped a received frame or packet; also the index of its port counter.
inline constexpr Code kDropCauses[] = {
    {"Icrc", 0, "RoCE frame with a wrong ICRC"},
    {"Malformed", 1, "Lengths, IP or UDP checksum, TVer, pad or options wrong"},
    {"Overflow", 2, "Receive buffer full"},
    {"UnknownQp", 3, "Queue pair not in use, or in a state that accepts no such packet"},
    {"Address", 4, "Source or destination address is not the connection's"},
    {"Pkey", 5, "Partition key does not match"},
    {"Opcode", 6, "Opcode of another transport, reserved, or not allowed"},
    {"Ghost", 7, "Response outside the outstanding window"},
    {"Duplicate", 8, "Duplicate request that gets no response"},
    {"OutOfSequence", 9, "Request ahead of the expected PSN, beyond the one that was NAKed"},
};

/// Kinds of event queue entries.
inline constexpr Code kEvents[] = {
    {"Completion", 1, "A CQ that was armed got an entry; `number` is the CQ"},
    {"CqError", 2, "A CQ overflowed; `number` is the CQ"},
    {"QpFatal", 3, "The adapter moved the queue pair to ERR; `number` is the QP"},
    {"QpRequest", 4, "Responder sent NAK invalid request; `number` is the QP"},
    {"QpAccess", 5, "Responder sent NAK remote access error; `number` is the QP"},
    {"CommEst", 6, "First request arrived in RTR; `number` is the QP"},
    {"SqDrained", 7, "Send queue drained; `number` is the QP"},
    {"SrqLimit", 8, "Receives in an SRQ fell below its limit; `number` is the SRQ"},
    {"QpLastWqe", 9, "QP in error takes no more receives from its SRQ; `number` is the QP"},
    {"SrqError", 10, "A receive of an SRQ could not be read; `number` is the SRQ"},
};

/// Cause of a bad completion of a send, within its status (`vendor_err` of the CQE).
inline constexpr Code kVendorErrs[] = {
    {"None", 0, "Success, flushed, or the status is the whole cause"},
    {"LocalKey", 1, "Key, bounds or rights of the send list"},
    {"LocalLength", 2, "List shorter than the message, message too long, atomic not of 8 bytes"},
    {"LocalFormat", 3, "Opcode, list or inline data of the work request"},
    {"LocalFetch", 4, "Work request could not be read"},
    {"NoDepth", 5, "READ or atomic while max_rd_atomic is 0"},
    {"KeyOperation", 6, "Local invalidate, bind or registration was rejected"},
    {"Payload", 7, "Payload of a SEND or WRITE could not be read"},
    {"AddressHandle", 8, "UD: no such address handle in the protection domain"},
    {"ResponseKind", 16, "Response of a kind that does not fit the request"},
    {"ResponseLength", 17, "READ response of a wrong length"},
    {"ResponseSyndrome", 18, "Reserved syndrome, or a NAK code that RC does not have"},
    {"PlaceKey", 19, "Key, bounds or rights where READ data or an atomic result goes"},
    {"PlaceFetch", 20, "Work request of a READ could not be fetched for its response"},
    {"RetryTimeout", 32, "Last retry ended by the timer"},
    {"RetrySequence", 33, "Last retry ended by a NAK sequence error"},
    {"RetryImplied", 34, "Last retry ended by a response that skipped a READ or atomic"},
    {"RetryRnr", 35, "Last RNR retry ended by an RNR NAK"},
    {"PeerNak", 48, "The peer NAKed the request"},
};

}  // namespace roci::spec
