// SPDX-License-Identifier: Apache-2.0
// Records of the send queue engine: scheduler, segmentation, requester, timers.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

/// One packet of a segmented work request, before it has a PSN.
inline constexpr Field kPlan[] = {
    {"qpn", 24, "Queue pair"},
    {"epoch", 4, "Generation of the fetch; plans of a former one are dropped"},
    {"wqe_index", 16, "Free-running index of the work request"},
    {"opcode", 8, "WrOp"},
    {"first", 1, "First packet of the message"},
    {"last", 1, "Last packet of the message"},
    {"signaled", 1, "From the WQE"},
    {"solicited", 1, "From the WQE"},
    {"fence", 1, "From the WQE"},
    {"has_segs", 1, "Segments of payload wait in the segment stream"},
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

/// Right to fetch and segment work requests of one queue pair.
inline constexpr Field kGrant[] = {
    {"qpn", 24, "Queue pair"},
    {"epoch", 4, "Generation of the fetch"},
    {"wqe_index", 16, "First work request"},
    {"count", 6, "Work requests, 1 to 32, contiguous in the ring"},
    {"offset", 32, "Bytes of the first one to skip"},
};

/// Work requests of one grant that were fetched, with what their segmentation needs.
inline constexpr Field kSegmentJob[] = {
    {"qpn", 24, "Queue pair"},
    {"epoch", 4, "From the grant"},
    {"wqe_index", 16, "First work request"},
    {"kept", 1, "The first one was kept and is not fetched"},
    {"count", 6, "Work requests, the kept one included"},
    {"offset", 32, "Bytes of the first one to skip"},
    {"pd", 16, "Protection domain"},
    {"pmtu", 3, "Path MTU code"},
    {"stride_log", 2, "log2 of blocks in an entry"},
};

/// Where fetching of a queue pair resumes.
inline constexpr Field kFetchPtr[] = {
    {"qpn", 24, "Queue pair"},
    {"epoch", 4, "Generation of the fetch"},
    {"wqe_index", 16, "Next work request"},
    {"offset", 32, "Bytes of it to skip"},
    {"ready", 1, "The queue pair may be granted"},
    {"less", 2, "The next grant has 32 work requests at most, or half as many so many times"},
};

/// From the scheduler to the requester: begin a generation, or flush.
inline constexpr Field kSqControl[] = {
    {"qpn", 24, "Queue pair"},
    {"flush", 1, "1: complete all up to `index` with a flush, 0: begin a generation"},
    {"resume", 1, "With flush 0: RTS after SQE, indices and PSNs go on"},
    {"clear", 1, "The queue pair was in RESET since the last record: indices are at 0"},
    {"index", 16, "Producer index"},
};

/// What the scheduler knows of a queue pair.
inline constexpr Field kSchedQp[] = {
    {"produced", 16, "Producer index of the last good doorbell"},
    {"fetched", 16, "Next work request to fetch"},
    {"begun", 16, "First work request never segmented"},
    {"offset", 32, "Bytes of the next one to skip"},
    {"epoch", 4, "Generation of the fetch"},
    {"state", 3, "QpState"},
    {"granted", 1, "A grant is outstanding"},
    {"ready", 1, "The requester accepts plans of it"},
    {"queued", 1, "It stands in the ready queue"},
    {"clear", 1, "It was in RESET since the last control record"},
    {"fresh", 1, "The requester has not begun this generation, its index does not count"},
    {"less", 2, "The next grant has 32 work requests at most, or half as many so many times"},
};

/// What the requester knows of a queue pair.
inline constexpr Field kRequesterQp[] = {
    {"psn_next", 24, "Next PSN to send"},
    {"una", 24, "Oldest PSN not acknowledged"},
    {"psn_max", 24,
     "After the newest PSN ever sent: `psn_next`, or beyond it during a retransmission"},
    {"done", 16, "Oldest work request not completed"},
    {"begun", 16, "First work request never seen"},
    {"messages", 24, "Messages completed: SSN of the oldest in flight, less one"},
    {"head", 7, "Ring: oldest message in flight"},
    {"count", 8, "Ring: messages in flight"},
    {"count_max", 8, "Ring: messages up to `psn_max`"},
    {"rd_head", 4, "Slot of the oldest READ or atomic in flight"},
    {"rd_count", 5, "READs and atomics in flight"},
    {"epoch", 4, "Generation of the fetch"},
    {"retry_left", 3, "Retries left"},
    {"rnr_left", 3, "RNR retries left"},
    {"blocked", 1, "Waits for room; resumes at `resume_*`"},
    {"fence_wait", 1, "Blocked until no READ or atomic is in flight"},
    {"drain_wait", 1, "Blocked until nothing is in flight"},
    {"credit_wait", 1, "Blocked until credits come, or nothing is in flight"},
    {"rnr_wait", 1, "Waits for the RNR timer"},
    {"stopped", 1, "An error entry ends the ring: no more plans"},
    {"failed", 1, "Until the next generation"},
    {"bad", 1, "Payload of `bad_psn` could not be read: its message ends in an error"},
    {"bad_psn", 24, "First such packet since the last return to an earlier PSN"},
    {"restart", 1, "The READ at the head was requested anew from `una`"},
    {"implied", 1, "Returned for a skipped READ, no progress since"},
    {"naked", 1, "Returned for a sequence NAK, no progress since"},
    {"owe_data", 1, "Unsignaled READ since the last completion"},
    {"owe_store", 1, "Unsignaled atomic likewise"},
    {"unstopped", 1, "The timer was left running with nothing in flight"},
    {"limited", 1, "The peer counts credits"},
    {"limit", 24, "SSN of the last message it has a receive for"},
    {"resume_index", 16, "Work request to resume with"},
    {"resume_offset", 32, "Bytes of it to skip"},
};

/// A message in flight, in the requester's ring.
inline constexpr Field kRequesterEntry[] = {
    {"first", 24, "First PSN"},     {"last", 24, "Last PSN"},          {"kind", 2, "MessageKind"},
    {"opcode", 3, "WrOp"},          {"signaled", 1, "From the WQE"},   {"msg_len", 32, "Bytes"},
    {"status", 8, "Error: Status"}, {"vendor", 8, "Error: VendorErr"},
};

/// What the requester remembers from one step of an event to the next.
inline constexpr Field kRequesterRun[] = {
    {"ask", 3, "What to do for the response: ResponseAsk"},
    {"upto", 24, "PSNs before this one are acknowledged"},
    {"progress", 1, "Something was acknowledged"},
    {"placed", 1, "The memory for the payload is known"},
    {"counted", 1, "The return to an earlier PSN costs a retry"},
    {"rnr", 1, "The return to an earlier PSN is for an RNR NAK"},
    {"late", 1, "A fatal NAK of a packet sent before the last return to an earlier PSN"},
    {"live", 1, "The queue pair is alive and has not failed"},
    {"in_window", 1, "The PSN of the event is in flight"},
    {"credit", 1, "The credits of the response count"},
    {"arrived", 1, "The response is to be counted"},
    {"compared", 1, "What the step depends on was compared a clock before"},
    {"status", 8, "For the completion, should the work request fail"},
    {"vendor", 8, "For the completion, should the work request fail"},
    {"flushed", 5, "Work requests flushed"},
    {"begins", 1, "First or only response of a READ, by its opcode"},
};

/// What the word of a queue pair says of a plan, found while the word is read.
inline constexpr Field kRequesterLook[] = {
    {"flight", 24, "Packets in flight"},
    {"ahead", 24, "Packets sent before a return to an earlier PSN, not retransmitted yet"},
    {"some", 1, "Packets are in flight"},
    {"all", 1, "All that were ever sent are, or are acknowledged"},
    {"over", 1, "Its message is beyond the credits of the peer"},
    {"old", 1, "The plan is of before a recovery or an error"},
    {"fresh", 1, "Its work request was never seen"},
    {"bad", 1, "It cannot be sent"},
    {"not_there", 1, "UC and UD have no such operation"},
    {"alone", 1, "Its message is the only one in the ring"},
    {"ring", 1, "It waits for room in the ring"},
    {"fence", 1, "It waits for READs before a fence"},
    {"drain", 1, "It waits for all that is before a local operation"},
    {"full", 1, "It waits for one of these two, or for the depth of READs"},
    {"window", 1, "It waits for the window"},
    {"roomy", 1, "The window has room for those that may follow it, too"},
    {"plain", 1, "It is one that others may follow, if it is sent"},
};

/// What a step of the requester does.
inline constexpr Field kRequesterStep[] = {
    {"state", 4, "Next step: RequesterState"},
    {"finish", 1, "The event ends"},
    {"retire", 1, "The oldest message leaves the ring"},
    {"next_entry", 1, "Read the ring's next entry"},
    {"enter", 1, "Write an entry of the ring"},
    {"enter_last", 1, "The entry replaces the newest"},
    {"slot", 1, "Write a slot"},
    {"cqe", 1, "Completion"},
    {"cqe_status", 8, "Its status"},
    {"cqe_vendor", 8, "Its vendor_err"},
    {"fail", 1, "Queue pair fails"},
    {"desc", 1, "Packet"},
    {"verdict", 1, "The plan had segments"},
    {"kill", 1, "Drop the waiting packets"},
    {"ptr", 1, "Give the scheduler the pointer at which to resume"},
    {"ptr_go", 1, "It may grant"},
    {"count", 1, "Count"},
    {"counter", 3, "QpCounter"},
    {"data", 1, "Count the payload of the response too"},
    {"timer", 1, "Command to the timer"},
    {"timer_op", 2, "TimerOp"},
    {"timer_code", 5, "Its code"},
    {"job", 1, "Store the result of an atomic"},
    {"again", 1, "Continue the flush later"},
    {"ghost", 1, "Response is ignored"},
};

/// Command to the timers, and an expiry.
inline constexpr Field kTimerCmd[] = {
    {"qpn", 24, "Queue pair"},
    {"op", 2, "TimerOp"},
    {"code", 5, "Timeout code, or RNR timer code when Rnr"},
};
inline constexpr Field kTimerEvent[] = {
    {"qpn", 24, "Queue pair"},
    {"rnr", 1, "It was an RNR wait"},
};

}  // namespace roci::spec
