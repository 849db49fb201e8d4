// SPDX-License-Identifier: Apache-2.0
// The next operation on the rings of the completion queues, one a clock, and one of a queue in two
// clocks. Combinational except for the turn of entries and doorbells.
//
// The order is: an entry that did not reach memory, live state, a new row, the end of a moderation
// period, then doorbells and entries in turns.

module roci_cq_choose #(
  parameter int unsigned RowBits = 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               room_i,          // for what an operation writes
  input  logic [RowBits-1:0] last_row_i,      // the queue of the operation of the clock before
  input  logic               last_valid_i,
  input  logic [RowBits-1:0] break_row_i,     // an entry did not reach memory
  input  logic               break_valid_i,
  output logic               break_take_o,
  input  logic [RowBits-1:0] row_i,           // row of live state and of restarts
  input  logic               live_valid_i,
  input  logic               restart_valid_i,
  output logic               restart_take_o,
  input  logic [RowBits-1:0] period_row_i,    // the end of a moderation period
  input  logic               period_valid_i,
  output logic               period_take_o,
  input  logic [RowBits-1:0] bell_row_i,
  input  logic               bell_arm_i,      // else: consumer index
  input  logic               bell_valid_i,
  output logic               bell_take_o,
  input  logic [RowBits-1:0] entry_row_i,
  input  logic               entry_valid_i,
  output logic               entry_take_o,

  output logic [2:0]         op_o,            // CqOp
  output logic [RowBits-1:0] row_o,
  output logic               valid_o
);

  logic entry_turn_q;

  // What may be chosen: the queue of the operation before comes in the next clock.
  logic may_break, may_row, may_period, may_bell, may_entry;
  assign may_break  = break_valid_i && !(last_valid_i && break_row_i == last_row_i);
  assign may_row    = !(last_valid_i && row_i == last_row_i);
  assign may_period = period_valid_i && !(last_valid_i && period_row_i == last_row_i);
  assign may_bell   = bell_valid_i && !(last_valid_i && bell_row_i == last_row_i);
  assign may_entry  = entry_valid_i && !(last_valid_i && entry_row_i == last_row_i);

  always_comb begin
    op_o           = roci_pkg::CqOpEntry;
    row_o          = '0;
    valid_o        = 1'b0;
    restart_take_o = 1'b0;
    period_take_o  = 1'b0;
    bell_take_o    = 1'b0;
    entry_take_o   = 1'b0;
    break_take_o   = 1'b0;
    if (may_break) begin  // writes nothing: needs no room, and makes some
      op_o         = roci_pkg::CqOpBreak;
      row_o        = break_row_i;
      valid_o      = 1'b1;
      break_take_o = 1'b1;
    end else if (room_i) begin
      if (live_valid_i && may_row) begin
        op_o    = roci_pkg::CqOpLive;
        row_o   = row_i;
        valid_o = 1'b1;
      end else if (restart_valid_i && may_row) begin
        op_o           = roci_pkg::CqOpRestart;
        row_o          = row_i;
        valid_o        = 1'b1;
        restart_take_o = 1'b1;
      end else if (may_period) begin
        op_o          = roci_pkg::CqOpPeriod;
        row_o         = period_row_i;
        valid_o       = 1'b1;
        period_take_o = 1'b1;
      end else if (may_bell && !(entry_turn_q && may_entry)) begin
        op_o        = bell_arm_i ? roci_pkg::CqOpArm : roci_pkg::CqOpConsumer;
        row_o       = bell_row_i;
        valid_o     = 1'b1;
        bell_take_o = 1'b1;
      end else if (may_entry) begin
        op_o         = roci_pkg::CqOpEntry;
        row_o        = entry_row_i;
        valid_o      = 1'b1;
        entry_take_o = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) entry_turn_q <= 1'b0;
    else if (bell_take_o || entry_take_o) entry_turn_q <= bell_take_o;
  end

endmodule
