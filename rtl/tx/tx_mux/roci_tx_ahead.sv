// SPDX-License-Identifier: Apache-2.0
// Queue of four words that knows, from registers, whether one and whether more than one waits: so
// it is known whether a word follows the one that is being taken before it is known whether that
// one is taken.
//
// Throughput: one word in and one out per clock. Latency: one clock.

`include "assert.svh"

module roci_tx_ahead #(
  parameter int unsigned Width = 32  // bits of a word
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // in
  input  logic [Width-1:0] in_data_i,
  input  logic             in_valid_i,
  output logic             in_ready_o,

  // out
  output logic [Width-1:0] out_data_o,
  output logic             out_valid_o,
  input  logic             out_ready_i,

  output logic [2:0]       level_o,  // words inside
  output logic             more_o    // more than one
);

  logic fifo_valid;
  roci_fifo #(.Width(Width), .Depth(4)) u_fifo (
    .clk_i, .rst_ni, .in_data_i, .in_valid_i, .in_ready_o, .out_data_o, .out_valid_o(fifo_valid),
    .out_ready_i, .level_o);

  // Whether a word is taken is known last: it chooses between the two cases.
  logic [2:0] held;
  logic       taken;
  assign held  = level_o + 3'(in_valid_i && in_ready_o);
  assign taken = out_valid_o && out_ready_i;
  always_ff @(posedge clk_i) begin
    out_valid_o <= rst_ni && (taken ? held > 3'd1 : held > 3'd0);
    more_o      <= rst_ni && (taken ? held > 3'd2 : held > 3'd1);
  end

  `ASSERT(WordsAreCounted, out_valid_o == fifo_valid && more_o == (level_o > 3'd1))

endmodule
