// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue of up to a few dozen words; the oldest word is always on the output.
//
// Throughput: one word in and one out per clock. Latency: one clock. All outputs come from
// registers or from the memory, none from an input.
//
//            write           read
//  in ----> +--------------------+ ----> out
//           | 3 | 2 | 1 | 0      |
//           +--------------------+

`include "assert.svh"

module roci_fifo #(
  parameter int unsigned Width = 32,  // bits of a word
  parameter int unsigned Depth = 4    // words, a power of two, at least 2
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

  output logic [$clog2(Depth):0]   level_o  // words inside
);

  `PARAM_CHECK(DepthIsPowerOfTwo, Depth >= 2 && (Depth & (Depth - 1)) == 0)

  localparam int unsigned IndexBits = $clog2(Depth);

  logic [Width-1:0]   mem [Depth];
  logic [IndexBits:0] write_q, read_q;  // one bit more than the index: pass parity
  logic               push, pop;

  assign level_o     = write_q - read_q;
  assign in_ready_o  = level_o != (IndexBits + 1)'(Depth);
  assign out_valid_o = write_q != read_q;
  assign out_data_o  = mem[read_q[IndexBits-1:0]];
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (pop)  read_q  <= read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem[write_q[IndexBits-1:0]] <= in_data_i;
  end

  `ASSERT(LevelInRange, level_o <= (IndexBits + 1)'(Depth))

`ifdef FORMAL
  // Follow one word, chosen freely, from its write to its read.
  (* anyconst *) logic [IndexBits:0] f_at;
  logic             f_inside_q;
  logic [Width-1:0] f_word_q;
  logic [IndexBits:0] f_ahead;  // words to be read before it
  assign f_ahead = f_at - read_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_inside_q <= 1'b0;
    else if (push && write_q == f_at) begin
      f_inside_q <= 1'b1;
      f_word_q   <= in_data_i;
    end else if (pop && read_q == f_at) f_inside_q <= 1'b0;
  end
  `ASSERT(WordIsCounted, `IMPLIES(f_inside_q, f_ahead < level_o))
  `ASSERT(WordIsKept, `IMPLIES(f_inside_q, mem[f_at[IndexBits-1:0]] == f_word_q))
  `ASSERT(WordComesOut, `IMPLIES(f_inside_q && read_q == f_at,
                                 out_valid_o && out_data_o == f_word_q))
  `COVER(Full, !in_ready_o)
  `COVER(WordLeaves, f_inside_q && pop && read_q == f_at)
  initial assume (!rst_ni);
`endif

endmodule
