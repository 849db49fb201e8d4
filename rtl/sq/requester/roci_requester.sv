// SPDX-License-Identifier: Apache-2.0
// Requester of all queue pairs: sends plans, takes responses, keeps the window, the ring of
// messages in flight, retries and completions.
//
// One event in hand, and the next one read; the two are of one queue pair only if both are plans.
//
//  plan, response, timer, control --> next ---------> hand --> write the word
//                                     word, compare   ring
//
//  ring of a queue pair:   head: oldest message not completed     tail = head + count
//  sequence numbers:       una: oldest not acknowledged           psn_next: next to send

`include "assert.svh"

module roci_requester #(
  parameter int unsigned DataWidth = 512,  // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned NumQps    = 256,  // queue pairs, a power of two
  parameter int unsigned RingDepth = 128,   // messages in flight of a queue pair, a power of two
  parameter int unsigned Window    = 256   // packets in flight of a queue pair
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // row bus
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // events
  input  roci_pkg::sq_control_t     control_i,
  input  logic                      control_valid_i,
  output logic                      control_ready_o,
  input  roci_pkg::plan_t           plan_i,
  input  logic                      plan_valid_i,
  output logic                      plan_ready_o,
  input  roci_pkg::seg_t            plan_seg_i,
  input  logic                      plan_seg_valid_i,
  output logic                      plan_seg_ready_o,
  input  roci_pkg::rx_meta_t        rsp_meta_i,
  input  logic                      rsp_meta_valid_i,
  output logic                      rsp_meta_ready_o,
  input  roci_pkg::timer_event_t    timer_event_i,
  input  logic                      timer_event_valid_i,
  output logic                      timer_event_ready_o,
  input  logic [23:0]               live_qpn_i,
  input  logic                      live_valid_i,
  output logic                      live_ready_o,
  output roci_pkg::qp_live_t        live_o,

  // to the scheduler
  output roci_pkg::fetch_ptr_t      ptr_o,
  output logic                      ptr_valid_o,
  input  logic                      ptr_ready_i,
  output logic                      done_valid_o,
  output logic [$clog2(NumQps)-1:0] done_row_o,
  output logic [15:0]               done_index_o,

  // packets and their segments; segments of responses
  output roci_pkg::tx_desc_t        desc_o,
  output logic                      desc_valid_o,
  input  logic                      desc_ready_i,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  input  logic                      seg_ready_i,
  output roci_pkg::seg_t            rsp_seg_o,
  output logic                      rsp_seg_valid_o,
  input  logic                      rsp_seg_ready_i,

  // packets that left, in order
  input  logic                      sent_valid_i,
  input  roci_pkg::sent_t           sent_i,

  // lists of READs again, keys of their entries
  output logic                      br_req_valid_o,
  input  logic                      br_req_ready_i,
  output roci_pkg::block_read_req_t br_req_o,
  input  logic [DataWidth:0]        br_rsp_i,  // a beat: {error, data}
  input  logic                      br_rsp_valid_i,
  output logic                      br_rsp_ready_o,
  output roci_pkg::key_req_t        key_req_o,
  output logic                      key_req_valid_o,
  input  logic                      key_req_ready_i,
  input  roci_pkg::key_rsp_t        key_rsp_i,
  input  logic                      key_rsp_valid_i,

  // key operations, one at a time
  output roci_pkg::key_op_req_t     key_op_req_o,
  output logic                      key_op_req_valid_o,
  input  logic                      key_op_req_ready_i,
  input  roci_pkg::key_op_rsp_t     key_op_rsp_i,
  input  logic                      key_op_rsp_valid_i,
  output logic                      drain_o,    // pulse: a key became invalid or a window was bound
  input  logic                      drained_i,  // pulse, in order: what was accepted before is done

  // the rest
  output roci_pkg::atomic_job_t     atomic_job_o,
  output logic                      atomic_job_valid_o,
  input  logic                      atomic_job_ready_i,
  input  logic [7:0]                store_done_i,
  input  logic [15:0]               wr_done_i,
  output roci_pkg::cqe_req_t        cqe_o,
  output logic                      cqe_valid_o,
  input  logic                      cqe_ready_i,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  input  logic                      fail_ready_i,
  output roci_pkg::timer_cmd_t      timer_cmd_o,
  output logic                      timer_cmd_valid_o,
  input  logic                      timer_cmd_ready_i,
  output roci_pkg::count_t          count_o,
  output logic                      count_valid_o,
  input  logic                      count_ready_i,
  output logic                      drop_ghost_o,

  output logic                      idle_o
);

  localparam int unsigned QpBits    = $clog2(NumQps);
  localparam int unsigned LateDepth = 4;  // local operations that wait for earlier accesses
  `PARAM_CHECK(WindowInRange, Window >= 32 && Window <= 4096)
  logic [3:0]                 state_q, first_state, slot_num_sge;
  logic [15:0]                at, first_at;
  logic                       pick, take, follows, finish, memory_ready, none, idle, timer_calm;
  logic [QpBits-1:0]          pick_row, read_row, row_q, fault_row;
  logic                       is_live_q, is_rsp_q, is_timer_q, is_fault_q, is_again_q, is_late_q;
  logic [23:0]                fault_psn, fault_psn_q;
  logic                       fault_valid, fault_ready, fault_left, fault_left_q, late_valid,
                              fresh, late_ready, late_room, late_push, room, more_room, fail_room,
                              desc_room, rsp_room, cqe_room, cqe_calm, pick_hand, at_first, at_last,
                              moves, rsp_new, waits, handling, alive, count_calm, reread, drops;
  roci_pkg::plan_t            plan_q, read_plan, late;
  roci_pkg::rx_meta_t         rsp_q;
  roci_pkg::ext_aeth_t        read_aeth;
  roci_pkg::timer_event_t     timer_q;
  roci_pkg::sq_control_t      control_q;
  roci_pkg::requester_step_t  step;
  roci_pkg::requester_qp_t    word, stored, written, qp_q, qp_d;
  roci_pkg::requester_run_t   run_q, run_d, first_run;
  roci_pkg::requester_entry_t stored_entry, entry, new_entry;
  roci_pkg::qp_attr_t         read_attr, attr;
  roci_pkg::sge_t             slot_sge;
  roci_pkg::requester_look_t  look;
  logic                       begin_generation, read_in_err, in_err, ud_fails, read_uc, read_ud, uc,
                              ud, reads_ring, ring_read, part, whole, all, place_done, place_quick;
  logic [31:0]                read_qkey, qkey, rd_offset;
  logic [7:0]                 ud_status, ud_vendor, place_status, place_vendor;
  assign idle = at[roci_pkg::RequesterIdle];
  roci_requester_next #(.NumQps(NumQps), .RingDepth(RingDepth), .Window(Window)) u_next (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .control_i, .control_valid_i,
    .control_ready_o, .plan_i, .plan_valid_i, .plan_ready_o, .rsp_i(rsp_meta_i),
    .rsp_valid_i(rsp_meta_valid_i), .rsp_ready_o(rsp_meta_ready_o), .timer_i(timer_event_i),
    .timer_valid_i(timer_event_valid_i), .timer_ready_o(timer_event_ready_o),
    .fault_row_i(fault_row), .fault_psn_i(fault_psn), .fault_left_i(fault_left),
    .fault_valid_i(fault_valid), .fault_ready_o(fault_ready), .late_i(late),
    .late_valid_i(late_valid), .late_room_i(late_room), .late_ready_o(late_ready), .live_qpn_i,
    .live_valid_i, .again_push_i(step.again), .memory_ready_i(memory_ready), .room_i(room),
    .more_room_i(more_room), .fail_room_i(fail_room), .desc_room_i(desc_room),
    .rsp_room_i(rsp_room), .rsp_calm_i(cqe_calm), .more_rsp_i(count_calm), .pick_o(pick),
    .pick_row_o(pick_row), .moves_o(moves), .pick_hand_o(pick_hand), .reread_o(reread),
    .read_aeth_o(read_aeth), .read_ring_o(reads_ring), .read_row_o(read_row),
    .read_plan_o(read_plan), .word_i(word), .stored_i(stored), .written_i(written), .fresh_i(fresh),
    .attr_i(read_attr), .uc_i(read_uc), .ud_i(read_ud), .qkey_i(read_qkey), .alive_i(alive),
    .in_err_i(read_in_err), .hand_i(qp_q), .planning_i(at[roci_pkg::RequesterPlan]),
    .free_i(idle || finish), .empty_i(idle), .waits_i(waits && !qp_q.stopped), .take_o(take),
    .follows_o(follows), .rsp_new_o(rsp_new), .state_o(first_state), .at_o(first_at),
    .run_o(first_run), .row_o(row_q), .is_live_o(is_live_q), .is_late_o(is_late_q),
    .is_rsp_o(is_rsp_q), .is_timer_o(is_timer_q), .is_fault_o(is_fault_q), .is_again_o(is_again_q),
    .fault_psn_o(fault_psn_q), .fault_left_o(fault_left_q), .plan_o(plan_q), .rsp_o(rsp_q),
    .timer_o(timer_q), .control_o(control_q), .attr_o(attr), .uc_o(uc), .ud_o(ud), .qkey_o(qkey),
    .in_err_o(in_err), .look_o(look), .ud_fails_o(ud_fails), .ud_status_o(ud_status),
    .ud_vendor_o(ud_vendor), .none_o(none));

  // State.
  logic [6:0] ring_read_at, ring_write_at;
  logic [9:0] stored_ticket, ticket, newest;
  assign handling         = state_q == roci_pkg::RequesterHandle;
  assign begin_generation = handling && !is_live_q && !is_rsp_q && !is_timer_q && !is_fault_q
                            && !control_q.flush;
  assign ring_write_at = qp_q.head + qp_q.count[6:0] - 7'(!plan_q.first);
  roci_requester_state #(.NumQps(NumQps), .RingDepth(RingDepth)) u_state (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .pick_i(pick), .pick_row_i(pick_row),
    .moves_i(moves), .pick_hand_i(pick_hand), .reread_i(reread), .read_row_i(read_row),
    .row_i(row_q), .qp_o(word), .stored_o(stored), .written_o(written), .fresh_o(fresh),
    .attr_o(read_attr), .uc_o(read_uc), .ud_o(read_ud), .qkey_o(read_qkey), .alive_o(alive),
    .in_err_o(read_in_err), .ready_o(memory_ready), .write_i(finish), .qp_i(qp_d),
    .begin_i(begin_generation), .ring_read_i(ring_read),
    .ring_read_row_i(reads_ring ? read_row : row_q), .ring_read_at_i(ring_read_at),
    .entry_o(stored_entry), .ring_write_i(step.enter), .ring_write_at_i(ring_write_at),
    .entry_i(new_entry), .ticket_o(stored_ticket), .ticket_write_i(step.desc),
    .ticket_i(newest + 10'd1), .slot_read_i(reads_ring), .slot_read_at_i(word.rd_head),
    .slot_sge_o(slot_sge), .slot_num_sge_o(slot_num_sge), .slot_write_i(step.slot),
    .slot_plan_i(plan_q), .slot_write_at_i(qp_q.rd_head + qp_q.rd_count[3:0]));

  roci_requester_oldest u_oldest (
    .clk_i, .first_i(reads_ring), .first_at_i(word.head), .state_i(state_q),
    .next_i(step.next_entry), .head_i(qp_q.head), .read_o(ring_read), .read_at_o(ring_read_at),
    .entry_i(stored_entry), .ticket_i(stored_ticket), .upto_i(run_q.upto),
    .psn_next_i(qp_q.psn_next), .psn_i(rsp_q.psn), .pmtu_i(attr.pmtu), .entry_o(entry),
    .ticket_o(ticket), .part_o(part), .whole_o(whole), .all_o(all), .at_first_o(at_first),
    .at_last_o(at_last), .offset_o(rd_offset));

  // Steps.
  roci_pkg::tx_desc_t desc;
  logic [23:0]        span, message_less, limit;
  logic               limited, goes_on, flushes, bad, late_idle, out_empty;
  roci_requester_span #(.RingDepth(RingDepth), .Window(Window)) u_span (
    .clk_i, .plan_i(read_plan), .plan_pmtu_i(read_attr.pmtu), .aeth_i(read_aeth), .psn_i(rsp_q.psn),
    .placed_i(at[roci_pkg::RequesterPlace] || at[roci_pkg::RequesterPlaced]),
    .first_i(at[roci_pkg::RequesterCompare] ? stored_entry.first : entry.first), .qp_i(qp_q),
    .last_i(entry.last), .max_rd_atomic_i(attr.max_rd_atomic), .flush_upto_i(control_q.index),
    .span_o(span), .message_o(message_less), .bad_o(bad), .limited_o(limited), .limit_o(limit),
    .goes_on_o(goes_on), .flushes_o(flushes));
  roci_requester_step u_step (
    .state_i(state_q), .at_i(at), .is_live_i(is_live_q), .is_rsp_i(is_rsp_q),
    .is_timer_i(is_timer_q), .is_fault_i(is_fault_q), .left_i(fault_left_q), .uc_i(uc), .ud_i(ud),
    .qkey_i(qkey), .ud_fails_i(ud_fails), .ud_status_i(ud_status), .ud_vendor_i(ud_vendor),
    .is_again_i(is_again_q), .is_late_i(is_late_q), .plan_i(plan_q), .span_i(span),
    .message_less_i(message_less), .look_i(look), .rsp_i(rsp_q), .timer_i(timer_q),
    .limited_i(limited), .limit_i(limit), .goes_on_i(goes_on), .flushes_i(flushes),
    .fault_psn_i(fault_psn_q), .control_i(control_q), .qp_i(qp_q), .run_i(run_q), .entry_i(entry),
    .part_i(part), .whole_i(whole), .all_i(all), .at_first_i(at_first), .at_last_i(at_last),
    .attr_i(attr), .in_err_i(in_err), .cqe_room_i(cqe_room), .cqe_calm_i(cqe_calm),
    .timer_calm_i(timer_calm), .op_taken_i(key_op_req_ready_i), .op_done_i(key_op_rsp_valid_i),
    .op_ok_i(key_op_rsp_i.ok), .place_done_i(place_done), .place_quick_i(place_quick),
    .place_status_i(place_status), .place_vendor_i(place_vendor), .qp_o(qp_d), .run_o(run_d),
    .step_o(step), .finish_o(finish), .drop_o(drops), .desc_o(desc), .entry_o(new_entry),
    .late_o(late_push), .offset_i(rd_offset), .bad_i(bad));
  roci_requester_hand u_hand (
    .clk_i, .rst_ni, .finish_i(finish), .take_i(take), .first_i(first_state), .first_at_i(first_at),
    .next_i(step.state), .state_o(state_q), .at_o(at));
  always_ff @(posedge clk_i) qp_q <= take && !follows ? word : qp_d;
  always_ff @(posedge clk_i) run_q <= take ? first_run : run_d;

  // Key operations.
  roci_requester_operate #(.NumQps(NumQps), .Depth(LateDepth)) u_operate (
    .clk_i, .rst_ni, .row_i(row_q), .plan_i(plan_q), .pd_i(attr.pd), .req_o(key_op_req_o),
    .req_i(state_q == roci_pkg::RequesterOperate), .req_valid_o(key_op_req_valid_o),
    .push_i(state_q == roci_pkg::RequesterOperating && late_push), .drain_o, .drained_i,
    .late_o(late), .late_valid_o(late_valid), .late_ready_i(late_ready), .room_o(late_room),
    .idle_o(late_idle));

  // Places of READ data and atomic results.
  roci_pkg::key_rsp_t place;
  roci_pkg::seg_t     place_seg;
  logic               place_seg_valid, rsp_seg_in_ready;
  roci_requester_place #(.DataWidth(DataWidth)) u_place (
    .clk_i, .rst_ni, .at_i(at), .ask_i(run_q.ask), .begins_i(run_q.begins), .first_i(at_first),
    .qpn_i(24'(row_q)), .wqe_index_i(qp_q.done), .offset_i(rd_offset), .len_i(rsp_q.payload_len),
    .sge0_i(slot_sge), .num_sge_i(slot_num_sge), .pd_i(attr.pd), .pasid_i(attr.pasid),
    .sq_base_i(attr.sq_base), .wqe_entry_i(qp_q.done & ((16'd1 << attr.sq_log) - 16'd1)),
    .stride_log_i(attr.sq_stride_log), .forget_i(step.retire || begin_generation),
    .done_o(place_done), .quick_o(place_quick), .waits_o(waits), .status_o(place_status),
    .vendor_o(place_vendor), .place_o(place), .seg_o(place_seg), .seg_valid_o(place_seg_valid),
    .seg_ready_i(rsp_seg_in_ready), .br_req_valid_o, .br_req_ready_i, .br_req_o, .br_rsp_i,
    .br_rsp_valid_i, .br_rsp_ready_o, .key_req_o, .key_req_valid_o, .key_req_ready_i, .key_rsp_i,
    .key_rsp_valid_i);

  // Outputs.
  assign done_valid_o = finish || step.retire || step.cqe;
  assign done_row_o   = row_q;
  assign done_index_o = qp_d.done;
  assign drop_ghost_o = step.ghost;

  roci_requester_out #(.NumQps(NumQps)) u_out (
    .clk_i, .rst_ni, .row_i(row_q), .step_i(step), .qp_i(qp_q), .next_i(qp_d), .entry_i(entry),
    .ticket_i(ticket), .newest_o(newest), .sent_valid_i, .sent_i, .fault_row_o(fault_row),
    .fault_psn_o(fault_psn), .fault_left_o(fault_left), .fault_valid_o(fault_valid),
    .fault_ready_i(fault_ready), .attr_i(attr), .uc_i(uc), .plan_i(plan_q), .rsp_i(rsp_q),
    .rsp_new_i(rsp_new), .store_done_i, .wr_done_i, .place_i(place), .desc_i(desc), .drop_i(drops),
    .place_seg_i(place_seg), .place_seg_valid_i(place_seg_valid),
    .place_seg_ready_o(rsp_seg_in_ready), .plan_seg_i, .plan_seg_valid_i, .plan_seg_ready_o,
    .room_o(room), .more_room_o(more_room), .fail_room_o(fail_room), .desc_room_o(desc_room),
    .rsp_room_o(rsp_room), .cqe_room_o(cqe_room), .cqe_calm_o(cqe_calm), .timer_calm_o(timer_calm),
    .count_calm_o(count_calm), .ptr_o, .ptr_valid_o, .ptr_ready_i, .desc_o, .desc_valid_o,
    .desc_ready_i, .seg_o, .seg_valid_o, .seg_ready_i, .cqe_o, .cqe_valid_o, .cqe_ready_i, .fail_o,
    .fail_valid_o, .fail_ready_i, .timer_cmd_o, .timer_cmd_valid_o, .timer_cmd_ready_i, .count_o,
    .count_valid_o, .count_ready_i, .atomic_job_o, .atomic_job_valid_o, .atomic_job_ready_i,
    .rsp_seg_o, .rsp_seg_valid_o, .rsp_seg_ready_i, .empty_o(out_empty));

  assign live_ready_o = handling && is_live_q;
  always_comb begin
    live_o              = '0;
    live_o.sq_psn       = qp_q.psn_next;
    live_o.sq_una_psn   = qp_q.una;
    live_o.sq_completed = qp_q.done;
    live_o.sq_idle      = qp_q.psn_next == qp_q.una && (qp_q.failed || qp_q.done == qp_q.begun);
  end
  assign idle_o = memory_ready && idle && none && out_empty && late_idle;
  logic unused;
  assign unused = &{1'b0, attr, plan_q, rsp_q, timer_q, control_q};
  `ASSERT(ReportIsWork, `IMPLIES(idle_o, !fault_valid))
  `ASSERT(UnsentNeverFreed, `IMPLIES(step.retire, qp_q.psn_next != qp_q.una))
  `ASSERT(OldestEndsAhead, `IMPLIES(state_q == roci_pkg::RequesterRetire && qp_q.count != '0,
                                    entry.last - qp_q.una < 24'h80_0000))
  `ASSERT(SomeIsOfTheWord, `IMPLIES(handling && is_timer_q,
                                    look.some == (qp_q.psn_next != qp_q.una)))
  `ASSERT(RingHoldsHead, `IMPLIES(step.retire, qp_q.count != '0))
  `ASSERT(ContinuesHead, `IMPLIES(step.desc && !plan_q.first, qp_q.count != '0))
  `ASSERT(LocalOperationsStandAlone, `IMPLIES(key_op_req_valid_o, qp_q.count == '0))

endmodule
