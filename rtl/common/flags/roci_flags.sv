// SPDX-License-Identifier: Apache-2.0
// One flag for each row, set by one side and cleared by the other, in memory instead of registers.
//
// Throughput: one set, one clear and Reads reads per clock. Latency: a read sees what was set or
// cleared up to the clock before; flag_o follows read_row_i in the same clock.
//
//   set ----> | changed by set   | --\
//                                     xor --> flag_o
//   clear --> | changed by clear | --/
//
// A memory of one bit a row has one write port, but two sides write. So each side has a memory of
// its own, and the flag is whether the two differ: set makes the row of its memory differ from the
// other's, clear makes it equal. A row that is set and cleared in the same clock is set.
//
// A LUT holds 64 bits, so the memories have at most 64 words, each with the bits of several rows.
// A side changes one bit of a word, and writes the others as they are. It does so with a mask:
// Yosys makes carry chains of an assignment to a bit of a variable place.
//
// All flags are cleared after reset, one word per clock; until ready_o rises, nothing may be set or
// cleared and flag_o is 0.

`include "assert.svh"

module roci_flags #(
  parameter int unsigned Depth    = 256,  // rows, a power of two
  parameter int unsigned Reads    = 1,    // rows that are read at once
  parameter int unsigned MaxWords = 64    // words of a memory at most, a power of two
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     set_i,
  input  logic [$clog2(Depth)-1:0] set_row_i,
  input  logic                     clear_i,
  input  logic [$clog2(Depth)-1:0] clear_row_i,

  input  logic [Reads*$clog2(Depth)-1:0] read_row_i,
  output logic [Reads-1:0]         flag_o,

  output logic                     ready_o
);

  `PARAM_CHECK(DepthIsPowerOfTwo, Depth >= 2 && (Depth & (Depth - 1)) == 0)
  `PARAM_CHECK(MaxWordsIsPowerOfTwo, MaxWords >= 2 && (MaxWords & (MaxWords - 1)) == 0)

  localparam int unsigned RowBits   = $clog2(Depth);
  localparam int unsigned Bits      = Depth > MaxWords ? Depth / MaxWords : 1;  // rows of a word
  localparam int unsigned Words     = Depth / Bits;
  localparam int unsigned WordBits  = $clog2(Words);
  localparam int unsigned PlaceBits = Bits > 1 ? $clog2(Bits) : 1;

  logic [Bits-1:0]      by_set [Words];
  logic [Bits-1:0]      by_clear [Words];
  logic [WordBits:0]    sweep_q;  // next word to clear after reset; top bit: done
  logic                 write_set, write_clear;
  logic [WordBits-1:0]  set_word, clear_word;    // words of the rows that are set and cleared
  logic [Bits-1:0]      set_bit, clear_bit;      // the bits of these rows in them
  logic [Bits-1:0]      new_set, new_clear;

  assign ready_o     = sweep_q[WordBits];
  assign set_word    = set_row_i[RowBits-1 -: WordBits];
  assign clear_word  = clear_row_i[RowBits-1 -: WordBits];
  assign set_bit     = Bits'(1) << (set_row_i[PlaceBits-1:0] & PlaceBits'(Bits - 1));
  assign clear_bit   = Bits'(1) << (clear_row_i[PlaceBits-1:0] & PlaceBits'(Bits - 1));
  for (genvar i = 0; i < Reads; i++) begin : gen_read
    logic [RowBits-1:0]  read_row;
    logic [WordBits-1:0] read_word;
    logic [Bits-1:0]     flags;
    assign read_row  = read_row_i[RowBits*i +: RowBits];
    assign read_word = read_row[RowBits-1 -: WordBits];
    assign flags     = by_set[read_word] ^ by_clear[read_word];
    assign flag_o[i] = ready_o && flags[read_row[PlaceBits-1:0] & PlaceBits'(Bits - 1)];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) sweep_q <= '0;
    else if (!ready_o) sweep_q <= sweep_q + 1'b1;
  end

  assign write_set   = set_i || !ready_o;
  assign write_clear = (clear_i && !(set_i && set_row_i == clear_row_i)) || !ready_o;
  assign new_set     = (by_set[set_word] & ~set_bit) | (~by_clear[set_word] & set_bit);
  assign new_clear   = (by_clear[clear_word] & ~clear_bit) | (by_set[clear_word] & clear_bit);

  always_ff @(posedge clk_i) begin
    if (write_set) by_set[ready_o ? set_word : sweep_q[WordBits-1:0]] <= ready_o ? new_set : '0;
  end
  always_ff @(posedge clk_i) begin
    if (write_clear) begin
      by_clear[ready_o ? clear_word : sweep_q[WordBits-1:0]] <= ready_o ? new_clear : '0;
    end
  end

  `ASSUME(NothingBeforeReady, `IMPLIES(set_i || clear_i, ready_o))

`ifdef FORMAL
  // The flag of any one row is that of a register which is set and cleared.
  (* anyconst *) logic [RowBits-1:0] f_row;
  logic f_flag_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_flag_q <= 1'b0;
    else if (set_i && set_row_i == f_row) f_flag_q <= 1'b1;
    else if (clear_i && clear_row_i == f_row) f_flag_q <= 1'b0;
  end
  logic [WordBits-1:0] f_word;
  logic [Bits-1:0]     f_flags;
  assign f_word  = f_row[RowBits-1 -: WordBits];
  assign f_flags = by_set[f_word] ^ by_clear[f_word];
  `ASSERT(SweepEnds, sweep_q <= (WordBits + 1)'(Words))
  `ASSERT(NothingBeforeSweep, `IMPLIES(!ready_o, !f_flag_q))
  `ASSERT(RowIsRegister, `IMPLIES((WordBits + 1)'(f_word) < sweep_q,
                                  f_flags[f_row[PlaceBits-1:0] & PlaceBits'(Bits - 1)] == f_flag_q))
  logic f_reads;
  always_comb begin
    f_reads = 1'b1;
    for (int i = 0; i < Reads; i++) begin
      if (read_row_i[RowBits*i +: RowBits] == f_row && flag_o[i] != f_flag_q) f_reads = 1'b0;
    end
  end
  `ASSERT(ReadsRegister, f_reads)
  `COVER(SetTwiceAndCleared, f_flag_q && by_clear[f_row] && clear_i && clear_row_i == f_row)
`ifdef PROOF_OF_roci_flags  // a block that holds it may never do so
  `COVER(SetAndClearedAtOnce, f_flag_q && set_i && clear_i && set_row_i == clear_row_i
                              && set_row_i == f_row)
`endif
  initial assume (!rst_ni);
`endif

endmodule
