// SPDX-License-Identifier: Apache-2.0
// Queue from one clock into another.
//
// Throughput: one word per clock of the slower side. Latency: one clock of the writer and three of
// the reader. All outputs come from registers.
//
//   wr_clk_i                                   rd_clk_i
//   in ---> memory ----------------------------> register ---> out
//           write_q --gray--> two registers ---> empty?
//   full? <-- two registers <--gray------------- read_q
//
// A pointer crosses as a Gray code, of which one bit changes at a time: whatever the two registers
// sample is the old or the new value. Both resets must be active at the same time.

`include "assert.svh"

module roci_async_fifo #(
  parameter int unsigned Width = 32,  // bits of a word
  parameter int unsigned Depth = 16   // words, a power of two, at least 4
) (
  // in
  input  logic             wr_clk_i,
  input  logic             wr_rst_ni,
  input  logic [Width-1:0] in_data_i,
  input  logic             in_valid_i,
  output logic             in_ready_o,

  // out
  input  logic             rd_clk_i,
  input  logic             rd_rst_ni,
  output logic [Width-1:0] out_data_o,
  output logic             out_valid_o,
  input  logic             out_ready_i
);

  `PARAM_CHECK(DepthIsPowerOfTwo, Depth >= 4 && (Depth & (Depth - 1)) == 0)

  localparam int unsigned IndexBits = $clog2(Depth);

  // The proof has one clock, at which each side moves on or not, in any order.
  logic write_moves, read_moves;
`ifdef PROOF_OF_roci_async_fifo
  (* anyseq *) logic f_write_moves, f_read_moves;
  assign {write_moves, read_moves} = {f_write_moves, f_read_moves};
`else
  assign {write_moves, read_moves} = 2'b11;
`endif

  logic [Width-1:0]   mem [Depth];
  logic [IndexBits:0] write_q, write_gray_q, read_seen0_q, read_seen_q;  // top bit: pass parity
  logic [IndexBits:0] read_q, read_gray_q, write_seen0_q, write_seen_q;
  logic [IndexBits:0] write_d, read_d;
  logic               push, pop;

  // Full: the writer is one pass ahead, which inverts the two top bits of the Gray code.
  assign in_ready_o = write_gray_q != {~read_seen_q[IndexBits:IndexBits-1],
                                       read_seen_q[IndexBits-2:0]};
  assign push       = in_valid_i && in_ready_o;
  assign pop        = read_gray_q != write_seen_q && (!out_valid_o || out_ready_i);
  assign write_d    = write_q + (IndexBits + 1)'(push);
  assign read_d     = read_q + (IndexBits + 1)'(pop);

  always_ff @(posedge wr_clk_i) begin
    if (!wr_rst_ni) begin
      write_q      <= '0;
      write_gray_q <= '0;
      read_seen0_q <= '0;
      read_seen_q  <= '0;
    end else if (write_moves) begin
      write_q      <= write_d;
      write_gray_q <= write_d ^ (write_d >> 1);
      read_seen0_q <= read_gray_q;
      read_seen_q  <= read_seen0_q;
    end
  end
  always_ff @(posedge wr_clk_i) begin
    if (push && write_moves) mem[write_q[IndexBits-1:0]] <= in_data_i;
  end

  always_ff @(posedge rd_clk_i) begin
    if (!rd_rst_ni) begin
      read_q        <= '0;
      read_gray_q   <= '0;
      write_seen0_q <= '0;
      write_seen_q  <= '0;
      out_valid_o   <= 1'b0;
    end else if (read_moves) begin
      read_q        <= read_d;
      read_gray_q   <= read_d ^ (read_d >> 1);
      write_seen0_q <= write_gray_q;
      write_seen_q  <= write_seen0_q;
      if (!out_valid_o || out_ready_i) out_valid_o <= pop;
    end
  end
  always_ff @(posedge rd_clk_i) begin
    if (pop && read_moves) out_data_o <= mem[read_q[IndexBits-1:0]];
  end

`ifdef PROOF_OF_roci_async_fifo
  logic clk_i, rst_ni;
  assign clk_i  = wr_clk_i;
  assign rst_ni = wr_rst_ni;
  initial assume (!wr_rst_ni);
  always_comb assume (rd_rst_ni == wr_rst_ni);

  // What each register of a crossing shows is a state that the pointer was in, in this order.
  logic [IndexBits:0] f_w0, f_w, f_r0, f_r, f_write_before_q, f_read_before_q;
  always_comb begin
    for (int i = 0; i <= IndexBits; i++) begin
      f_w0[i] = ^(write_seen0_q >> i);
      f_w[i]  = ^(write_seen_q >> i);
      f_r0[i] = ^(read_seen0_q >> i);
      f_r[i]  = ^(read_seen_q >> i);
    end
  end
  logic [IndexBits:0] f_to_r0, f_to_read, f_to_w, f_to_w0, f_to_write;
  assign f_to_r0    = f_r0 - f_r;
  assign f_to_read  = read_q - f_r;
  assign f_to_w     = f_w - f_r;
  assign f_to_w0    = f_w0 - f_r;
  assign f_to_write = write_q - f_r;
  `ASSERT(GrayFollows, write_gray_q == (write_q ^ (write_q >> 1)) &&
                       read_gray_q == (read_q ^ (read_q >> 1)))
  `ASSERT(StatesInOrder, f_to_r0 <= f_to_read && f_to_read <= f_to_w && f_to_w <= f_to_w0 &&
                         f_to_w0 <= f_to_write && f_to_write <= (IndexBits + 1)'(Depth))
  always_ff @(posedge clk_i) begin
    f_write_before_q <= rst_ni ? write_gray_q : '0;
    f_read_before_q  <= rst_ni ? read_gray_q : '0;
  end
  `ASSERT(OneBitChanges, $countones(write_gray_q ^ f_write_before_q) <= 1 &&
                         $countones(read_gray_q ^ f_read_before_q) <= 1)

  // Follow one word, chosen freely, from its write to its read.
  (* anyconst *) logic [IndexBits:0] f_at;
  logic               f_inside_q, f_shown_q;
  logic [Width-1:0]   f_word_q;
  logic [IndexBits:0] f_ahead, f_level;
  assign f_ahead = f_at - read_q;
  assign f_level = write_q - read_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {f_inside_q, f_shown_q} <= '0;
    else begin
      if (push && write_moves && write_q == f_at) begin
        f_inside_q <= 1'b1;
        f_word_q   <= in_data_i;
      end else if (pop && read_moves && read_q == f_at) f_inside_q <= 1'b0;
      if (read_moves && (!out_valid_o || out_ready_i)) f_shown_q <= pop && read_q == f_at &&
                                                                    f_inside_q;
    end
  end
  logic [Width-1:0] f_shown_word_q;
  always_ff @(posedge clk_i) begin
    if (pop && read_moves && read_q == f_at) f_shown_word_q <= f_word_q;
  end
  `ASSERT(WordIsCounted, `IMPLIES(f_inside_q, f_ahead < f_level))
  `ASSERT(WordIsKept, `IMPLIES(f_inside_q, mem[f_at[IndexBits-1:0]] == f_word_q))
  `ASSERT(WordComesOut, `IMPLIES(f_shown_q, out_valid_o && out_data_o == f_shown_word_q))
  `COVER(Full, !in_ready_o)
  `COVER(WordLeaves, f_shown_q && out_ready_i && read_moves)
`endif

endmodule
