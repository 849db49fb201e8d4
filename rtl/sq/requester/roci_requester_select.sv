// SPDX-License-Identifier: Apache-2.0
// Chooses the requester's next event and keeps it while it is read. What plans and responses have
// is copied when one is in hand; the rest stays for the hand, as no second event of its kind is
// chosen meanwhile.
//
// Order: requests for live state, failed payload and packets of UC or UD that left, expired timers,
// control, late local operations, then what is left of flushes, responses and plans in turn. After
// a packet that left a response goes first. Plans wait while their packet has no room, so responses
// are always served; control never waits for failures to be taken, for taking one may need control
// to move.

`include "assert.svh"

module roci_requester_select #(
  parameter int unsigned NumQps = 256,  // queue pairs, a power of two
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // events
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
  input  logic [QpBits-1:0]         fault_row_i,    // payload that could not be read
  input  logic [23:0]               fault_psn_i,
  input  logic                      fault_left_i,   // UC: the packet left
  input  logic                      fault_valid_i,
  output logic                      fault_ready_o,
  input  roci_pkg::plan_t           late_i,         // a local operation to be completed
  input  logic                      late_valid_i,
  output logic                      late_ready_o,
  input  logic                      late_room_i,    // for one more
  input  logic [23:0]               live_qpn_i,
  input  logic                      live_valid_i,
  input  logic                      live_busy_i,    // the query is being served
  input  logic                      again_push_i,   // the rest of the flush in hand waits its turn

  // may one be chosen
  input  logic                      free_i,
  input  logic                      room_i,         // for what every event may give out
  input  logic                      fail_room_i,
  input  logic                      desc_room_i,
  input  logic                      rsp_room_i,
  // An event is read that is not in hand yet: only a plan follows it, after a plan or READ data a
  // response, and after a plan a packet that left.
  input  logic                      follows_i,
  input  logic                      follows_plan_i,
  input  logic                      more_rsp_i,      // after a response another one has room
  input  logic                      hand_i,          // an event is in hand: it ends with a choice,
  input  logic [QpBits-1:0]         hand_row_i,      // and has this row
  input  logic                      follows_room_i,  // what these may give out has room, too

  // the choice, which is read from the next clock on
  output logic                      pick_o,
  output logic [QpBits-1:0]         pick_row_o,
  output logic                      pick_hand_o,    // the event in hand has it
  output logic                      pick_same_o,    // a plan, and the plan that is read has it
  output logic [QpBits-1:0]         row_o,
  output logic                      is_live_o,
  output logic                      is_plan_o,
  output logic                      is_late_o,      // with is_plan_o
  output logic                      is_rsp_o,
  output logic                      is_timer_o,
  output logic                      is_fault_o,
  output logic                      is_again_o,
  output roci_pkg::plan_t           plan_o,
  output roci_pkg::rx_meta_t        rsp_o,
  output roci_pkg::timer_event_t    timer_o,
  output logic [23:0]               fault_psn_o,
  output logic                      fault_left_o,
  output roci_pkg::sq_control_t     control_o,      // also of the rest of a flush

  output logic                      none_o          // no event waits
);

  localparam int unsigned AgainDepth = 16;
  localparam int unsigned AgainBits  = $clog2(AgainDepth) + 1;

  logic                        take_live, take_control, take_plan, take_rsp, take_timer, take_fault;
  logic                        take_again, take_late, revokes, can;
  logic                        live, control, plan, rsp, timer, fault, old, late;
  logic                        same_plan;   // the queue pair that is read has a further one
  logic                        plan_can, rsp_can, left_can, others, plan_turn_q, again_turn_q;
  logic                        rsp_turn_q;  // the response before a packet that left
  logic                        data_q;      // READ data are read
  logic                        same;
  logic                        again_valid, again_in_ready, again_room_q;
  logic [AgainBits-1:0]        again_level;
  roci_pkg::sq_control_t       again;

  assign revokes  = plan_i.opcode == roci_pkg::WrOpLocalInv
                    || plan_i.opcode == roci_pkg::WrOpBindMw;
  assign same_plan = plan_i.qpn[QpBits-1:0] == row_o;
  assign others   = control_valid_i || timer_valid_i || live_valid_i
                    || (fault_valid_i && !fault_left_i) || again_valid || late_valid_i;
  assign plan_can = plan_valid_i && desc_room_i && fail_room_i && (late_room_i || !revokes)
                    && (!follows_i
                        || (follows_room_i && !revokes && (follows_plan_i || !same_plan)));
  assign rsp_can  = rsp_valid_i && rsp_room_i && fail_room_i
                    && (!follows_i || ((follows_plan_i || (data_q && more_rsp_i)) && follows_room_i
                                       && rsp_i.qpn[QpBits-1:0] != row_o));
  assign left_can = rsp_room_i && !(rsp_valid_i && rsp_turn_q) && (!follows_i
                    || (follows_plan_i && follows_room_i));

  // Which one goes first, whether one can begin or not: that the event in hand ends is known last.
  always_comb begin
    live       = 1'b0;
    control    = 1'b0;
    plan       = 1'b0;
    rsp        = 1'b0;
    timer      = 1'b0;
    fault      = 1'b0;
    old        = 1'b0;
    late       = 1'b0;
    pick_row_o = plan_i.qpn[QpBits-1:0];
    if (live_valid_i && !live_busy_i) begin
      live       = 1'b1;
      pick_row_o = live_qpn_i[QpBits-1:0];
    end else if (fault_valid_i && fail_room_i && (!fault_left_i || left_can)) begin
      fault      = 1'b1;
      pick_row_o = fault_row_i;
    end else if (timer_valid_i && fail_room_i) begin
      timer      = 1'b1;
      pick_row_o = timer_i.qpn[QpBits-1:0];
    end else if (control_valid_i && again_room_q) begin
      control    = 1'b1;
      pick_row_o = control_i.qpn[QpBits-1:0];
    end else if (late_valid_i) begin
      late       = 1'b1;
      pick_row_o = late_i.qpn[QpBits-1:0];
    end else if (again_valid && (again_turn_q || !(rsp_can || plan_can))) begin
      old        = 1'b1;
      pick_row_o = again.qpn[QpBits-1:0];
    end else if (rsp_can && !(plan_can && plan_turn_q)) begin
      rsp        = 1'b1;
      pick_row_o = rsp_i.qpn[QpBits-1:0];
    end else begin
      plan = plan_can;
    end
  end
  // Whether the choice is of the queue pair in hand: each row is compared beside the choice. A
  // multiplexer of the results would become one comparison of the row that is chosen (opt_share).
  assign pick_hand_o = hand_i
    && ((live && live_qpn_i[QpBits-1:0] == hand_row_i) || (fault && fault_row_i == hand_row_i)
        || (timer && timer_i.qpn[QpBits-1:0] == hand_row_i)
        || (control && control_i.qpn[QpBits-1:0] == hand_row_i)
        || (late && late_i.qpn[QpBits-1:0] == hand_row_i)
        || (old && again.qpn[QpBits-1:0] == hand_row_i)
        || (rsp && rsp_i.qpn[QpBits-1:0] == hand_row_i)
        || (plan && plan_i.qpn[QpBits-1:0] == hand_row_i));
  // Whether a report is of the queue pair that is read says only that it waits, and all with it: no
  // choice follows the comparison.
  assign same         = follows_i && fault_row_i == row_o;
  assign can          = room_i && !(follows_i && others) && !(fault && same)
                        && (live || fault || timer || control || late || old || rsp || plan);
  assign pick_o       = free_i && can;
  // Room of the clock before, and a place for what came then.
  always_ff @(posedge clk_i) again_room_q <= again_level < AgainBits'(AgainDepth - 2);
  assign take_live    = free_i && (can && live);
  assign take_control = free_i && (can && control);
  assign take_plan    = free_i && (can && plan);
  assign take_rsp     = free_i && (can && rsp);
  assign pick_same_o  = take_plan && follows_i && same_plan;
  assign take_timer   = free_i && (can && timer);
  assign take_fault   = free_i && (can && fault);
  assign take_again   = free_i && (can && old);
  assign take_late    = free_i && (can && late);
  assign control_ready_o = take_control;
  assign plan_ready_o    = take_plan;
  assign rsp_ready_o     = take_rsp;
  assign timer_ready_o   = take_timer;
  assign fault_ready_o   = take_fault;
  assign late_ready_o    = take_late;
  assign none_o          = !plan_valid_i && !rsp_valid_i && !fault_valid_i && !others;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      plan_turn_q  <= 1'b0;
      rsp_turn_q   <= 1'b0;
      again_turn_q <= 1'b0;
    end else if (pick_o) begin
      plan_turn_q  <= take_rsp;
      rsp_turn_q   <= take_fault || (rsp_turn_q && !take_rsp);
      again_turn_q <= !take_again;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pick_o) begin
      row_o      <= pick_row_o;
      is_live_o  <= take_live;
      is_plan_o  <= take_plan || take_late;
      is_late_o  <= take_late;
      is_rsp_o   <= take_rsp;
      data_q     <= take_rsp && rsp_i.opcode != roci_pkg::OpRcAck
                    && rsp_i.opcode != roci_pkg::OpRcAtomicAck;
      is_timer_o <= take_timer;
      is_fault_o <= take_fault;
      is_again_o <= take_again;
    end
    // A choice before the register would become a reset of bits that a late one has not, by a LUT
    // each.
    if (!follows_i || free_i) plan_o <= plan_i;  // without a plan, it says nothing
    if (late && (!follows_i || free_i)) plan_o <= late_i;
    if (take_rsp) rsp_o <= rsp_i;
    if (take_timer) timer_o <= timer_i;
    if (take_fault) {fault_left_o, fault_psn_o} <= {fault_left_i, fault_psn_i};
    if (take_control) control_o <= control_i;
    if (take_again) control_o <= again;
  end

  // The rest of the flush in hand
  roci_pkg::sq_control_t rest;
  always_comb begin
    rest       = control_o;
    rest.clear = 1'b0;
  end
  roci_fifo #(.Width(roci_pkg::SqControlBits), .Depth(AgainDepth)) u_again (
    .clk_i, .rst_ni, .in_data_i(rest), .in_valid_i(again_push_i), .in_ready_o(again_in_ready),
    .out_data_o(again), .out_valid_o(again_valid), .out_ready_i(take_again),
    .level_o(again_level));

  logic unused;
  assign unused = &{1'b0, live_qpn_i, again, late_i};

  `ASSERT(AgainHasRoom, `IMPLIES(again_push_i, again_in_ready))

endmodule
