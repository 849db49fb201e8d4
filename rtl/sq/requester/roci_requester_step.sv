// SPDX-License-Identifier: Apache-2.0
// One step of the event in hand: the state word and the run after it, and the record of what the
// step gives to other blocks. Combinational; the state selects which of the four kinds of step
// acts.

module roci_requester_step (
  input  logic [3:0]                 state_i,        // Requester* code,
  input  logic [15:0]                at_i,           // and its bit

  // the event
  input  logic                       is_live_i,
  input  logic                       is_rsp_i,
  input  logic                       is_timer_i,
  input  logic                       is_fault_i,
  input  logic                       left_i,         // with is_fault_i: the packet left
  input  logic                       is_again_i,
  input  logic                       is_late_i,      // with a plan
  input  roci_pkg::plan_t            plan_i,
  input  logic [23:0]                span_i,         // sequence numbers of its packet
  input  logic [23:0]                message_less_i, // and of its message, less one
  input  roci_pkg::requester_look_t  look_i,         // what the word says of it
  input  roci_pkg::rx_meta_t         rsp_i,
  input  logic                       limited_i,      // its credits
  input  logic [23:0]                limit_i,
  input  logic                       goes_on_i,      // see recover
  input  logic                       flushes_i,
  input  roci_pkg::timer_event_t     timer_i,
  input  logic [23:0]                fault_psn_i,
  input  roci_pkg::sq_control_t      control_i,

  // state
  input  roci_pkg::requester_qp_t    qp_i,
  input  roci_pkg::requester_run_t   run_i,
  input  roci_pkg::requester_entry_t entry_i,        // oldest message in the ring, and what the
  input  logic                       part_i,         // response acknowledges: see respond
  input  logic                       whole_i,
  input  logic                       all_i,
  input  logic                       at_first_i,
  input  logic                       at_last_i,
  input  roci_pkg::qp_attr_t         attr_i,
  input  logic                       uc_i,           // UC or UD
  input  logic                       ud_i,
  input  logic [31:0]                qkey_i,         // own Q_Key
  input  logic                       ud_fails_i,      // UD: the request of the plan fails,
  input  logic [7:0]                 ud_status_i,      // with this status,
  input  logic [7:0]                 ud_vendor_i,        // and with this vendor_err
  input  logic                       in_err_i,

  // results that a step waits for, and room
  input  logic                       cqe_room_i,     // for a completion,
  input  logic                       cqe_calm_i,     // and for many
  input  logic                       timer_calm_i,   // the timer keeps up
  input  logic                       op_taken_i,     // key operation accepted
  input  logic                       op_done_i,
  input  logic                       op_ok_i,
  input  logic                       place_done_i,
  input  logic                       place_quick_i,
  input  logic [7:0]                 place_status_i,
  input  logic [7:0]                 place_vendor_i,

  output roci_pkg::requester_qp_t    qp_o,
  output roci_pkg::requester_run_t   run_o,
  output roci_pkg::requester_step_t  step_o,
  output logic                       finish_o,       // step_o.finish, which chooses the next event
  output logic                       drop_o,         // the payload of the response is skipped
  output roci_pkg::tx_desc_t         desc_o,         // packet of a plan
  output roci_pkg::requester_entry_t entry_o,        // its message
  output logic                       late_o,         // the operation completes as a late event
  input  logic [31:0]                offset_i,       // place of READ data in its message
  input  logic                       bad_i           // `bad_psn` is of the oldest message
);

  roci_pkg::requester_qp_t   qp, qp_handle, qp_plan, qp_respond, qp_recover;
  roci_pkg::requester_run_t  run_handle, run_plan, run_respond, run_recover;
  roci_pkg::requester_step_t step_handle, step_plan, step_respond, step_recover;
  roci_pkg::ext_aeth_t       rsp_aeth;
  logic                      plan_ends, message_ends, data_ends;
  assign rsp_aeth = rsp_i.ext;

  roci_requester_handle u_handle (
    .is_live_i, .is_rsp_i, .is_timer_i, .is_fault_i, .left_i, .is_again_i, .timer_i,
    .fault_psn_i, .control_i, .qp_i, .in_flight_i(look_i.some), .run_i, .attr_i, .uc_i, .in_err_i,
    .qp_o(qp_handle), .run_o(run_handle), .step_o(step_handle));
  roci_requester_plan u_plan (
    .state_i, .plan_i, .span_i, .message_less_i, .qp_i, .run_i, .attr_i, .uc_i, .ud_i, .qkey_i,
    .ud_fails_i, .ud_status_i, .ud_vendor_i, .look_i, .cqe_room_i,
    .op_taken_i, .op_done_i, .op_ok_i, .late_i(is_late_i), .late_o,
    .qp_o(qp_plan), .run_o(run_plan), .step_o(step_plan), .ends_o(plan_ends), .desc_o, .entry_o);
  roci_requester_respond u_respond (
    .state_i, .rsp_i, .qp_i, .run_i, .entry_i, .part_i, .whole_i, .all_i, .at_first_i, .at_last_i,
    .attr_i, .cqe_room_i, .cqe_calm_i, .timer_calm_i, .place_done_i, .place_quick_i,
    .goes_on_i, .place_status_i, .place_vendor_i, .qp_o(qp_respond), .run_o(run_respond),
    .step_o(step_respond), .ends_o(message_ends), .quick_o(data_ends), .offset_i, .bad_i);
  roci_requester_recover u_recover (
    .state_i, .rnr_code_i(rsp_aeth.code), .qp_i, .run_i, .entry_i, .attr_i, .uc_i, .cqe_room_i,
    .timer_calm_i, .goes_on_i, .flushes_i,
    .qp_o(qp_recover), .run_o(run_recover), .step_o(step_recover));

  // What ends an event chooses the next one, so it does not go through the steps: what is not known
  // from the state is found beside it. Steps that are rare end in Done, a clock later.
  assign finish_o = (at_i[roci_pkg::RequesterHandle] && step_handle.finish)
                 || (at_i[roci_pkg::RequesterPlan] && plan_ends)
                 || (at_i[roci_pkg::RequesterRetire] && message_ends)
                 || (at_i[roci_pkg::RequesterPlace] && data_ends)
                 || at_i[roci_pkg::RequesterDone]
                 || (at_i[roci_pkg::RequesterEnd] && (!qp_i.blocked || run_i.compared));

  assign drop_o = finish_o && is_rsp_i && rsp_i.payload_len != '0 && !run_i.placed
                  && !at_i[roci_pkg::RequesterPlace];

  always_comb begin
    unique case (state_i)
      roci_pkg::RequesterIdle, roci_pkg::RequesterDone: begin
        qp     = qp_i;
        run_o  = run_i;
        step_o = '0;
        step_o.finish = state_i == roci_pkg::RequesterDone;
      end
      roci_pkg::RequesterHandle: begin
        qp     = qp_handle;
        run_o  = run_handle;
        step_o = step_handle;
      end
      roci_pkg::RequesterPlan, roci_pkg::RequesterOperate, roci_pkg::RequesterOperating,
      roci_pkg::RequesterOperated: begin
        qp    = qp_plan;
        run_o = run_plan;
        step_o = step_plan;
      end
      roci_pkg::RequesterCompare, roci_pkg::RequesterRetire, roci_pkg::RequesterAct,
      roci_pkg::RequesterPlace, roci_pkg::RequesterPlaced: begin
        qp    = qp_respond;
        run_o = run_respond;
        step_o = step_respond;
      end
      default: begin
        qp    = qp_recover;
        run_o = run_recover;
        step_o = step_recover;
      end
    endcase
    if (run_i.credit && (state_i == roci_pkg::RequesterCompare
                         || state_i == roci_pkg::RequesterHandle)) begin
      qp.limited = limited_i;
      qp.limit   = limit_i;
    end
    if (step_o.next_entry) run_o.compared = 1'b0;
    if (step_o.retire) begin
      qp.head      = qp_i.head + 7'd1;
      qp.count     = qp_i.count - 8'd1;
      qp.count_max = qp_i.count_max - 8'(qp_i.count_max != '0);
      qp.done      = qp_i.done + 16'd1;
      qp.messages  = qp_i.messages + 24'd1;
      qp.owe_data  = !entry_i.signaled
                       && (qp_i.owe_data || entry_i.kind == roci_pkg::MessageRead);
      qp.owe_store = !entry_i.signaled
                       && (qp_i.owe_store || entry_i.kind == roci_pkg::MessageAtomic);
    end
  end

  assign qp_o = qp;

  logic unused;
  assign unused = &{1'b0, rsp_aeth, at_i};

endmodule
