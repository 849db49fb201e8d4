// SPDX-License-Identifier: Apache-2.0
// Named numbers between the blocks of the RTL: states, operations, events.
#pragma once

#include "model/spec/code.hpp"

namespace roci::spec {

/// Commands between the state block and the two engines.
inline constexpr Code kQpEvents[] = {
    {"InitRequester", 0, "Entering RTS from RTR: take the SQ PSN, forget the old generation"},
    {"InitResponder", 1, "Entering RTR: take the RQ PSN, forget the old generation"},
    {"Flush", 2, "Entering ERR or SQE: complete every posted work request with a flush"},
    {"Resume", 3, "From SQE to RTS: send what is posted from now on"},
};

/// Kinds of failures of a queue pair besides those of Event.
inline constexpr Code kFailKinds[] = {
    {"Sends", 0, "UC: the queue pair goes to SQE, its receives go on, and no event is raised"},
};

/// Kind of the message that a responder has begun to receive.
inline constexpr Code kResponderIn[] = {
    {"Nothing", 0, "Between messages"},
    {"Send", 1, "SEND"},
    {"Write", 2, "RDMA WRITE"},
};

/// Events of the scheduler of send queues.
inline constexpr Code kSchedEvents[] = {
    {"State", 0, "State row"},
    {"Command", 1, "A generation begins, or is flushed"},
    {"Set", 2, "Pointer of the requester"},
    {"Segment", 3, "Pointer of the segmenter: end of a grant"},
    {"Bell", 4, "Doorbell"},
    {"Grant", 5, "Head of the ready queue"},
};

/// Kinds of messages in the requester's ring.
inline constexpr Code kMessageKinds[] = {
    {"Data", 0, "SEND or WRITE"},
    {"Read", 1, "READ"},
    {"Atomic", 2, "Atomic"},
    {"Error", 3, "Completes with `status` when it is the oldest"},
};

/// What the requester does for a response when everything before it is acknowledged.
inline constexpr Code kResponseAsks[] = {
    {"None", 0, "Nothing"},
    {"Recover", 1, "Return to the oldest unacknowledged PSN: a gap"},
    {"Rnr", 2, "Return to that PSN after the RNR delay"},
    {"Fatal", 3, "The peer NAKed the request: it fails"},
    {"Syndrome", 4, "A syndrome that is reserved for RC"},
    {"Data", 5, "Place data of a READ"},
    {"Atomic", 6, "Place the result of an atomic"},
};

/// Steps of the requester.
inline constexpr Code kRequesterStates[] = {
    {"Idle", 0, "Wait for an event"},
    {"Compare", 1, "Compare the oldest message with what a response acknowledges"},
    {"Plan", 2, "Send the packet of a plan, or drop the plan"},
    {"Operate", 3, "Request a key operation"},
    {"Operating", 4, "Wait for its response"},
    {"Operated", 5, "Complete the work request of the key operation"},
    {"Retire", 6, "Complete what a response acknowledges"},
    {"Act", 7, "Act on its ResponseAsk"},
    {"Place", 8, "Look up the memory for its data"},
    {"Placed", 9, "The memory for its data is known"},
    {"Recover", 10, "Return to the oldest unacknowledged PSN"},
    {"Fail", 11, "Complete with an error"},
    {"Flush", 12, "Complete the outstanding work requests as flushed"},
    {"End", 13, "End the event of a response"},
    {"Handle", 14, "Timers, commands, and responses outside of the window"},
    {"Done", 15, "End an event whose last step took long to know that it was the last"},
};

/// Acknowledge of a responder that waits to be sent.
inline constexpr Code kResponderAcks[] = {
    {"None", 0, "Nothing"},
    {"Ack", 1, "ACK, when the payload is in memory"},
    {"Nak", 2, "NAK or RNR NAK, at once"},
    {"Fatal", 3, "NAK that ends the connection; sent even in ERR"},
};

/// What a responder does with a request.
inline constexpr Code kVerdicts[] = {
    {"Ignore", 0, "Queue pair has failed: no response"},
    {"Ahead", 1, "After a gap that was NAKed before: no response"},
    {"Gap", 2, "First request after a gap: NAK sequence error"},
    {"Reack", 3, "Duplicate SEND or WRITE: repeat the ACK"},
    {"Replay", 4, "Duplicate READ or atomic: find its replay slot"},
    {"Peek", 5, "Uses a receive: check that one is posted"},
    {"Rnr", 6, "No receive: RNR NAK"},
    {"Nak", 7, "Violates a rule: NAK, and the connection ends"},
    {"Discard", 8, "UC: the message is dropped, and its receive serves the next one"},
    {"Send", 9, "Execute"},
    {"Write", 10, "Execute"},
    {"Read", 11, "Execute"},
    {"Atomic", 12, "Execute"},
};

/// Kinds of events of the responder.
inline constexpr Code kResponderKinds[] = {
    {"Event", 0, "A change of state"},
    {"Result", 1, "An atomic is done"},
    {"Live", 2, "Firmware reads the live state"},
    {"Request", 3, "A packet"},
    {"Step", 4, "A step of a response, or of a flush"},
    {"Fault", 5, "Memory could not be written or read"},
};

/// Command to the store of posted receives.
inline constexpr Code kReceiveOps[] = {
    {"Peek", 0, "Report the oldest receive"},
    {"Free", 1, "The oldest receive has been used"},
    {"Init", 2, "Entering RTR: start fetching"},
    {"Flush", 3, "Entering ERR: stop fetching, report receives posted from now on"},
};

/// Operation of the atomic unit.
inline constexpr Code kAtomicOps[] = {
    {"Store", 0, "Write the operand: result of an atomic of this side"},
    {"CmpSwap", 1, "Compare and swap"},
    {"FetchAdd", 2, "Fetch and add"},
};

/// Operation on the ring of a completion queue.
inline constexpr Code kCqOps[] = {
    {"Entry", 0, "Write an entry"},
    {"Consumer", 1, "Doorbell: consumer index"},
    {"Arm", 2, "Doorbell: arm"},
    {"Restart", 3, "A row was written"},
    {"Period", 4, "A moderation period ended"},
    {"Live", 5, "Read the ring"},
    {"Break", 6, "An entry did not reach memory"},
};

/// Arm of a completion queue.
inline constexpr Code kCqArmed[] = {
    {"No", 0, "Not armed"},
    {"Solicited", 1, "For solicited entries and errors"},
    {"Any", 2, "For any entry"},
};

/// Command to the timer block.
inline constexpr Code kTimerOps[] = {
    {"Start", 0, "Run for the transport timeout unless the timer is running"},
    {"Restart", 1, "Run for the transport timeout from now"},
    {"Stop", 2, "Nothing outstanding (a Start since expiry wins)"},
    {"Rnr", 3, "Run for the RNR time of `code` from now"},
};

}  // namespace roci::spec
