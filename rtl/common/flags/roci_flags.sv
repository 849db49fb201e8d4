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
// All flags are cleared after reset, one row per clock; until ready_o rises, nothing may be set or
// cleared and flag_o is 0.

`include "assert.svh"

module roci_flags #(
  parameter int unsigned Depth = 256,  // rows, a power of two
  parameter int unsigned Reads = 1     // rows that are read at once
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

  localparam int unsigned RowBits = $clog2(Depth);

  logic               by_set [Depth];
  logic               by_clear [Depth];
  logic [RowBits:0]   sweep_q;  // next row to clear after reset; top bit: done
  logic               write_set, write_clear, new_set, new_clear;
  logic [RowBits-1:0] set_row, clear_row;

  assign ready_o = sweep_q[RowBits];
  for (genvar i = 0; i < Reads; i++) begin : gen_read
    logic [RowBits-1:0] read_row;
    assign read_row  = read_row_i[RowBits*i +: RowBits];
    assign flag_o[i] = ready_o && (by_set[read_row] ^ by_clear[read_row]);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) sweep_q <= '0;
    else if (!ready_o) sweep_q <= sweep_q + 1'b1;
  end

  assign set_row     = ready_o ? set_row_i : sweep_q[RowBits-1:0];
  assign clear_row   = ready_o ? clear_row_i : sweep_q[RowBits-1:0];
  assign write_set   = set_i || !ready_o;
  assign write_clear = (clear_i && !(set_i && set_row_i == clear_row_i)) || !ready_o;
  assign new_set     = ready_o && !by_clear[set_row_i];
  assign new_clear   = ready_o && by_set[clear_row_i];

  always_ff @(posedge clk_i) begin
    if (write_set) by_set[set_row] <= new_set;
  end
  always_ff @(posedge clk_i) begin
    if (write_clear) by_clear[clear_row] <= new_clear;
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
  `ASSERT(SweepEnds, sweep_q <= (RowBits + 1)'(Depth))
  `ASSERT(NothingBeforeSweep, `IMPLIES(!ready_o, !f_flag_q))
  `ASSERT(RowIsRegister, `IMPLIES((RowBits + 1)'(f_row) < sweep_q,
                                  (by_set[f_row] ^ by_clear[f_row]) == f_flag_q))
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
