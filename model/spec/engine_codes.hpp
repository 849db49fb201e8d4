// SPDX-License-Identifier: Apache-2.0
// Named numbers between the blocks of the RTL: states, operations, events.
#pragma once

#include "model/spec/code.hpp"

namespace roci::spec {

/// Commands between the state block and the two engines.
inline constexpr Code kQpEvents[] = {
    {"InitRequester", 0, "Entering RTS from RTR: take the SQ PSN, forget the old generation"},
    {"InitResponder", 1, "Entering RTR: take the RQ PSN, forget the old generation"},
    {"Flush", 2, "Entering ERR: complete every posted work request with a flush"},
};

/// Message that a responder is in the middle of.
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

/// What a response asks for when everything before it is acknowledged.
inline constexpr Code kResponseAsks[] = {
    {"None", 0, "Nothing"},
    {"Recover", 1, "Go back: a gap"},
    {"Rnr", 2, "Go back after a wait"},
    {"Fatal", 3, "The peer NAKed the request: it fails"},
    {"Syndrome", 4, "A syndrome that RC does not have"},
    {"Data", 5, "Place data of a READ"},
    {"Atomic", 6, "Place the result of an atomic"},
};

/// Steps of the requester.
inline constexpr Code kRequesterStates[] = {
    {"Idle", 0, "No event"},
    {"Dispatch", 1, "State of the queue pair is there"},
    {"Plan", 2, "Send a packet, or not"},
    {"Operate", 3, "Ask for a key operation"},
    {"Answer", 4, "Wait for it"},
    {"Operated", 5, "Complete it"},
    {"Retire", 6, "Complete what a response acknowledges"},
    {"Act", 7, "Do what it asks for"},
    {"Place", 8, "Find a place for its data"},
    {"Placed", 9, "Found"},
    {"Recover", 10, "Go back"},
    {"Fail", 11, "Complete with an error"},
    {"Flush", 12, "Complete what is left with a flush"},
    {"End", 13, "A response is done with"},
};

/// Answer of a responder that waits to leave.
inline constexpr Code kResponderAcks[] = {
    {"None", 0, "Nothing"},
    {"Ack", 1, "ACK, when the payload is in memory"},
    {"Nak", 2, "NAK or RNR NAK, at once"},
    {"Fatal", 3, "NAK that ends the connection; leaves even in ERR"},
};

/// What a responder does with a request.
inline constexpr Code kVerdicts[] = {
    {"Ignore", 0, "Queue pair is dead: no answer"},
    {"Ahead", 1, "Beyond a gap that was answered already: no answer"},
    {"Gap", 2, "First one beyond a gap: NAK sequence error"},
    {"Reack", 3, "Duplicate SEND or WRITE: ACK again"},
    {"Replay", 4, "Duplicate READ or atomic: look for it"},
    {"Peek", 5, "Takes a receive: ask whether one is posted"},
    {"Rnr", 6, "No receive: RNR NAK"},
    {"Nak", 7, "Against a rule: NAK, and the connection ends"},
    {"Send", 8, "Execute"},
    {"Write", 9, "Execute"},
    {"Read", 10, "Execute"},
    {"Atomic", 11, "Execute"},
};

/// What the responder deals with.
inline constexpr Code kResponderKinds[] = {
    {"Event", 0, "A change of state"},
    {"Result", 1, "An atomic is done"},
    {"Live", 2, "A question of firmware"},
    {"Request", 3, "A packet"},
    {"Step", 4, "A step of an answer, or of a flush"},
    {"Fault", 5, "Memory could not be written or read"},
};

/// Order to the store of posted receives.
inline constexpr Code kReceiveOps[] = {
    {"Peek", 0, "Tell about the oldest receive"},
    {"Free", 1, "The oldest receive is used up"},
    {"Init", 2, "Entering RTR: start fetching"},
    {"Flush", 3, "Entering ERR: stop fetching, report receives posted from now on"},
};

/// Operation on the ring of a completion queue.
inline constexpr Code kCqOps[] = {
    {"Entry", 0, "Write an entry"},
    {"Consumer", 1, "Doorbell: consumer index"},
    {"Arm", 2, "Doorbell: arm"},
    {"Restart", 3, "A new row"},
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

/// Order to the timer block.
inline constexpr Code kTimerOps[] = {
    {"Start", 0, "Run for the transport timeout unless the timer runs already"},
    {"Restart", 1, "Run for the transport timeout from now"},
    {"Stop", 2, "Nothing outstanding (a Start since expiry wins)"},
    {"Rnr", 3, "Run for the RNR time of `code` from now"},
};

}  // namespace roci::spec
