// SPDX-License-Identifier: Apache-2.0
// Queue of wide records: a FIFO, or with Depth 1 one register, which takes no memory of LUTs.
//
// Throughput: one record in and one out per clock; with Depth 1 a record every two clocks.
// Latency: one clock. All outputs come from registers or from the memory, none from an input.

`include "assert.svh"

module roci_records #(
  parameter int unsigned Width = 32,  // bits of a record
  parameter int unsigned Depth = 4    // records, a power of two
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // in
  input  logic [Width-1:0]         in_data_i,
  input  logic                     in_valid_i,
  output logic                     in_ready_o,

  // out
  output logic [Width-1:0]         out_data_o,
  output logic                     out_valid_o,
  input  logic                     out_ready_i,

  output logic [$clog2(Depth):0]   level_o  // records inside
);

  if (Depth == 1) begin : gen_register
    assign in_ready_o = !out_valid_o;
    assign level_o    = out_valid_o;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) out_valid_o <= 1'b0;
      else out_valid_o <= out_valid_o ? !out_ready_i : in_valid_i;
    end
    always_ff @(posedge clk_i) begin
      if (in_ready_o) out_data_o <= in_data_i;
    end
  end else begin : gen_fifo
    roci_fifo #(.Width(Width), .Depth(Depth)) u_fifo (
      .clk_i, .rst_ni, .in_data_i, .in_valid_i, .in_ready_o,
      .out_data_o, .out_valid_o, .out_ready_i, .level_o);
  end

`ifdef FORMAL
  // What was last taken in is on the output until it is taken out.
  logic             f_valid_q;
  logic [Width-1:0] f_word_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_valid_q <= 1'b0;
    else if (in_valid_i && in_ready_o) f_valid_q <= 1'b1;
    else if (out_ready_i) f_valid_q <= 1'b0;
    if (in_valid_i && in_ready_o) f_word_q <= in_data_i;
  end
  `ASSERT(RecordStays, `IMPLIES(Depth == 1, out_valid_o == f_valid_q))
  `ASSERT(RecordIsKept, `IMPLIES(Depth == 1 && f_valid_q, out_data_o == f_word_q))
  `ASSERT(NoOverflow, `IMPLIES(Depth == 1 && f_valid_q, !in_ready_o))
  `COVER(Full, !in_ready_o)
  initial assume (!rst_ni);
`endif

endmodule
