// SPDX-License-Identifier: Apache-2.0
// The event after the one in hand: chosen, read, compared, and then in hand itself.
//
//  choose --> read: word, attributes --> in hand
//             window, plan, handle
//
// An event is read for at least a clock, longer when the one in hand takes more steps. While it is
// read and the hand gets free, the one after it is chosen when it is of another queue pair and a
// plan, a response after a plan or READ data, or a packet of UC or UD that left after a plan: so
// the word that is read is never one that an event before it has still to write.
//
// A plan may also be of the queue pair of the plan before it. It follows that one at once, or the
// word that this one writes is read for it.
//
// Ring and slots of READs are read in the clock before the hand, so an event that needs them does
// not come into it while the one there needs what it has read of them.

`include "assert.svh"

module roci_requester_next #(
  parameter int unsigned NumQps    = 256,  // queue pairs, a power of two
  parameter int unsigned RingDepth = 128,   // messages in flight of a queue pair
  parameter int unsigned Window    = 256,  // packets in flight of a queue pair
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // row bus
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // events, and room for what they may give out; see roci_requester_select
  input  roci_pkg::sq_control_t     control_i,
  input  logic                      control_valid_i,
  output logic                      control_ready_o,
  input  roci_pkg::plan_t           plan_i,
  input  logic                      plan_valid_i,
  output logic                      plan_ready_o,
  input  roci_pkg::rx_meta_t        rsp_i,
  input  logic                      rsp_valid_i,
  output logic                      rsp_ready_o,
  input  roci_pkg::timer_event_t    timer_i,
  input  logic                      timer_valid_i,
  output logic                      timer_ready_o,
  input  logic [QpBits-1:0]         fault_row_i,
  input  logic [23:0]               fault_psn_i,
  input  logic                      fault_left_i,
  input  logic                      fault_valid_i,
  output logic                      fault_ready_o,
  input  roci_pkg::plan_t           late_i,
  input  logic                      late_valid_i,
  output logic                      late_ready_o,
  input  logic                      late_room_i,
  input  logic [23:0]               live_qpn_i,
  input  logic                      live_valid_i,
  input  logic                      again_push_i,
  input  logic                      memory_ready_i,
  input  logic                      room_i,
  input  logic                      more_room_i,
  input  logic                      fail_room_i,
  input  logic                      desc_room_i,
  input  logic                      rsp_room_i,   // for what a response may give out,
  input  logic                      rsp_calm_i,   // for a choice of one,
  input  logic                      more_rsp_i,   // and of one that follows READ data

  // the choice, and what is read for it a clock later, until the next choice
  output logic                      pick_o,
  output logic [QpBits-1:0]         pick_row_o,
  output logic                      moves_o,     // no event is read that goes on being read
  output logic                      pick_hand_o, // the event in hand has it, and ends
  output logic                      reread_o,    // the word that is written is read instead
  output logic                      read_ring_o, // the oldest message of its ring is read
  output logic [QpBits-1:0]         read_row_o,
  output roci_pkg::plan_t           read_plan_o,
  output roci_pkg::ext_aeth_t       read_aeth_o, // the AETH of a response
  input  roci_pkg::requester_qp_t   word_i,      // see roci_requester_state
  input  roci_pkg::requester_qp_t   stored_i,
  input  roci_pkg::requester_qp_t   written_i,
  input  logic                      fresh_i,
  input  roci_pkg::qp_attr_t        attr_i,
  input  logic                      uc_i,        // UC or UD
  input  logic                      ud_i,
  input  logic [31:0]               qkey_i,      // own Q_Key
  input  logic                      alive_i,     // in RTS or SQD, generation begun
  input  logic                      in_err_i,    // in ERR or SQE

  // the hand
  input  roci_pkg::requester_qp_t   hand_i,      // its word
  input  logic                      planning_i,  // step Plan
  input  logic                      free_i,      // empty, or its event ends
  input  logic                      empty_i,
  input  logic                      waits_i,     // its event needs nothing more of ring and slots
  output logic                      take_o,      // the event read is in hand from the next clock on
  output logic                      follows_o,   // with it: with the word that is in hand
  output logic [3:0]                state_o,     // with it: its first step,
  output logic [15:0]               at_o,        // as one bit too,
  output roci_pkg::requester_run_t  run_o,       // and what its word says of it

  // the event in hand
  output logic [QpBits-1:0]         row_o,
  output logic                      is_live_o,
  output logic                      is_late_o,   // with a plan
  output logic                      is_rsp_o,
  output logic                      is_timer_o,
  output logic                      is_fault_o,
  output logic                      is_again_o,
  output roci_pkg::plan_t           plan_o,
  output roci_pkg::rx_meta_t        rsp_o,       // the newest one, when it is none
  output logic                      rsp_new_o,   // this is its first clock
  output roci_pkg::timer_event_t    timer_o,
  output logic [23:0]               fault_psn_o,
  output logic                      fault_left_o,
  output roci_pkg::sq_control_t     control_o,
  output roci_pkg::qp_attr_t        attr_o,
  output logic                      uc_o,
  output logic                      ud_o,
  output logic [31:0]               qkey_o,
  output logic                      in_err_o,
  // in its first clock in hand
  output roci_pkg::requester_look_t look_o,      // what the word says of a plan
  output logic                      ud_fails_o,  // UD: the request of the plan fails,
  output logic [7:0]                ud_status_o, // with this status
  output logic [7:0]                ud_vendor_o, // and this vendor_err

  output logic                      none_o       // no event waits, and none is read
);

  logic is_live, is_plan, is_late, is_rsp, is_timer, is_fault, is_again, fault_left, none;
  logic read_q, is_plan_q;
  roci_pkg::rx_meta_t read_rsp;
  assign read_aeth_o = read_rsp.ext;
  logic ring_free;  // the event in hand needs nothing more of ring and slots
  logic held;       // the event read does not come into the hand yet
  logic pick_same, same_q;  // a plan is read whose queue pair's plan is in hand
  assign ring_free   = empty_i || is_plan_q || waits_i;
  assign held        = read_q && ((!is_plan && !ring_free) || (is_rsp && !rsp_room_i)
                                  || (same_q && !follows_o));
  assign reread_o    = same_q && free_i && !follows_o;
  assign take_o      = read_q && free_i && !held;
  assign moves_o     = !read_q || (free_i && !held);
  assign read_ring_o = read_q && !is_plan && ring_free;
  assign none_o      = none && !read_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) read_q <= 1'b0;
    else read_q <= pick_o || (read_q && !take_o);
    if (!rst_ni) same_q <= 1'b0;
    else if (pick_o) same_q <= pick_same;
    else if (free_i) same_q <= 1'b0;
    rsp_new_o <= take_o && is_rsp;
  end
  roci_requester_follow #(.RingDepth(RingDepth), .Window(Window)) u_follow (
    .clk_i, .rst_ni, .take_i(take_o), .planning_i, .look_i(look_o), .epoch_i(plan_o.epoch),
    .qp_i(hand_i), .plan_i(read_plan_o), .same_i(same_q), .alive_i, .follows_o);
  logic followed_q;
  always_ff @(posedge clk_i) followed_q <= follows_o;

  roci_requester_select #(.NumQps(NumQps)) u_select (
    .clk_i, .rst_ni, .control_i, .control_valid_i, .control_ready_o, .plan_i, .plan_valid_i,
    .plan_ready_o, .rsp_i, .rsp_valid_i, .rsp_ready_o, .timer_i, .timer_valid_i, .timer_ready_o,
    .fault_row_i, .fault_psn_i, .fault_left_i, .fault_left_o(fault_left), .fault_valid_i,
    .fault_ready_o, .late_i, .late_valid_i, .late_room_i, .late_ready_o, .live_qpn_i, .live_valid_i,
    .again_push_i, .live_busy_i((read_q && is_live) || (!empty_i && is_live_o)),
    .free_i(free_i && memory_ready_i && !held), .room_i, .fail_room_i, .desc_room_i,
    .rsp_room_i(rsp_room_i && rsp_calm_i), .follows_i(read_q), .follows_plan_i(is_plan),
    .more_rsp_i, .follows_room_i(more_room_i), .hand_i(!empty_i), .hand_row_i(row_o), .pick_o,
    .pick_row_o, .pick_hand_o, .pick_same_o(pick_same), .row_o(read_row_o), .is_live_o(is_live),
    .is_plan_o(is_plan), .is_late_o(is_late), .is_rsp_o(is_rsp), .is_timer_o(is_timer),
    .is_fault_o(is_fault), .is_again_o(is_again), .fault_psn_o, .plan_o(read_plan_o),
    .rsp_o(read_rsp), .timer_o, .control_o, .none_o(none));

  roci_requester_dispatch u_dispatch (
    .is_plan_i(is_plan), .is_rsp_i(is_rsp), .is_fault_i(is_fault), .left_i(fault_left),
    .rsp_i(read_rsp), .fault_psn_i(fault_psn_o), .qp_i(word_i), .stored_i,
    .written_i, .fresh_i, .alive_i, .run_o, .state_o, .at_o);
  roci_requester_look #(.RingDepth(RingDepth), .Window(Window)) u_look (
    .clk_i, .plan_i(read_plan_o), .qp_i(word_i), .attr_i, .uc_i, .alive_i, .follows_i(follows_o),
    .look_o);
  roci_requester_datagram #(.NumQps(NumQps)) u_datagram (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .plan_next_i(plan_i), .pick_i(pick_o),
    .plan_i(read_plan_o), .ud_i, .attr_i, .fails_o(ud_fails_o), .status_o(ud_status_o),
    .vendor_o(ud_vendor_o));

  always_ff @(posedge clk_i) begin
    if (take_o) begin
      row_o        <= read_row_o;
      is_plan_q    <= is_plan;
      is_live_o    <= is_live;
      is_late_o    <= is_late;
      is_rsp_o     <= is_rsp;
      is_timer_o   <= is_timer;
      is_fault_o   <= is_fault;
      is_again_o   <= is_again;
      fault_left_o <= fault_left;
      plan_o       <= read_plan_o;
      attr_o       <= attr_i;
      uc_o         <= uc_i;
      ud_o         <= ud_i;
      qkey_o       <= qkey_i;
      in_err_o     <= in_err_i;
    end
    if (take_o && is_rsp) rsp_o <= read_rsp;
  end

  `ASSERT(OneEventPerQueuePair, `IMPLIES(read_q && !empty_i, read_row_o != row_o || free_i
                                                             || same_q))
  `ASSERT(SameIsInHand, `IMPLIES(same_q, read_q && is_plan && is_plan_q && !empty_i
                                         && read_row_o == row_o))
  `ASSERT(FollowsWhatIsSent, `IMPLIES(followed_q, is_plan_q && plan_o.first
      && !hand_i.failed && !hand_i.stopped && plan_o.epoch == hand_i.epoch
      && plan_o.wqe_index == hand_i.begun && hand_i.psn_next == hand_i.psn_max
      && hand_i.psn_next - hand_i.una < 24'(Window) && hand_i.psn_next != hand_i.una
      && hand_i.count < 8'(RingDepth)))
  `ASSERT(ChoiceMoves, `IMPLIES(pick_o, moves_o))
  `ASSERT(FewFollow, `IMPLIES(read_q && !empty_i && !free_i,
                              (is_plan && !is_late) || (is_rsp && !is_fault_o)
                              || (is_fault && fault_left && !is_rsp_o && !is_fault_o)))

endmodule
