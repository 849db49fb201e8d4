// SPDX-License-Identifier: Apache-2.0
// Records that travel between the blocks of the engine, each with a valid/ready handshake. The
// first field lies in the lowest bits.
#pragma once

#include "model/spec/context.hpp"
#include "model/spec/field.hpp"

namespace roci::spec {

/// A packet to send. `ext` has the first extension byte on the wire in its top bits.
inline constexpr Field kTxDesc[] = {
    {"qpn", 24, "Own queue pair; selects the address vector"},
    {"opcode", 8, "BTH opcode"},
    {"psn", 24, "Packet sequence number"},
    {"solicited", 1, "SE bit"},
    {"ack_req", 1, "AckReq bit"},
    {"ext_len", 5, "Bytes of extension headers, 0 to 28"},
    {"payload_len", 13, "Bytes of payload, 0 to 4096"},
    {"ext", 224, "Extension headers, left-aligned"},
};

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

/// A packet that left.
inline constexpr Field kSent[] = {
    {"qpn", 24, "Own queue pair"},
    {"psn", 24, "Packet"},
    {"error", 1, "Its ICRC is inverted: its payload could not be read"},
};

/// A piece of host memory that a packet's payload comes from or goes to.
inline constexpr Field kSeg[] = {
    {"addr", 64, "DMA address of the first byte"},
    {"pasid", 20, "Address space"},
    {"len", 13, "Bytes, 1 to 4096"},
    {"last", 1, "Last piece of the packet"},
    {"drop", 1, "Scatter only: skip these bytes, touch no memory"},
};

/// A received RC packet that passed every check that needs no transport state.
inline constexpr Field kRxMeta[] = {
    {"qpn", 24, "Own queue pair"},
    {"opcode", 8, "BTH opcode"},
    {"psn", 24, "Packet sequence number"},
    {"solicited", 1, "SE bit"},
    {"ack_req", 1, "AckReq bit"},
    {"payload_len", 13, "Bytes of payload without pad"},
    {"ticket", 16, "Packets with payload so far, this one included"},
    {"ext", 224, "Extension headers, left-aligned"},
};

/// A received frame as the parser sees it.
inline constexpr Field kRxFrame[] = {
    {"roce", 1, "RoCE; else everything below is undefined"},
    {"cause", 4, "DropCause when `bad`"},
    {"bad", 1, "RoCE, but to be dropped for `cause`"},
    {"dst_ip", 128, "Destination, an IPv4 address in the low 32 bits"},
    {"src_ip", 128, "Source"},
    {"ipv6", 1, "Over IPv6, or RoCE v1"},
    {"roce_v1", 1, "RoCE v1; the addresses are those of the GRH"},
    {"vlan", 1, "Tagged"},
    {"vid", 12, "VLAN identifier"},
    {"ecn", 2, "ECN bits"},
    {"pkey", 16, "Partition key"},
    {"qpn", 24, "BTH DestQP"},
    {"opcode", 8, "BTH opcode"},
    {"psn", 24, "Packet sequence number"},
    {"solicited", 1, "SE bit"},
    {"ack_req", 1, "AckReq bit"},
    {"payload_offset", 8, "First payload byte, counted from the start of the frame"},
    {"payload_len", 13, "Bytes of payload without pad"},
    {"ext", 224, "Extension headers, left-aligned"},
};

/// One packet cut from a work request, not yet given a PSN.
inline constexpr Field kPlan[] = {
    {"qpn", 24, "Queue pair"},
    {"epoch", 4, "Life of the fetch; an old one is dropped"},
    {"wqe_index", 16, "Free-running index of the work request"},
    {"opcode", 8, "WrOp"},
    {"first", 1, "First packet of the message"},
    {"last", 1, "Last packet of the message"},
    {"signaled", 1, "From the WQE"},
    {"solicited", 1, "From the WQE"},
    {"fence", 1, "From the WQE"},
    {"has_segs", 1, "Pieces of payload wait in the segment stream"},
    {"status", 8, "Status; not Success: this packet must not be sent"},
    {"offset", 32, "Bytes of the message before this packet"},
    {"len", 32, "Payload bytes of this packet; for READ, bytes still to read"},
    {"msg_len", 32, "Bytes of the message"},
    {"remote_addr", 64, "From the WQE"},
    {"rkey", 32, "From the WQE"},
    {"imm", 32, "From the WQE"},
    {"swap_add", 64, "From the WQE"},
    {"compare", 64, "From the WQE"},
    {"num_sge", 8, "From the WQE"},
    {"sge0_addr", 64, "From the WQE"},
    {"sge0_length", 32, "From the WQE"},
    {"sge0_lkey", 32, "From the WQE"},
};

/// Right to fetch and cut work requests of one queue pair.
inline constexpr Field kGrant[] = {
    {"qpn", 24, "Queue pair"},
    {"epoch", 4, "Life of the fetch"},
    {"wqe_index", 16, "First work request"},
    {"count", 5, "Work requests, 1 to 16, contiguous in the ring"},
    {"offset", 32, "Bytes of the first one to skip"},
};

/// Work requests of one grant that were fetched, with what is needed to cut them.
inline constexpr Field kCutJob[] = {
    {"qpn", 24, "Queue pair"},
    {"epoch", 4, "From the grant"},
    {"wqe_index", 16, "First work request"},
    {"kept", 1, "The first one was kept and is not fetched"},
    {"count", 5, "Work requests, the kept one included"},
    {"offset", 32, "Bytes of the first one to skip"},
    {"addr", 64, "Address of the first one fetched"},
    {"pasid", 20, "Address space of the queue"},
    {"pd", 16, "Protection domain"},
    {"pmtu", 3, "Path MTU code"},
    {"stride_log", 2, "log2 of blocks in an entry"},
};

/// Where fetching of a queue pair goes on.
inline constexpr Field kFetchPtr[] = {
    {"qpn", 24, "Queue pair"},
    {"epoch", 4, "Life of the fetch"},
    {"wqe_index", 16, "Next work request"},
    {"offset", 32, "Bytes of it to skip"},
    {"ready", 1, "May be granted again"},
};

/// From the scheduler to the requester: begin a life, or flush.
inline constexpr Field kSqControl[] = {
    {"qpn", 24, "Queue pair"},
    {"flush", 1, "1: complete all up to `index` with a flush, 0: begin a life"},
    {"clear", 1, "The queue pair was in RESET since the last record: indices are at 0"},
    {"index", 16, "Producer index"},
};

/// A doorbell.
inline constexpr Field kDoorbell[] = {
    {"qpn", 24, "Queue pair"},
    {"index", 16, "Free-running producer index"},
};

/// Question to the key table, and its answer.
inline constexpr Field kKeyReq[] = {
    {"key", 32, "Key"},
    {"va", 64, "First address"},
    {"len", 32, "Bytes, not 0"},
    {"pd", 16, "Protection domain that must own the region"},
    {"access", 4, "Rights that must all be there"},
    {"qpn", 24, "Queue pair, when a remote right is asked for"},
};
inline constexpr Field kKeyRsp[] = {
    {"ok", 1, "Access is allowed"},
    {"addr", 64, "DMA address of the first byte"},
    {"pasid", 20, "Address space"},
};

/// Operation on the key table, and its answer. It is done, on the row bus, when answered.
inline constexpr Field kKeyOpReq[] = {
    {"op", 2, "KeyOp"},
    {"key", 32, "Row, and the variant: that there for Invalidate, the new one else"},
    {"qpn", 24, "Queue pair that asks"},
    {"pd", 16, "Its protection domain"},
    {"region", 32, "Bind: local key of the region"},
    {"va", 64, "Bind, Register: first address"},
    {"length", 64, "Bind, Register: bytes; 0 unbinds"},
    {"access", 6, "Bind, Register: bits as Access"},
    {"addr", 64, "Register: first address as DMA sees it"},
};
inline constexpr Field kKeyOpRsp[] = {
    {"ok", 1, "Done; else nothing changed"},
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

/// Payload that did not reach memory, or could not be read.
inline constexpr Field kFault[] = {
    {"qpn", 24, "Own queue pair"},
    {"psn", 24, "Packet"},
    {"response", 1, "A response to this side's request; 0: a request, or the answer to one"},
};

/// Order to the atomic unit, and its answer.
inline constexpr Field kAtomicJob[] = {
    {"qpn", 24, "Queue pair"},
    {"op", 2, "0 store operand, 1 compare and swap, 2 fetch and add"},
    {"slot", 4, "Replay slot, handed back"},
    {"addr", 64, "DMA address, a multiple of 8 but for a store"},
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

/// What the scheduler knows of a queue pair.
inline constexpr Field kSchedQp[] = {
    {"produced", 16, "Producer index of the last good doorbell"},
    {"fetched", 16, "Next work request to fetch"},
    {"begun", 16, "First work request never cut"},
    {"offset", 32, "Bytes of the next one to skip"},
    {"epoch", 4, "Life of the fetch"},
    {"state", 3, "QpState"},
    {"granted", 1, "A grant is outside"},
    {"ready", 1, "The requester does not hold it back"},
    {"queued", 1, "It stands in the ready queue"},
    {"clear", 1, "It was in RESET since the last control record"},
    {"fresh", 1, "The requester has not begun this life, its index does not count"},
};

/// What the requester knows of a queue pair.
inline constexpr Field kRequesterQp[] = {
    {"psn_next", 24, "Next PSN to send"},
    {"una", 24, "Oldest PSN not acknowledged"},
    {"psn_max", 24, "Behind the newest PSN ever sent: `psn_next`, or more after going back"},
    {"done", 16, "Oldest work request not completed"},
    {"begun", 16, "First work request never seen"},
    {"messages", 24, "Messages completed: SSN of the oldest in flight, less one"},
    {"head", 5, "Ring: oldest message in flight"},
    {"count", 6, "Ring: messages in flight"},
    {"count_max", 6, "Ring: messages up to `psn_max`"},
    {"rd_head", 4, "Slot of the oldest READ or atomic in flight"},
    {"rd_count", 5, "READs and atomics in flight"},
    {"epoch", 4, "Life of the fetch"},
    {"retry_left", 3, "Retries left"},
    {"rnr_left", 3, "RNR retries left"},
    {"blocked", 1, "Waits for room; goes on at `resume_*`"},
    {"fence_wait", 1, "Blocked until no READ or atomic is in flight"},
    {"drain_wait", 1, "Blocked until nothing is in flight"},
    {"credit_wait", 1, "Blocked until credits come, or nothing is in flight"},
    {"rnr_wait", 1, "Waits for the RNR timer"},
    {"stopped", 1, "An error entry ends the ring: no more plans"},
    {"failed", 1, "Until the next life"},
    {"bad", 1, "Payload of `bad_psn` could not be read: its message ends in an error"},
    {"bad_psn", 24, "First packet of that kind since going back"},
    {"restart", 1, "READ at the head was asked again from `una`"},
    {"implied", 1, "Went back for a skipped READ, no progress since"},
    {"naked", 1, "Went back for a sequence NAK, no progress since"},
    {"owe_data", 1, "Unsignaled READ since the last completion"},
    {"owe_store", 1, "Unsignaled atomic likewise"},
    {"unstopped", 1, "The timer was left running with nothing in flight"},
    {"limited", 1, "The peer counts credits"},
    {"limit", 24, "SSN of the last message it has a receive for"},
    {"resume_index", 16, "Work request to go on with"},
    {"resume_offset", 32, "Bytes of it to skip"},
};

/// A message in flight, in the requester's ring.
inline constexpr Field kRequesterEntry[] = {
    {"first", 24, "First PSN"},   {"last", 24, "Last PSN"},        {"kind", 2, "MessageKind"},
    {"opcode", 3, "WrOp"},        {"signaled", 1, "From the WQE"}, {"msg_len", 32, "Bytes"},
    {"status", 8, "Of an error"}, {"vendor", 8, "Of an error"},
};

/// What the requester remembers from one step of an event to the next.
inline constexpr Field kRequesterRun[] = {
    {"ask", 3, "What the response asks for: ResponseAsk"},
    {"upto", 24, "PSNs before this one are acknowledged"},
    {"progress", 1, "Something was acknowledged"},
    {"placed", 1, "Payload has a place"},
    {"counted", 1, "Going back costs a retry"},
    {"rnr", 1, "Going back is for an RNR NAK"},
    {"late", 1, "A fatal NAK of a packet that was sent before going back"},
    {"status", 8, "If it comes to an error"},
    {"vendor", 8, "If it comes to an error"},
    {"flushed", 5, "Work requests flushed"},
};

/// What a step of the requester does.
inline constexpr Field kRequesterStep[] = {
    {"state", 4, "Next step: RequesterState"},
    {"finish", 1, "The event is done with"},
    {"retire", 1, "The oldest message leaves the ring"},
    {"look_next", 1, "Read the ring's next entry"},
    {"enter", 1, "Write an entry of the ring"},
    {"enter_last", 1, "It takes the place of the newest"},
    {"slot", 1, "Write a slot"},
    {"cqe", 1, "Completion"},
    {"cqe_status", 8, "Its status"},
    {"cqe_vendor", 8, "Its vendor_err"},
    {"fail", 1, "Queue pair fails"},
    {"desc", 1, "Packet"},
    {"verdict", 1, "The plan had pieces"},
    {"kill", 1, "Drop the packets that wait"},
    {"ptr", 1, "Tell the scheduler where to go on"},
    {"ptr_go", 1, "It may grant"},
    {"count", 1, "Count"},
    {"counter", 3, "QpCounter"},
    {"data", 1, "With the payload of the response"},
    {"timer", 1, "Order to the timer"},
    {"timer_op", 2, "TimerOp"},
    {"timer_code", 5, "Its code"},
    {"job", 1, "Store the result of an atomic"},
    {"again", 1, "Go on flushing later"},
    {"ghost", 1, "Response is ignored"},
};

/// What the responder knows of a queue pair.
inline constexpr Field kResponderQp[] = {
    {"epsn", 24, "PSN expected"},
    {"msn", 24, "Messages completed"},
    {"last_psn", 24, "Newest SEND or WRITE packet executed"},
    {"message", 2, "Message under way: ResponderIn"},
    {"write_addr", 64, "WRITE: DMA address of the next byte"},
    {"write_pasid", 20, "WRITE: address space"},
    {"write_left", 32, "WRITE: bytes still to come"},
    {"write_rkey", 32, "WRITE: its key"},
    {"write_va", 64, "WRITE: remote address of the next byte"},
    {"bytes", 32, "Bytes of the message so far"},
    {"recv_index", 16, "SEND: receive that it fills"},
    {"nak_sent", 1, "Gap was answered; drop what is ahead"},
    {"dead", 1, "Takes no more requests"},
    {"established", 1, "CommEst was considered"},
    {"flush", 1, "Posted receives are to be flushed"},
    {"last_wqe", 1, "With an SRQ: QpLastWqe was raised"},
    {"ack", 2, "Answer to leave next: ResponderAck"},
    {"ack_psn", 24, "Its PSN"},
    {"ack_msn", 24, "Its MSN"},
    {"ack_syndrome", 8, "Its syndrome"},
    {"ack_ticket", 32, "Payload packets that must be in memory before it"},
    {"next", 1, "An ACK follows that one"},
    {"next_psn", 24, "Its PSN"},
    {"next_msn", 24, "Its MSN"},
    {"next_ticket", 32, "As ack_ticket"},
    {"pending", 16, "Replay slots to be answered"},
    {"replayed", 16, "Of these, slots answered before"},
    {"slot_next", 4, "Slot the next READ or atomic takes"},
    {"slot_count", 5, "Slots in use"},
    {"atomics", 5, "Jobs in the atomic unit"},
    {"last_desc", 16, "Number of the newest packet given to tx's payload queue"},
    {"recv_next", 16, "Receives used up: free-running index of the next"},
};

/// A READ or atomic kept for replay.
inline constexpr Field kResponderSlot[] = {
    {"psn", 24, "First PSN"},
    {"last_psn", 24, "Last PSN of the answer"},
    {"opcode", 8, "Request"},
    {"va", 64, "Remote address of the request"},
    {"rkey", 32, "Its key"},
    {"msn", 24, "MSN of its answer"},
    {"ticket", 32, "Payload packets that must be in memory before a READ"},
    {"first", 1, "READ: next response opens the answer"},
    {"done", 1, "Atomic: result is there"},
    {"next_psn", 24, "Next PSN to answer"},
    {"pasid", 20, "READ: address space"},
    {"addr_operand", 64, "READ: DMA address of the next byte; atomic: swap or add operand"},
    {"len_compare", 64, "READ: bytes in all, and left in the upper half; atomic: compare operand"},
    {"original", 64, "Atomic: content before it"},
    {"key_age", 32, "READ: changes of the key table before its key was looked up"},
};

/// Posted receives of a queue pair or of an SRQ; indices run free. A queue pair with an SRQ: its
/// one entry is the receive it holds.
inline constexpr Field kReceiveRing[] = {
    {"prod", 16, "To be posted next"},
    {"cons", 16, "Oldest one"},
    {"next", 16, "To be fetched next"},
    {"got", 16, "To arrive next"},
    {"epoch", 4, "Life of the fetches"},
    {"active", 1, "Is fetched"},
    {"flush", 1, "Queue pair in ERR: report what is posted"},
    {"fired", 1, "SRQ: the limit event was raised"},
};

/// Question to the store of posted receives, and its answer.
inline constexpr Field kReceiveCmd[] = {
    {"qpn", 24, "Queue pair"},
    {"op", 2, "ReceiveOp"},
};
inline constexpr Field kReceiveRsp[] = {
    {"posted", 1, "There is a receive"},
    {"fetched", 1, "Its list is here"},
    {"index", 16, "Its free-running index"},
};

/// Order to the timers, and an expiry.
inline constexpr Field kTimerCmd[] = {
    {"qpn", 24, "Queue pair"},
    {"op", 2, "TimerOp"},
    {"code", 5, "Timeout code, or RNR timer code when Rnr"},
};
inline constexpr Field kTimerEvent[] = {
    {"qpn", 24, "Queue pair"},
    {"rnr", 1, "It was an RNR wait"},
};

/// A change of state of a queue pair, told to the engines.
inline constexpr Field kQpEvent[] = {
    {"qpn", 24, "Queue pair"},
    {"kind", 2, "QpEvent"},
};

/// An increment of a queue pair's counters.
inline constexpr Field kCount[] = {
    {"qpn", 24, "Queue pair"},
    {"counter", 3, "QpCounter; for TxPackets and RxPackets, `bytes` go to the next one"},
    {"bytes", 13, "Payload bytes"},
};

}  // namespace roci::spec
