// SPDX-License-Identifier: Apache-2.0
// Chooses the next event of the responder. Changes of state go first, then results, faults, queries
// of the firmware, requests, and steps of responses; a step waits at most Patience clocks for
// requests.
//
// Throughput: one choice per clock. Latency: none.
//
// A request that cannot go on blocks those after it until something happens. A queue pair whose
// step leads to nothing goes to the end of the queue; when all have, none is tried until something
// happens.

`include "assert.svh"

module roci_responder_select #(
  parameter int unsigned LevelBits = 9,  // width of the queue's level
  parameter int unsigned Patience  = 64  // clocks that a step waits at most
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // what waits
  input  logic                 event_valid_i,
  input  logic                 event_ok_i,      // the event can be taken
  input  logic                 event_done_i,
  input  logic                 result_valid_i,
  input  logic                 fault_valid_i,
  input  logic                 live_valid_i,
  input  logic                 live_done_i,     // the response is registered
  input  logic                 meta_valid_i,
  input  logic                 queue_valid_i,
  input  logic [LevelBits-1:0] queue_level_i,
  input  logic                 wake_i,          // a step may go that could not
  input  logic                 unblock_i,       // a request may go that could not
  input  logic                 room_request_i,
  input  logic                 room_fail_i,
  input  logic                 room_count_i,

  // outcome of the event in progress
  input  logic                 block_i,         // the request cannot go on
  input  logic                 stuck_i,         // the step led to nothing
  input  logic                 push_i,          // to the queue
  input  logic                 free_i,          // nothing is in progress
  input  logic                 free_request_i,  // what is in progress ends: a request may begin,
  input  logic                 free_step_i,     // or a step
  input  logic                 emitting_i,      // only this state ends so that a request may begin
  input  logic                 free_commit_i,   // a request is committed: a step may begin, but the
                                                // next request stands at the head in the next clock
  input  logic                 rushes_i,        // with it: the step goes before that request
  input  logic                 meta_more_i,     // there is one

  output logic                 pick_o,
  output logic [2:0]           kind_o,          // ResponderKind; the same as
  output logic                 other_o,         // neither a request nor a step, but this:
  output logic [2:0]           other_kind_o,
  output logic                 request_o,       // or without it: a request
  output logic                 queue_pop_o,
  output logic                 idle_o
);

  logic                       blocked_q, unblocked_q, live_gap_q, woken_q, asleep_q, step_ok;
  logic                       request_ok, request, late;
  logic                       after_step, after_commit, steps;  // a step begins as an event ends
  logic                       waits;     // an event of another kind
  logic [$clog2(Patience):0]  waited_q;
  logic [LevelBits-1:0]       stuck_q;   // steps since something happened that led to nothing
  assign step_ok    = queue_valid_i && !asleep_q && room_count_i;
  assign request_ok = meta_valid_i && !blocked_q && !event_valid_i && room_request_i;
  assign waits      = event_valid_i || result_valid_i || fault_valid_i || live_valid_i;
  assign late       = step_ok && 32'(waited_q) == Patience;

  // The kind says what begins when something does, so that how the event in progress ends does not
  // reach the row that is read. Requests and steps alone begin as another event ends, requests
  // first.
  assign request = request_ok && !late;
  // Whether a request is committed is known last.
  assign after_step   = step_ok && !waits && free_step_i;
  assign after_commit = step_ok && !waits && (late || !meta_more_i || rushes_i);
  assign steps        = after_step || (free_commit_i && after_commit);
  always_comb begin
    other_kind_o = roci_pkg::ResponderKindLive;
    if (event_ok_i)                         other_kind_o = roci_pkg::ResponderKindEvent;
    else if (result_valid_i && room_fail_i) other_kind_o = roci_pkg::ResponderKindResult;
    else if (fault_valid_i && room_fail_i)  other_kind_o = roci_pkg::ResponderKindFault;
    other_o   = free_i && (event_ok_i || ((result_valid_i || fault_valid_i) && room_fail_i)
                           || (live_valid_i && !live_gap_q));
    request_o = request && (free_i || emitting_i);
    kind_o    = other_o ? other_kind_o : request_o ? roci_pkg::ResponderKindRequest
                                                   : roci_pkg::ResponderKindStep;
    pick_o    = free_i ? other_o || request || step_ok
                       : (!waits && request && free_request_i) || steps;
    queue_pop_o = free_i ? !other_o && !request && step_ok
                         : (after_step && !(request && emitting_i))
                           || (free_commit_i && after_commit);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      blocked_q   <= 1'b0;
      unblocked_q <= 1'b0;
      asleep_q    <= 1'b0;
      live_gap_q <= 1'b0;
      waited_q   <= '0;
      woken_q    <= 1'b0;
      stuck_q    <= '0;
    end else begin
      // What unblocks may come while the request is looked at, a clock before it blocks.
      unblocked_q <= unblock_i;
      blocked_q   <= (blocked_q || block_i) && !(unblock_i || event_done_i)
                  && !(block_i && unblocked_q);
      live_gap_q <= live_done_i;  // live_valid_i falls only after the reply
      if (queue_pop_o || !step_ok) waited_q <= '0;
      else if (!late) waited_q <= waited_q + 1'b1;
      woken_q <= wake_i || (woken_q && !queue_pop_o);
      // Asleep when all in the queue are stuck. While a step is in progress, its queue pair is not
      // in the level; whatever else raises the level wakes.
      if (wake_i || (push_i && !stuck_i) || (stuck_i && woken_q)) begin
        stuck_q  <= '0;
        asleep_q <= 1'b0;
      end else if (stuck_i) begin
        stuck_q  <= stuck_q + 1'b1;
        asleep_q <= stuck_q >= queue_level_i;
      end else begin
        asleep_q <= stuck_q != '0 && stuck_q >= queue_level_i;
      end
    end
  end

  assign idle_o = !event_valid_i && !result_valid_i && !fault_valid_i && !meta_valid_i
               && queue_level_i == '0 && !live_valid_i;

  `ASSERT(StepLeavesTheQueue, queue_pop_o == (pick_o && kind_o == roci_pkg::ResponderKindStep))
  `ASSERT(KindIsOfTheEnd, `IMPLIES(pick_o && !free_i, (request && free_request_i)
                                                      == (request && emitting_i)))
  `ASSERT(SleepsWhenAllAreStuck, `IMPLIES(asleep_q, stuck_q != '0 && stuck_q >= queue_level_i))
  `ASSERT(StuckInRange, stuck_q <= queue_level_i + LevelBits'(1))

endmodule
