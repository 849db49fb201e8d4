// SPDX-License-Identifier: Apache-2.0
// Proof harness: the steps of the requester on one queue pair, with every plan, response, timer,
// command and ring entry there can be.
//
//  - the window is kept: no packet is sent beyond it, no message enters a full ring
//  - nothing unsent is freed: `una` never passes what was sent
//  - each work request completes once: every completion moves `done` by one, and nothing else does
//
// What the ring gives is free in every step, so this does not rest on it.

`include "assert.svh"

module roci_requester_proof_tb #(
  parameter int unsigned RingDepth = 4,
  parameter int unsigned Window    = 32
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [2:0]                 kind_i,        // 0 plan, 1 response, 2 timer, 3 control,
                                                    // 4 payload not readable, or UC and it left,
                                                    // else none
  input  roci_pkg::plan_t            plan_i,
  input  roci_pkg::rx_meta_t         rsp_i,
  input  roci_pkg::timer_event_t     timer_i,
  input  logic [23:0]                fault_psn_i,
  input  logic                       left_i,        // with kind 4: it left
  input  logic                       uc_i,
  input  logic                       ud_i,
  input  logic                       ud_fails_i,     // with UD: an error of the request
  input  roci_pkg::sq_control_t      control_i,
  input  roci_pkg::requester_entry_t entry_i,
  input  roci_pkg::qp_attr_t         attr_i,
  input  logic                       alive_i,
  input  logic                       in_err_i,
  input  logic                       cqe_room_i,
  input  logic                       cqe_calm_i,    // with cqe_room_i
  input  logic                       timer_calm_i,
  input  logic                       op_taken_i,
  input  logic                       op_done_i,
  input  logic                       op_ok_i,
  input  logic                       late_i,
  input  logic                       place_done_i,
  input  logic                       place_quick_i,
  input  logic [7:0]                 place_status_i
);

  logic [3:0]                 state_q;
  logic                       dispatching_q;  // the event is read
  logic [2:0]                 kind_q;
  logic                       late_q, late, left_q;
  roci_pkg::plan_t            plan_q;
  roci_pkg::rx_meta_t         rsp_q;
  roci_pkg::timer_event_t     timer_q;
  logic [23:0]                fault_psn_q;
  roci_pkg::sq_control_t      control_q;
  roci_pkg::requester_qp_t    qp_q, qp_d;
  roci_pkg::requester_run_t   run_q, run_d, first_run;
  roci_pkg::requester_step_t  step;
  logic [3:0]                 first_state;
  roci_pkg::requester_entry_t entry, new_entry;
  logic                       part, whole, all, at_first, at_last, unused_read;
  logic [6:0]                 unused_read_at;
  logic [9:0]                 unused_ticket;
  logic [15:0]                unused_at;
  roci_pkg::tx_desc_t         desc;
  logic [31:0]                offset;
  logic [23:0]                span, message_less, limit;
  logic                       limited, goes_on, flushes, bad, finish, drops, follows;
  logic                       planning, acting, responding, placing;
  roci_pkg::requester_look_t  look;

  roci_requester_span #(.RingDepth(RingDepth), .Window(Window)) u_span (
    .clk_i, .plan_i(follows ? plan_i : plan_q), .plan_pmtu_i(attr_i.pmtu), .aeth_i(rsp_q.ext),
    .psn_i(rsp_q.psn),
    .first_i(state_q == roci_pkg::RequesterCompare ? entry_i.first : entry.first),
    .last_i(entry.last), .qp_i(qp_q), .max_rd_atomic_i(attr_i.max_rd_atomic), .placed_i(placing),
    .flush_upto_i(control_q.index), .bad_o(bad), .span_o(span), .message_o(message_less),
    .limited_o(limited), .limit_o(limit), .goes_on_o(goes_on), .flushes_o(flushes));
  roci_requester_oldest u_oldest (
    .clk_i, .first_i(dispatching_q), .first_at_i('0), .state_i(state_q), .next_i(step.next_entry),
    .head_i(qp_q.head), .read_o(unused_read), .read_at_o(unused_read_at), .entry_i, .ticket_i('0),
    .upto_i(run_q.upto), .psn_next_i(qp_q.psn_next), .psn_i(rsp_q.psn), .pmtu_i(attr_i.pmtu),
    .entry_o(entry), .at_first_o(at_first), .at_last_o(at_last), .offset_o(offset),
    .ticket_o(unused_ticket), .part_o(part), .whole_o(whole), .all_o(all));
  // The first step, while the event is read.
  roci_requester_dispatch u_dispatch (
    .is_plan_i(kind_q == 3'd0), .is_rsp_i(kind_q == 3'd1), .is_fault_i(kind_q == 3'd4),
    .left_i(left_q), .rsp_i(rsp_q), .fault_psn_i(fault_psn_q), .qp_i(qp_q), .stored_i(qp_q),
    .written_i(qp_q), .fresh_i(1'b0), .alive_i, .run_o(first_run), .state_o(first_state),
    .at_o(unused_at));
  roci_requester_plan_tb #(.RingDepth(RingDepth), .Window(Window)) u_plan (
    .clk_i, .rst_ni, .take_i(dispatching_q || follows),
    .planning_i(state_q == roci_pkg::RequesterPlan && !late_q), .plan_q_i(plan_q), .qp_i(qp_q),
    .span_i(span), .attr_i, .uc_i(uc_i || ud_i), .alive_i, .plan_i,
    .same_i(kind_q == 3'd0 && kind_i == 3'd0 && !late_i), .look_o(look), .follows_o(follows));
  roci_requester_step u_step (
    .state_i(state_q), .at_i(16'd1 << state_q), .is_live_i(1'b0), .is_rsp_i(kind_q == 3'd1),
    .is_timer_i(kind_q == 3'd2), .is_fault_i(kind_q == 3'd4), .is_again_i(1'b0),
    .is_late_i(late_q), .plan_i(plan_q), .span_i(span), .message_less_i(message_less),
    .look_i(look), .rsp_i(rsp_q), .limited_i(limited), .limit_i(limit), .goes_on_i(goes_on),
    .flushes_i(flushes), .timer_i(timer_q), .left_i(left_q), .uc_i(uc_i || ud_i), .ud_i,
    .qkey_i(32'd1), .ud_fails_i(ud_fails_i && ud_i),
    .ud_status_i(roci_pkg::StatusLocLenErr), .ud_vendor_i(8'd0), .fault_psn_i(fault_psn_q),
    .control_i(control_q), .qp_i(qp_q), .run_i(run_q), .entry_i(entry), .part_i(part),
    .whole_i(whole), .all_i(all), .at_first_i(at_first), .at_last_i(at_last), .attr_i,
    .in_err_i, .cqe_room_i, .cqe_calm_i(cqe_room_i && cqe_calm_i), .timer_calm_i, .op_taken_i,
    .op_done_i, .op_ok_i, .place_done_i, .place_quick_i, .place_status_i, .place_vendor_i(8'd0),
    .qp_o(qp_d), .run_o(run_d), .step_o(step), .finish_o(finish), .drop_o(drops), .desc_o(desc),
    .entry_o(new_entry), .late_o(late), .offset_i(offset), .bad_i(bad));
  assign planning   = state_q >= roci_pkg::RequesterPlan && state_q <= roci_pkg::RequesterOperated;
  assign acting     = state_q >= roci_pkg::RequesterRetire && state_q <= roci_pkg::RequesterPlaced;
  assign placing    = state_q == roci_pkg::RequesterPlace || state_q == roci_pkg::RequesterPlaced;
  assign responding = acting || state_q == roci_pkg::RequesterCompare;

  logic begins;  // the hand is free, and no event is read
  assign begins = !dispatching_q && !follows && (state_q == roci_pkg::RequesterIdle || step.finish);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q       <= roci_pkg::RequesterIdle;
      dispatching_q <= 1'b0;
      qp_q          <= '0;
    end else begin
      qp_q          <= qp_d;
      dispatching_q <= begins && kind_i <= 3'd4;
      if (follows) state_q <= roci_pkg::RequesterPlan;
      else if (dispatching_q) state_q <= first_state;
      else state_q <= begins ? roci_pkg::RequesterIdle : step.state;
    end
  end
  always_ff @(posedge clk_i) begin
    run_q <= dispatching_q ? first_run : run_d;
    if (begins || follows) begin
      kind_q    <= kind_i;
      plan_q    <= plan_i;
      late_q    <= late_i;
      rsp_q     <= rsp_i;
      timer_q   <= timer_i;
      control_q <= control_i;
      fault_psn_q <= fault_psn_i;
      left_q      <= left_i;
    end
  end

  logic unused;
  assign unused = &{1'b0, late, new_entry, desc, offset, run_d, step, drops, unused_read,
                    unused_read_at, unused_ticket, unused_at};

`ifdef FORMAL
  logic [23:0] f_flight, f_flight_after, f_freed, f_acked;
  logic        f_begins, f_silent, f_fault, f_asks;
  assign f_flight       = qp_q.psn_next - qp_q.una;
  assign f_flight_after = qp_d.psn_next - qp_d.una;
  assign f_freed        = qp_d.una - qp_q.una;
  assign f_acked        = run_q.upto - qp_q.una;
  assign f_asks         = run_q.ask == roci_pkg::AskData || run_q.ask == roci_pkg::AskAtomic;
  assign f_begins       = state_q == roci_pkg::RequesterHandle && kind_q == 3'd3;
  assign f_fault        = kind_q == 3'd4 && responding && state_q <= roci_pkg::RequesterRetire
                          && (left_q || f_acked == '0) && run_q.ask == roci_pkg::AskNone;
  assign f_silent       = (step.retire && !entry.signaled)
                          || (state_q == roci_pkg::RequesterOperated && !plan_q.signaled);

  // Bounds that the segmenter keeps: RQ-44, path MTU
  `ASSUME(MessageFits, plan_q.len <= 32'h8000_0000 && plan_q.msg_len <= 32'h8000_0000)
  `ASSUME(MtuIsKnown, attr_i.pmtu >= 3'd1 && attr_i.pmtu <= 3'd5)

  `ASSERT(SpansInRange, `IMPLIES(planning, span != '0 && span <= 24'h80_0000
                                           && message_less < 24'h80_0000))

  // A place is found in the second clock of Place or a later one
  logic f_placing_q;
  always_ff @(posedge clk_i) f_placing_q <= state_q == roci_pkg::RequesterPlace;
  `ASSUME(PlaceTakesTime, `IMPLIES(place_done_i, f_placing_q))
  `ASSUME(QuickIsDone, `IMPLIES(place_quick_i, place_done_i && run_q.ask == roci_pkg::AskData
                                               && place_status_i == roci_pkg::StatusSuccess))
  `ASSERT(RestIsCompared, `IMPLIES(state_q == roci_pkg::RequesterPlace && place_quick_i,
                                   all == (f_flight == 24'd1)))
  `ASSERT(PlaceIsOfTheResponse, `IMPLIES(placing, run_q.upto == rsp_q.psn + 24'd1))

  // A plan follows one that is sent.
  `ASSERT(FollowsWhatIsSent, `IMPLIES(follows, step.finish && step.desc && span == 24'd1))

  // The ring gives what was put in
  `ASSERT(ErrorsEnterAsSuch, `IMPLIES(step.enter && new_entry.kind == roci_pkg::MessageError,
                                      new_entry.status != roci_pkg::StatusSuccess))
  `ASSUME(ErrorsStaySo, `IMPLIES(entry.kind == roci_pkg::MessageError,
                                 entry.status != roci_pkg::StatusSuccess))

  // The oldest message has a packet that is not acknowledged, and no more than 2^23; checked in
  // every run by OldestEndsAhead of roci_requester.
  `ASSUME(OldestIsInFlight, `IMPLIES(acting && qp_q.count != '0,
                                     entry.last - qp_q.una < 24'h80_0000))
  // Compared a clock before
  logic [23:0] f_beyond;
  logic [7:0]  f_most;
  logic [4:0]  f_half_rd;
  assign f_most    = 8'(RingDepth - RingDepth / 4);
  always_ff @(posedge clk_i) f_half_rd <= attr_i.max_rd_atomic >> 1;
  assign f_beyond = run_q.upto - entry.last - 24'd1;
  `ASSERT(OldestIsCompared, `IMPLIES(state_q == roci_pkg::RequesterRetire,
                                     part == f_beyond[23] && whole == (f_beyond == '0)
                                     && all == (qp_q.psn_next == run_q.upto)))
  `ASSERT(ResponseIsCompared, `IMPLIES(acting, at_first == (rsp_q.psn == entry.first)
                                               && at_last == (rsp_q.psn == entry.last)))

  // A blocked queue pair ends its event by the room that its word has then.
  `ASSERT(RoomIsOfTheEnd, `IMPLIES(state_q == roci_pkg::RequesterEnd && qp_q.blocked
                                   && run_q.compared && !qp_q.credit_wait
                                   && !qp_q.rd_count[4],
                                   goes_on == (f_flight <= 24'(Window / 2)
                                               && qp_q.count <= (qp_q.drain_wait ? '0 : f_most)
                                               && qp_q.rd_count
                                                  <= (qp_q.fence_wait ? '0 : f_half_rd))))
  // One that has room does not end with the place of its data.
  `ASSERT(BlockedHasNoRoom, `IMPLIES(state_q == roci_pkg::RequesterPlace && step.finish
                                     && qp_q.blocked && !qp_q.credit_wait && !qp_q.rd_count[4],
                                     f_flight_after > 24'(Window / 2)
                                     || qp_d.count > (qp_q.drain_wait ? '0 : f_most)
                                     || qp_d.rd_count > (qp_q.fence_wait ? '0 : f_half_rd)))
  `ASSERT(NotYetCompared, `IMPLIES(state_q == roci_pkg::RequesterCompare
                                   || state_q == roci_pkg::RequesterHandle
                                   || state_q == roci_pkg::RequesterPlace
                                   || state_q == roci_pkg::RequesterPlaced
                                   || (state_q == roci_pkg::RequesterAct
                                       && run_q.ask != roci_pkg::AskFatal
                                       && run_q.ask != roci_pkg::AskSyndrome), !run_q.compared))

  `ASSERT(FinishIsOfTheStep, finish == step.finish)
  `ASSERT(DropsWhatIsNotPlaced, `IMPLIES(drops, !step.data && rsp_q.payload_len != '0))

  // What holds between the steps of an event
  `ASSERT(CauseIsKnown, `IMPLIES(state_q == roci_pkg::RequesterFail
                                 || state_q == roci_pkg::RequesterRecover
                                 || state_q == roci_pkg::RequesterOperate
                                 || state_q == roci_pkg::RequesterOperating,
                                 run_q.status != roci_pkg::StatusSuccess))
  `ASSERT(ReadBeforeInHand, `IMPLIES(dispatching_q, state_q == roci_pkg::RequesterIdle))
  `ASSERT(RingIsBounded, qp_q.count <= 8'(RingDepth) && qp_q.count_max <= 8'(RingDepth))
  `ASSERT(LateIsRejected, `IMPLIES(responding && run_q.late,
                                  (run_q.ask == roci_pkg::AskFatal
                                   || run_q.ask == roci_pkg::AskSyndrome)
                                  && state_q != roci_pkg::RequesterPlace
                                  && state_q != roci_pkg::RequesterPlaced))
  `ASSERT(FaultsAskNothing, `IMPLIES(state_q == roci_pkg::RequesterHandle && kind_q == 3'd4,
                                     run_q.ask == roci_pkg::AskNone && !run_q.late))
  `ASSERT(LateWasSent, `IMPLIES(state_q == roci_pkg::RequesterHandle && run_q.late,
                                kind_q == 3'd1 && run_q.upto == rsp_q.psn
                                && (run_q.ask == roci_pkg::AskFatal
                                    || run_q.ask == roci_pkg::AskSyndrome)
                                && f_acked < qp_q.psn_max - qp_q.una))
  `ASSERT(AskIsKnown, `IMPLIES(responding || state_q == roci_pkg::RequesterHandle,
                               run_q.ask <= roci_pkg::AskAtomic)
                      && `IMPLIES(state_q == roci_pkg::RequesterAct,
                                  run_q.ask != roci_pkg::AskNone))
  `ASSERT(KindFitsState, `IMPLIES(responding, kind_q == 3'd1 || f_fault)
                         && `IMPLIES(planning, kind_q == 3'd0)
                         && `IMPLIES(state_q == roci_pkg::RequesterHandle,
                                     kind_q != 3'd0 && kind_q <= 3'd4)
                         && `IMPLIES(dispatching_q, kind_q <= 3'd4))

  `ASSERT(PlacedIsThere, `IMPLIES(placing, qp_q.count != '0))
  `ASSERT(EntersWithRoom, `IMPLIES(step.enter && !step.enter_last, qp_q.count < 8'(RingDepth)))

  `ASSERT(EndsWithItsMessage, `IMPLIES(acting && step.finish,
                                       step.retire || state_q == roci_pkg::RequesterPlace))
  `ASSERT(RetiresWhatIsThere, `IMPLIES(step.retire, qp_q.count != '0))

  // One completion for each work request
  `ASSERT(CompletesOne, `IMPLIES(step.cqe, qp_d.done == qp_q.done + 16'd1))
  `ASSERT(NothingElseCompletes, `IMPLIES(qp_d.done != qp_q.done && !f_begins,
                                         qp_d.done == qp_q.done + 16'd1 && (step.cqe || f_silent)))
  `ASSERT(SignaledIsReported, `IMPLIES(step.retire && entry.signaled, step.cqe))
  `ASSERT(ErrorIsReported, `IMPLIES(step.fail, step.cqe
                                           && step.cqe_status != roci_pkg::StatusSuccess))
  `ASSERT(RoomIsThere, `IMPLIES(step.cqe, cqe_room_i))

  `COVER(LocalOperation, step.cqe && state_q == roci_pkg::RequesterOperated)
  `COVER(Flushes, step.cqe && state_q == roci_pkg::RequesterFlush && run_q.flushed == 5'd1)
  `ASSERT(AcknowledgedWasSent, `IMPLIES(responding && state_q <= roci_pkg::RequesterRetire,
                                        f_acked <= f_flight))
  `ASSERT(OldestIsResponded, `IMPLIES(placing, rsp_q.psn == qp_q.una && f_flight != '0
                                               && qp_q.count != '0))
  `ASSERT(OldestIsAsked, `IMPLIES(state_q == roci_pkg::RequesterAct && f_asks && qp_q.count != '0,
                                  rsp_q.psn == qp_q.una && f_flight != '0))
  `ASSERT(DataStayAsked, `IMPLIES(responding && state_q <= roci_pkg::RequesterRetire && f_asks,
                                  run_q.upto == rsp_q.psn && f_acked < f_flight))
  // The window
  `ASSERT(SendsWithinWindow, `IMPLIES(step.desc, f_flight < 24'(Window)))
  `ASSERT(SendsForward, `IMPLIES(step.desc, f_flight_after > f_flight
                                            && f_flight_after <= 24'h80_0000))
  // Nothing unsent is freed
  `ASSERT(FreesWhatWasSent, `IMPLIES(!f_begins, f_freed <= f_flight))
  `ASSERT(OnlyResponsesFree, `IMPLIES(f_freed != '0, f_begins || responding))
  `COVER(Follows, follows && step.timer)
  `COVER(RetiresOverTheWrap, step.retire && step.cqe && qp_q.una > qp_d.una)
  `COVER(ReturnsToEarlierPsn, step.kill && f_flight > 24'd1 && qp_d.count == 8'd1)
  initial assume (!rst_ni);
`endif

endmodule
