// SPDX-License-Identifier: Apache-2.0
// Requests with the DMA engine, in their order: each gets a tag, and of the oldest it is known
// whether the engine has ended it, and how.
//
// Throughput: a request in, one out, and a status per clock. Latency: one clock.

`include "assert.svh"

module roci_dma_bridge_order #(
  parameter int unsigned Width   = 17,  // bits kept of a request
  parameter int unsigned TagBits = 6
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // a request, taken when ready_o is up
  input  logic               push_i,
  input  logic [Width-1:0]   word_i,
  output logic               ready_o,
  output logic [TagBits-1:0] tag_o,        // that it gets

  input  logic [TagBits-1:0] sts_tag_i,
  input  logic [3:0]         sts_error_i,  // 0: none
  input  logic               sts_valid_i,

  // the oldest
  output logic               valid_o,
  output logic [Width-1:0]   word_o,
  output logic               done_o,
  output logic               bad_o,        // with done_o
  input  logic               pop_i
);

  localparam int unsigned Tags = 1 << TagBits;

  logic [TagBits-1:0] tag_q, oldest_q;
  logic [TagBits:0]   unused_level;
  roci_fifo #(.Width(Width), .Depth(Tags)) u_words (
    .clk_i, .rst_ni, .in_data_i(word_i), .in_valid_i(push_i), .in_ready_o(ready_o),
    .out_data_o(word_o), .out_valid_o(valid_o), .out_ready_i(pop_i), .level_o(unused_level)
  );

  // Masks, since a bit of a variable place is a shifter.
  logic [Tags-1:0] ends, leaves, done_q, bad_q;
  assign ends   = sts_valid_i ? Tags'(1) << sts_tag_i : '0;
  assign leaves = pop_i ? Tags'(1) << oldest_q : '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {tag_q, oldest_q} <= '0;
      done_q <= '0;
    end else begin
      if (push_i) tag_q <= tag_q + 1'b1;
      if (pop_i) oldest_q <= oldest_q + 1'b1;
      done_q <= (done_q & ~leaves) | ends;
    end
    bad_q <= (bad_q & ~ends) | (sts_error_i != '0 ? ends : '0);
  end
  assign tag_o  = tag_q;
  assign done_o = done_q[oldest_q];
  assign bad_o  = bad_q[oldest_q];

  `ASSERT(StatusOfRequest, `IMPLIES(sts_valid_i, !done_q[sts_tag_i]))

endmodule
