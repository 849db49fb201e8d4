// SPDX-License-Identifier: Apache-2.0
// Records of the receive queue engine: responder, store of posted receives, atomic unit.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

/// What the responder knows of a queue pair.
inline constexpr Field kResponderQp[] = {
    {"epsn", 24, "PSN expected"},
    {"msn", 24, "Messages completed"},
    {"last_psn", 24, "Newest SEND or WRITE packet executed"},
    {"message", 2, "Message in flight: ResponderIn"},
    {"write_addr", 64, "WRITE: DMA address of the next byte"},
    {"write_pasid", 20, "WRITE: address space"},
    {"write_left", 32, "WRITE: bytes still to come"},
    {"write_rkey", 32, "WRITE: its key"},
    {"write_va", 64, "WRITE: remote address of the next byte"},
    {"bytes", 32, "Bytes of the message so far"},
    {"recv_index", 16, "SEND: receive that it fills"},
    {"nak_sent", 1, "The gap was NAKed; drop requests after it"},
    {"uc", 1, "Unreliable connection, since the first packet: no response leaves"},
    {"dead", 1, "Accepts no more requests"},
    {"established", 1, "CommEst was considered"},
    {"flush", 1, "Posted receives are to be flushed"},
    {"last_wqe", 1, "With an SRQ: QpLastWqe was raised"},
    {"ack", 2, "Acknowledge to send next: ResponderAck"},
    {"ack_psn", 24, "Its PSN"},
    {"ack_msn", 24, "Its MSN"},
    {"ack_syndrome", 8, "Its syndrome"},
    {"ack_ticket", 32, "Payload packets that must be in memory before it"},
    {"next", 1, "An ACK follows that one"},
    {"next_psn", 24, "Its PSN"},
    {"next_msn", 24, "Its MSN"},
    {"next_ticket", 32, "As ack_ticket"},
    {"pending", 16, "Replay slots whose response is to be sent"},
    {"replayed", 16, "Those of them whose response was sent before"},
    {"slot_next", 4, "Slot the next READ or atomic takes"},
    {"slot_count", 5, "Slots in use"},
    {"atomics", 5, "Jobs in the atomic unit"},
    {"last_desc", 16, "Number of the newest packet in tx's payload queue"},
    {"recv_next", 16, "Free-running index of the next receive to use"},
};

/// A READ or atomic kept for replay.
inline constexpr Field kResponderSlot[] = {
    {"psn", 24, "First PSN"},
    {"last_psn", 24, "Last PSN of the response"},
    {"opcode", 8, "Request"},
    {"va", 64, "Remote address of the request"},
    {"rkey", 32, "Its key"},
    {"msn", 24, "MSN of its response"},
    {"ticket", 32, "Payload packets that must be in memory before a READ"},
    {"first", 1, "READ: the next packet is the first of the response"},
    {"done", 1, "Atomic: the result is known"},
    {"next_psn", 24, "PSN of the next response packet"},
    {"pasid", 20, "READ: address space"},
    {"addr_operand", 64, "READ: DMA address of the next byte; atomic: swap or add operand"},
    {"length", 32, "READ: bytes of the whole; atomic: lower half of the compare operand"},
    {"left", 32, "READ: bytes not in a response yet; atomic: upper half of the compare operand"},
    {"original", 64, "Atomic: content of memory before it"},
    {"key_age", 32, "READ: changes of the key table before its key was looked up"},
};

/// Posted receives of a queue pair or of an SRQ; indices run free. A queue pair with an SRQ: its
/// one entry is the receive it holds.
inline constexpr Field kReceiveRing[] = {
    {"prod", 16, "Index to be posted next"},
    {"cons", 16, "Index of the oldest"},
    {"next", 16, "Index to be fetched next"},
    {"got", 16, "Index whose fetch ends next"},
    {"epoch", 4, "Generation of the fetches"},
    {"active", 1, "Receives are fetched"},
    {"flush", 1, "Queue pair in ERR: report what is posted"},
    {"fired", 1, "SRQ: the limit event was raised"},
};

/// Request to the store of posted receives, and its response.
inline constexpr Field kReceiveCmd[] = {
    {"qpn", 24, "Queue pair"},
    {"op", 2, "ReceiveOp"},
};
inline constexpr Field kReceiveRsp[] = {
    {"posted", 1, "A receive is posted"},
    {"fetched", 1, "Its list has been fetched"},
    {"index", 16, "Its free-running index"},
};

/// Command to the atomic unit, and its result.
inline constexpr Field kAtomicJob[] = {
    {"qpn", 24, "Queue pair"},
    {"op", 2, "AtomicOp"},
    {"slot", 4, "Replay slot, returned with the result"},
    {"addr", 64, "DMA address, a multiple of 8 except for a store"},
    {"pasid", 20, "Address space"},
    {"operand", 64, "Value to store, swap or add"},
    {"compare", 64, "Value to compare"},
    {"ticket", 16, "Payload packets that must be in memory first"},
};
inline constexpr Field kAtomicDone[] = {
    {"qpn", 24, "Queue pair"},
    {"slot", 4, "Replay slot"},
    {"original", 64, "Content before the operation"},
    {"error", 1, "Memory could not be read, or not be written"},
};

}  // namespace roci::spec
