// SPDX-License-Identifier: Apache-2.0
// Two-entry buffer that interrupts every combinational path of a valid/ready handshake.
//
// Throughput: one word per clock. Latency: one clock. in_ready_o and all outputs are registers.

`include "assert.svh"

module roci_skid #(
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
  input  logic             out_ready_i
);

  `PARAM_CHECK(WidthIsPositive, Width > 0)

  logic [Width-1:0] out_q, spare_q;
  logic             out_valid_q, spare_valid_q;
  logic             out_free;

  assign out_free    = !out_valid_q || out_ready_i;
  assign in_ready_o  = !spare_valid_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_valid_q   <= 1'b0;
      spare_valid_q <= 1'b0;
    end else if (out_free) begin
      out_valid_q   <= spare_valid_q || in_valid_i;
      spare_valid_q <= 1'b0;
    end else if (in_ready_o) begin
      spare_valid_q <= in_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (out_free) out_q <= spare_valid_q ? spare_q : in_data_i;
    if (in_ready_o) spare_q <= in_data_i;
  end

  `ASSERT(SpareOnlyAfterOut, `IMPLIES(spare_valid_q, out_valid_q))

`ifdef FORMAL
  logic [1:0] f_inside_q;  // words taken in and not yet given out
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_inside_q <= '0;
    else f_inside_q <= f_inside_q + 2'(in_valid_i && in_ready_o)
                                  - 2'(out_valid_o && out_ready_i);
  end
  `ASSERT(NoWordLostOrMade, f_inside_q == 2'(out_valid_q) + 2'(spare_valid_q))
  logic             f_stalled_q;
  logic [Width-1:0] f_word_q;
  always_ff @(posedge clk_i) begin
    f_stalled_q <= rst_ni && out_valid_o && !out_ready_i;
    f_word_q    <= out_data_o;
  end
  `ASSERT(OutputHeld, `IMPLIES(f_stalled_q, out_valid_o && out_data_o == f_word_q))
  `COVER(Full, f_inside_q == 2'd2)
  initial assume (!rst_ni);
`endif

endmodule
