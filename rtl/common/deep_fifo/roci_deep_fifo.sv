// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue in block RAM; the memory's read register is the output stage.
//
// Throughput: one word in and one out per clock. Latency: two clocks. All outputs come from
// registers or from the memory, none from an input. No row is read in the clock in which it is
// written.
//
//            write              read
//  in ----> +--------------------+ ----> read register ----> out
//           | 3 | 2 | 1          |             0
//           +--------------------+

`include "assert.svh"

module roci_deep_fifo #(
  parameter int unsigned Width = 32,  // bits of a word
  parameter int unsigned Depth = 64   // words, a power of two, at least 2
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

  logic [IndexBits:0] write_q, read_q, waiting;  // top bit: pass parity; waiting: in the memory
  logic               push, pop, read;
  (* ram_style = "block", no_rw_check *) logic [Width-1:0] mem [Depth];

  assign waiting    = write_q - read_q;
  assign level_o    = waiting + (IndexBits + 1)'(out_valid_o);
  assign in_ready_o = level_o != (IndexBits + 1)'(Depth);
  assign push       = in_valid_i && in_ready_o;
  assign pop        = out_valid_o && out_ready_i;
  assign read       = write_q != read_q && (!out_valid_o || pop);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q     <= '0;
      read_q      <= '0;
      out_valid_o <= 1'b0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (read) read_q <= read_q + 1'b1;
      out_valid_o <= read || (out_valid_o && !pop);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem[write_q[IndexBits-1:0]] <= in_data_i;
    if (read) out_data_o <= mem[read_q[IndexBits-1:0]];
  end

  `ASSERT(LevelInRange, level_o <= (IndexBits + 1)'(Depth) && waiting <= (IndexBits + 1)'(Depth))
  `ASSERT(OneOfTwoIsOut, `IMPLIES(level_o > (IndexBits + 1)'(1), out_valid_o))
  `ASSERT(ReadsBeforeItWrites, `IMPLIES(push && read, write_q[IndexBits-1:0]
                                                      != read_q[IndexBits-1:0]))

`ifdef FORMAL
  // Follow one word, chosen freely, from its write to its read.
  (* anyconst *) logic [IndexBits:0] f_at;
  logic               f_inside_q, f_out_q;  // in the memory; on the output
  logic [Width-1:0]   f_word_q;
  logic [IndexBits:0] f_ahead;  // words of the memory to be read before it
  assign f_ahead = f_at - read_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {f_inside_q, f_out_q} <= '0;
    else begin
      if (push && write_q == f_at) f_inside_q <= 1'b1;
      else if (read && read_q == f_at) f_inside_q <= 1'b0;
      f_out_q <= (read && read_q == f_at && f_inside_q) || (f_out_q && !pop);
    end
    if (push && write_q == f_at) f_word_q <= in_data_i;
  end
  `ASSERT(WordIsCounted, `IMPLIES(f_inside_q, f_ahead < waiting))
  `ASSERT(WordIsKept, `IMPLIES(f_inside_q, mem[f_at[IndexBits-1:0]] == f_word_q))
  `ASSERT(WordComesOut, `IMPLIES(f_out_q && !f_inside_q,
                                 out_valid_o && out_data_o == f_word_q))
  `COVER(Full, !in_ready_o)
  `COVER(WordLeaves, f_out_q && pop && waiting != '0)
  initial assume (!rst_ni);
`endif

endmodule
