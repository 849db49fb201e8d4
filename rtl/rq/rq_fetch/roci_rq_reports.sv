// SPDX-License-Identifier: Apache-2.0
// What roci_rq_fetch reports: failures, events of SRQs, and receives posted in ERR.
//
// Throughput: a report of each kind per clock, while there is room. Latency: two clocks; what an
// operation finds is kept for a clock, so that it does not reach the queues' memory. What a
// doorbell does is known a clock after the operation, and goes there at once.

`include "assert.svh"

module roci_rq_reports #(
  parameter int unsigned RowBits   = 8,  // row of a queue pair or an SRQ
  parameter int unsigned QpRowBits = 8   // row of a queue pair
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // the operation in progress
  input  logic [RowBits-1:0]   row_i,
  input  logic [RowBits-1:0]   fail_row_i,  // the queue pair that fails
  input  logic                 limit_i,     // the event is SrqLimit
  input  logic                 fail_i,
  input  logic                 event_i,
  // the operation a clock before, a doorbell
  input  logic                 bell_fail_i,
  input  logic                 bell_event_i,
  input  logic                 bell_posted_i,
  output logic                 room_o,      // for the operations of this clock, the one before it
                                            // and the next

  output logic [RowBits-1:0]   fail_row_o,
  output logic                 fail_valid_o,
  input  logic                 fail_ready_i,
  output logic [RowBits-1:0]   event_row_o,
  output logic                 event_limit_o,
  output logic                 event_valid_o,
  input  logic                 event_ready_i,
  output logic [QpRowBits-1:0] posted_row_o,
  output logic                 posted_valid_o,
  input  logic                 posted_ready_i
);

  logic               fail_q, event_q, limit_q, fails, event_due;
  logic [RowBits-1:0] row_q, fail_row_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {fail_q, event_q} <= '0;
    else {fail_q, event_q} <= {fail_i, event_i};
    row_q      <= row_i;
    fail_row_q <= fail_row_i;
    limit_q    <= limit_i;
  end

  assign fails     = fail_q || bell_fail_i;
  assign event_due = event_q || bell_event_i;

  logic [2:0] ready;
  logic [7:0] unused_levels;
  roci_fifo #(.Width(RowBits), .Depth(4)) u_fail (
    .clk_i, .rst_ni, .in_data_i(fail_row_q), .in_valid_i(fails), .in_ready_o(ready[0]),
    .out_data_o(fail_row_o), .out_valid_o(fail_valid_o), .out_ready_i(fail_ready_i),
    .level_o(unused_levels[2:0])
  );
  roci_fifo #(.Width(1 + RowBits), .Depth(4)) u_event (
    .clk_i, .rst_ni, .in_data_i({limit_q, row_q}), .in_valid_i(event_due), .in_ready_o(ready[1]),
    .out_data_o({event_limit_o, event_row_o}), .out_valid_o(event_valid_o),
    .out_ready_i(event_ready_i), .level_o(unused_levels[5:3])
  );
  roci_fifo #(.Width(QpRowBits), .Depth(2)) u_posted (
    .clk_i, .rst_ni, .in_data_i(row_q[QpRowBits-1:0]), .in_valid_i(bell_posted_i),
    .in_ready_o(ready[2]), .out_data_o(posted_row_o), .out_valid_o(posted_valid_o),
    .out_ready_i(posted_ready_i), .level_o(unused_levels[7:6])
  );
  assign room_o = {fail_q, event_q, fail_valid_o, event_valid_o, posted_valid_o} == '0;

  logic unused;
  assign unused = &{1'b0, row_q, unused_levels};

  `ASSERT(ReportsHaveRoom, `IMPLIES(fails, ready[0]) && `IMPLIES(event_due, ready[1])
          && `IMPLIES(bell_posted_i, ready[2]))

endmodule
