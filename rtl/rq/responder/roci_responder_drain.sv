// SPDX-License-Identifier: Apache-2.0
// Reports when all that was accepted before a moment is done: payload in memory, atomics finished,
// READ responses sent. An invalidation is complete only then (F-90).
//
// Throughput: one moment per clock. Latency: two clocks when nothing is outstanding.
//
//   mark_i, or start_i and the end of the event in progress --> what was given out so far
//      --> queue of 16 --> the oldest compared with what is done --> marked_o, drained_o
//
// A start comes from outside the responder: the event in progress may still use the key as it was,
// so the moment is the next one between two events. A mark is set by an event that comes after the
// invalidation. All counts have 32 bits, so that none wraps while tx is held up.

`include "assert.svh"

module roci_responder_drain #(
  parameter int unsigned Depth = 16  // moments in progress, starts and marks
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // what began, and what is done
  input  logic [31:0] newest_i,   // ticket of the newest request
  input  logic [31:0] landed_i,   // payload packets in memory
  input  logic        issue_i,    // a packet goes to tx's payload queue
  input  logic        sent_i,     // such a packet was sent
  input  logic        job_i,      // an atomic goes to the atomic unit
  input  logic        result_i,   // its result came

  input  logic        start_i,    // pulse: report when all accepted before is done
  input  logic        between_i,  // no event is in progress
  output logic        drained_o,  // pulse: report of the oldest start
  input  logic        mark_i,     // pulse: likewise, from an event of the responder
  output logic        marked_o,   // pulse: report of the oldest mark
  output logic        idle_o
);

  localparam int unsigned LevelBits = $clog2(Depth) + 1;

  logic [31:0] issued_q, sent_q, jobs_q, results_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      issued_q  <= '0;
      sent_q    <= '0;
      jobs_q    <= '0;
      results_q <= '0;
    end else begin
      if (issue_i) issued_q <= issued_q + 32'd1;
      if (sent_i) sent_q <= sent_q + 32'd1;
      if (job_i) jobs_q <= jobs_q + 32'd1;
      if (result_i) results_q <= results_q + 32'd1;
    end
  end

  logic                 take, valid, room, is_mark, pop;
  logic [LevelBits-1:0] starts_q;  // starts whose moment has not come
  logic [LevelBits-1:0] unused_level;
  logic [31:0]          ticket, issued, jobs, to_land, to_send, to_result;
  assign take = starts_q != '0 && between_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) starts_q <= '0;
    else starts_q <= starts_q + LevelBits'(start_i) - LevelBits'(take);
  end
  roci_fifo #(.Width(97), .Depth(Depth)) u_moments (
    .clk_i, .rst_ni,
    .in_data_i({mark_i, newest_i, issued_q, jobs_q}), .in_valid_i(take || mark_i),
    .in_ready_o(room),
    .out_data_o({is_mark, ticket, issued, jobs}), .out_valid_o(valid), .out_ready_i(pop),
    .level_o(unused_level)
  );
  assign to_land   = landed_i - ticket;
  assign to_send   = sent_q - issued;
  assign to_result = results_q - jobs;
  assign pop       = valid && !to_land[31] && !to_send[31] && !to_result[31];
  assign drained_o = pop && !is_mark;
  assign marked_o  = pop && is_mark;
  assign idle_o    = starts_q == '0 && !valid;

  `ASSERT(MomentHasRoom, `IMPLIES(take || mark_i, room))
  `ASSERT(StartsInRange, starts_q < LevelBits'(Depth))
  `ASSERT(MarksAreEvents, !(mark_i && between_i))

  logic unused;
  assign unused = &{1'b0, to_land, to_send, to_result};

endmodule
