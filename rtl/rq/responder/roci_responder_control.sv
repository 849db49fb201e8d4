// SPDX-License-Identifier: Apache-2.0
// Steps of each event of the responder; roci_responder_select chooses the next event. The block
// holds no transport state; its strobes say what roci_responder does in this clock.
//
// Throughput: a request in 3 clocks, a step in 2. A WRITE takes Idle, Look, Decide, and so does a
// SEND whose place was found ahead; an ACK takes Look, Emit; a READ response takes one clock more,
// for its slot. What follows from the tables is registered in Look and in Slot; Decide and Emit act
// on it. A step begins as a request ends, and either as a step ends. README.md draws the states.

`include "assert.svh"

module roci_responder_control #(
  parameter int unsigned LevelBits = 9,  // width of the queue's level
  parameter int unsigned Follow    = 1   // 0: no event begins in the clock in which one ends
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // what waits
  input  logic                 ready_i,         // the tables are cleared
  input  logic                 event_valid_i,
  input  logic [1:0]           event_kind_i,
  input  logic                 result_valid_i,
  input  logic                 fault_valid_i,
  input  logic                 live_valid_i,
  input  logic                 meta_more_i,     // another request follows the one at the head
  input  logic                 meta_valid_i,
  input  logic                 queue_valid_i,
  input  logic [LevelBits-1:0] queue_level_i,
  input  logic                 no_jobs_i,       // the atomic unit has no job of the responder
  input  logic                 wake_i,          // a step may go that could not
  input  logic                 unblock_i,       // a request may go that could not

  // room
  input  logic                 room_request_i,  // for all outputs that a request may have
  input  logic                 room_fail_i,
  input  logic                 room_count_i,
  input  logic                 room_cqe_i,
  input  logic                 room_last_i,     // for QpLastWqe, and all completions before it left
  input  logic                 room_emit_i,     // for the response picked

  // findings, those on a request as they were kept in Look
  input  logic [3:0]           verdict_i,
  input  logic                 stall_i,
  input  logic                 full_i,          // it becomes a NAK in the next clock
  input  logic                 send_i,          // the request is a SEND
  input  logic                 walks_i,         // a SEND has payload whose place is not known
  input  logic                 list_bad_i,
  input  logic                 walk_ready_i,
  input  logic                 walk_done_i,
  input  logic                 walk_bad_i,
  input  logic                 rekey_i,         // the key of a WRITE or atomic may be gone
  input  logic                 key_ready_i,
  input  logic                 key_done_i,
  input  logic                 key_ok_i,
  input  logic                 walking_i,       // the walker looks keys up
  input  logic                 inv_i,           // a SEND that invalidates a key
  input  logic                 inv_ready_i,
  input  logic                 inv_done_i,
  input  logic                 responds_i,       // the commit leaves a response due
  input  logic                 found_i,         // slot matches
  input  logic                 usable_i,        // another response may be made from it
  input  logic                 find_end_i,      // past the last slot
  input  logic                 has_slot_i,
  input  logic                 has_record_i,
  input  logic                 flushes_i,
  input  logic                 srq_i,           // the queue pair has an SRQ
  input  logic                 picked_i,        // a response can leave
  input  logic                 stale_i,         // it is of a READ whose key may be gone
  input  logic                 emit_nak_i,
  input  logic                 emit_more_i,     // the queue pair has more to do
  input  logic                 emit_surely_i,   // one leaves that is no NAK; from registers
  input  logic                 cmd_ready_i,
  input  logic                 posted_i,        // result of Peek

  // strobes
  output logic                 pick_o,          // an event begins: read the tables
  output logic                 other_o,         // with it: neither a request nor a step, but this
  output logic [2:0]           other_kind_o,    // ResponderKind,
  output logic                 request_o,       // or without it: a request
  output logic                 of_request_o,    // the event in progress is a request
  output logic                 of_result_o,     // or the result of an atomic
  output logic                 queue_pop_o,
  output logic                 ordering_o,      // the order of an event; from a register
  output logic                 event_init_o,
  output logic                 event_flush_o,
  output logic                 event_ready_o,
  output logic                 live_o,
  output logic                 look_o,          // keep the verdict
  output logic                 peeked_o,        // keep the result of Peek
  output logic                 list_next_o,     // its list may be read in the next clock
  output logic                 list_bad_o,
  output logic                 walk_valid_o,
  output logic                 inv_valid_o,
  output logic                 key_valid_o,
  output logic                 key_waits_o,     // the next result belongs to this lookup
  output logic                 slot_read_o,
  output logic                 find_next_o,     // with slot_read_o: read the next slot
  output logic                 commit_o,
  output logic                 finding_o,       // a slot was compared; from a register
  output logic                 replay_o,
  output logic                 miss_o,
  output logic                 slot_pick_o,     // keep which response was picked
  output logic                 gone_o,          // the key of the READ is gone
  output logic                 emitting_o,      // a response is picked; from a register
  output logic                 response_o,      // the same from another, for what chooses words
  output logic                 emit_o,
  output logic                 count_nak_o,
  output logic                 result_o,
  output logic                 fault_o,
  output logic                 flush_cqe_o,
  output logic                 last_wqe_o,      // a queue pair with an SRQ is flushed
  output logic                 push_o,
  output logic                 between_o,       // no event is in progress
  output logic                 cmd_valid_o,
  output logic [1:0]           cmd_op_o,
  output logic                 idle_o
);
  typedef enum logic [4:0] {
    StIdle, StLook, StDecide, StPeek, StList, StWalk, StKey, StKeyed, StInv, StInvalidated, StFind,
    StAdd, StCompare, StFound, StCommit, StSlot, StSlotKey, StSlotKeyed, StGone, StEmit, StCountNak,
    StResult, StFault, StOrder, StFlush, StFlushed, StStuck
  } state_e;
  (* fsm_encoding = "one-hot" *) state_e state_q;
  state_e     state_d;
  logic [2:0] kind, kind_q;
  logic       block, stuck, is_init, pick_idle, commits, orders, emits, calm_q;
  logic       free_request, free_step;  // the event ends now: one of this kind may begin
  logic       posted_q, list_bad_q, follows_q;  // it began as the one before it ended

  // InitResponder waits until the atomics of the former generation have left the atomic unit.
  assign is_init = event_kind_i == roci_pkg::QpEventInitResponder;
  roci_responder_select #(.LevelBits(LevelBits)) u_select (
    .clk_i, .rst_ni, .event_valid_i, .event_ok_i(event_valid_i && (!is_init || no_jobs_i)),
    .event_done_i(event_ready_o), .result_valid_i, .fault_valid_i, .live_valid_i,
    .live_done_i(live_o), .meta_valid_i, .queue_valid_i, .queue_level_i, .wake_i,
    .unblock_i(unblock_i || result_o), .room_request_i, .room_fail_i, .room_count_i,
    .block_i(block), .stuck_i(stuck), .push_i(push_o), .free_i(state_q == StIdle && ready_i),
    .free_request_i(Follow != 0 && free_request), .free_step_i(Follow != 0 && free_step),
    .free_commit_i(Follow != 0 && commits), .emitting_i(Follow != 0 && emitting_o),
    .rushes_i(verdict_i == roci_pkg::VerdictRead),  // READs do not gather
    .meta_more_i, .pick_o, .kind_o(kind), .other_o, .other_kind_o, .request_o, .queue_pop_o,
    .idle_o(pick_idle)
  );

  assign of_request_o = kind_q == roci_pkg::ResponderKindRequest;
  assign of_result_o  = kind_q == roci_pkg::ResponderKindResult;
  assign emitting_o   = state_q == StEmit;
  assign response_o   = !calm_q;
  assign finding_o    = state_q == StFound;
  assign ordering_o   = state_q == StOrder;
  // Inputs of this block follow these in the same clock.
  assign walk_valid_o = state_q == StList && !list_bad_q;
  // The list is read in Look, compared in Decide, and read again for List.
  assign list_next_o  = (pick_o && request_o) || (look_o && send_i)
                     || (state_q == StDecide && verdict_i == roci_pkg::VerdictSend && walks_i)
                     || state_q == StPeek || state_q == StList;
  assign inv_valid_o  = state_q == StInv;
  assign key_valid_o  = state_q == StKey || state_q == StSlotKey;
  assign key_waits_o  = state_q == StKeyed || state_q == StSlotKeyed;
  // An event that follows another has used nothing in Look: what begins there is yet to be judged.
  assign between_o    = state_q == StIdle || (state_q == StLook && follows_q);
  assign cmd_op_o = !(state_q == StOrder) ? roci_pkg::ReceiveOpPeek  // not !=: an or of all others
                  : is_init ? roci_pkg::ReceiveOpInit : roci_pkg::ReceiveOpFlush;

  always_comb begin
    state_d = StIdle;  // a state lasts one clock unless it says otherwise
    {event_init_o, event_flush_o, event_ready_o, live_o, look_o, peeked_o,
     list_bad_o, slot_read_o, find_next_o, commit_o, replay_o, miss_o, slot_pick_o,
     gone_o, emit_o, count_nak_o, result_o, fault_o, flush_cqe_o, last_wqe_o, push_o,
     block, stuck, commits, free_request, free_step, orders, emits} = '0;
    unique case (state_q)
      // The slot and the list are read whether the event needs them or not: the verdict does not
      // reach their memories.
      StLook: begin
        slot_read_o = 1'b1;
        unique case (kind_q)
          roci_pkg::ResponderKindEvent: begin
            orders        = is_init || event_kind_i == roci_pkg::QpEventFlush;
            event_ready_o = !orders;
            if (orders) state_d = StOrder;
          end
          roci_pkg::ResponderKindResult: state_d = StResult;
          roci_pkg::ResponderKindFault:  state_d = StFault;
          roci_pkg::ResponderKindLive: live_o = 1'b1;
          roci_pkg::ResponderKindRequest: begin look_o = 1'b1; state_d = StDecide; end
          default: begin  // step
            slot_pick_o = 1'b1;  // anew in Slot
            emits = !has_slot_i && has_record_i;
            orders = !has_slot_i && !has_record_i && flushes_i && room_cqe_i;
            state_d = has_slot_i ? StSlot : has_record_i ? StEmit : orders ? StFlush
                    : flushes_i ? StStuck : StIdle;
          end
        endcase
      end
      // Request.
      StDecide: begin
        block = stall_i;
        if (stall_i || full_i) begin
          state_d = stall_i ? StIdle : StCommit;
        end else begin
          unique case (verdict_i)
            roci_pkg::VerdictPeek:   begin orders = 1'b1; state_d = StPeek; end
            roci_pkg::VerdictReplay: state_d = StFind;
            roci_pkg::VerdictSend: begin
              state_d = walks_i ? StList : inv_i ? StInv : StIdle;
              commits = !walks_i && !inv_i;
            end
            roci_pkg::VerdictWrite, roci_pkg::VerdictAtomic: begin
              state_d = rekey_i ? StKey : StIdle;
              commits = !rekey_i;
            end
            default: commits = 1'b1;
          endcase
        end
      end
      StPeek: begin
        {peeked_o, orders} = {cmd_ready_i, !cmd_ready_i};
        state_d = orders ? StPeek : StLook;
      end
      StList: begin
        list_bad_o = list_bad_q;
        state_d    = list_bad_q ? StCommit : walk_ready_i ? StWalk : StList;
      end
      StWalk:  state_d = !walk_done_i ? StWalk : inv_i && !walk_bad_i ? StInv : StCommit;
      StKey:   state_d = key_ready_i ? StKeyed : StKey;
      StKeyed: state_d = key_done_i ? StCommit : StKeyed;
      StInv:   state_d = inv_ready_i ? StInvalidated : StInv;
      StInvalidated: state_d = inv_done_i ? StCommit : StInvalidated;
      StFind:    state_d = StAdd;  // three clocks compare the slot
      StAdd:     state_d = StCompare;
      StCompare: state_d = StFound;
      StFound:
        if (find_end_i) begin
          miss_o = 1'b1;
        end else if (found_i) begin
          {replay_o, push_o, miss_o} = {usable_i, usable_i, !usable_i};
        end else begin
          slot_read_o = 1'b1;
          find_next_o = 1'b1;
          state_d     = StFind;
        end
      StCommit: commits = 1'b1;
      // Step.
      StSlot: begin {slot_pick_o, emits} = 2'b11; state_d = StEmit; end
      StSlotKey:   state_d = key_ready_i ? StSlotKeyed : StSlotKey;
      StSlotKeyed: state_d = !key_done_i ? StSlotKeyed : key_ok_i ? StSlot : StGone;
      StGone: {gone_o, push_o} = 2'b11;
      StEmit: begin
        if (picked_i && stale_i) begin
          stuck   = walking_i || !room_fail_i;
          state_d = stuck ? StIdle : StSlotKey;
        end else if (picked_i && room_emit_i) begin
          emit_o = 1'b1;
          push_o = emit_more_i;
          if (emit_nak_i) state_d = StCountNak;
        end else begin
          stuck = 1'b1;
        end
        free_request = !(picked_i && stale_i) && !emit_nak_i;
        free_step    = emit_surely_i;
      end
      StCountNak: count_nak_o = 1'b1;
      StStuck: stuck = 1'b1;
      StFlush: begin orders = !cmd_ready_i; state_d = cmd_ready_i ? StFlushed : StFlush; end
      StFlushed: begin
        flush_cqe_o = posted_q;
        last_wqe_o  = !posted_q && srq_i && room_last_i;
        stuck       = !posted_q && srq_i && !room_last_i;
        push_o      = flush_cqe_o;
      end
      // Others.
      StResult: {result_o, push_o} = 2'b11;
      StFault:  {fault_o, push_o} = 2'b11;
      StOrder: begin
        {event_ready_o, orders} = {cmd_ready_i, !cmd_ready_i};
        event_init_o  = cmd_ready_i && is_init;
        event_flush_o = cmd_ready_i && !is_init;
        push_o        = event_flush_o;
        if (!cmd_ready_i) state_d = StOrder;
      end
      default: ;
    endcase
    if (commits) {commit_o, push_o} = {1'b1, responds_i};
    if (stuck) push_o = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    state_q <= !rst_ni ? StIdle : pick_o ? StLook : state_d;
    if (pick_o) kind_q <= kind;
    cmd_valid_o <= rst_ni && orders;
    follows_q  <= pick_o && !(state_q == StIdle);
    calm_q     <= !rst_ni || !emits;
    posted_q   <= posted_i;
    list_bad_q <= list_bad_i;
  end
  assign idle_o = state_q == StIdle && pick_idle;
  `ASSERT(SurelyLeaves, `IMPLIES(emitting_o && emit_surely_i, emit_o && !emit_nak_i))
  `ASSERT(ResponseIsEmitting, response_o == emitting_o)
  `ASSERT(OrdersInItsStates, cmd_valid_o == (state_q inside {StPeek, StFlush, StOrder}))
endmodule
