// SPDX-License-Identifier: Apache-2.0
// The responder's side of posted receives: orders to roci_rq_fetch, and the walk of a list.
//
// Throughput: one order per clock. Latency: none; one clock for a receive that is used up.
//
// Receives used up wait in a queue, so that a commit need not wait for the order; other orders go
// after them. A walk lasts until its last segment has been taken; its list can be read by others as
// soon as the walker is ready for the next walk.

`include "assert.svh"

module roci_responder_receive (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  output logic                     idle_o,

  input  logic [23:0]              qpn_i,

  // a receive is used up
  input  logic                     free_i,
  output logic                     free_room_o,
  // other orders; the result is there in the clock of ready
  input  logic [1:0]               order_op_i,
  input  logic                     order_valid_i,
  output logic                     order_ready_o,
  output roci_pkg::receive_cmd_t   cmd_o,
  output logic                     cmd_valid_o,
  input  logic                     cmd_ready_i,

  // list
  input  logic [15:0]              index_i,       // index of the receive
  input  logic [1:0]               own_stride_log_i,  // entries of the queue pair's own receives,
  input  logic [1:0]               stride_log_i,      // and of this receive
  input  logic                     srq_i,         // the entry was copied to block 0
  output logic [3:0]               list_block_o,
  input  logic [7:0]               list_num_sge_i,
  output logic                     list_long_o,   // the list is longer than its entry holds
  input  logic                     list_next_i,   // the event may read the list in the next clock
  output logic                     list_busy_o,   // the event or the walker may read the list
  input  logic                     walk_start_i,  // a walk is offered to the walker
  input  logic                     walk_ready_i,
  input  logic                     walk_bad_i,
  input  logic                     walk_last_i,   // the last segment of the walk is taken
  output logic                     walking_o      // a walk is in progress
);

  logic [23:0] free_qpn;
  logic        free_valid, walking_q;
  logic        free_ready;
  logic [2:0]  free_level;
  roci_fifo #(.Width(24), .Depth(4)) u_free (
    .clk_i, .rst_ni,
    .in_data_i(qpn_i), .in_valid_i(free_i), .in_ready_o(free_ready),
    .out_data_o(free_qpn), .out_valid_o(free_valid), .out_ready_i(cmd_ready_i),
    .level_o(free_level)
  );
  // As it was a clock before, and with a place for what was used up then.
  always_ff @(posedge clk_i) free_room_o <= free_level <= 3'd2;
  assign cmd_valid_o   = free_valid || order_valid_i;
  assign order_ready_o = !free_valid && cmd_ready_i;
  assign cmd_o.qpn     = free_valid ? free_qpn : qpn_i;
  assign cmd_o.op      = free_valid ? roci_pkg::ReceiveOpFree : order_op_i;

  assign list_block_o = srq_i ? 4'd0 : 4'(index_i << own_stride_log_i);
  assign list_long_o  = list_num_sge_i > (8'd4 << stride_log_i) - 8'd3;
  assign walking_o    = walking_q;
  // Known a clock before, so that a register chooses the address; a request that begins may be a
  // SEND.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) list_busy_o <= 1'b0;
    else list_busy_o <= list_next_i || !walk_ready_i;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) walking_q <= 1'b0;
    else walking_q <= (walk_start_i && walk_ready_i) || (walking_q && !walk_bad_i && !walk_last_i);
  end

  assign idle_o = !free_valid && !walking_q;

  `ASSERT(WalkHasList, `IMPLIES(walk_start_i || !walk_ready_i, list_busy_o))
  `ASSERT(FreeHasRoom, `IMPLIES(free_i, free_ready))

endmodule
