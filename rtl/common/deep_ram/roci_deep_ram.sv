// SPDX-License-Identifier: Apache-2.0
// Block RAM of many rows, all zero after reset, which takes time only if a row was written before.
//
// Throughput: one write and one read per clock. Latency of a read: one clock. When a row is read
// and written in one clock, the read returns the old content unless Forward is set.
//
// An FPGA starts with the rows zero, so they are cleared only by a reset after a write: one row per
// clock. Until ready_o rises writes are lost. After any other reset it rises in the second clock.

`include "assert.svh"

module roci_deep_ram #(
  parameter int unsigned Width   = 32,    // bits of a row
  parameter int unsigned Depth   = 1024,  // rows, a power of two
  parameter int unsigned Forward = 0      // 1: a read sees a write of the same clock
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     write_i,
  input  logic [$clog2(Depth)-1:0] write_row_i,
  input  logic [Width-1:0]         write_data_i,

  input  logic                     read_i,       // read_data_o holds its value while this is 0
  input  logic [$clog2(Depth)-1:0] read_row_i,
  output logic [Width-1:0]         read_data_o,

  output logic                     ready_o
);

  `PARAM_CHECK(DepthIsPowerOfTwo, Depth >= 2 && (Depth & (Depth - 1)) == 0)

  localparam int unsigned RowBits = $clog2(Depth);

  logic [Width-1:0]   mem [Depth];
  logic [Width-1:0]   stored_q;
  logic [RowBits:0]   sweep_q;           // next row to clear; top bit: done
  logic               written_q = 1'b0;  // a row was written since the start of the FPGA
  logic               write;
  logic [RowBits-1:0] write_row;
  logic [Width-1:0]   write_data;

  initial begin
    for (int row = 0; row < Depth; row++) mem[RowBits'(row)] = '0;
  end

  // A write in the clock of the reset changes its row too: written_q is looked at after that clock.
  always_ff @(posedge clk_i) begin
    if (write_i) written_q <= 1'b1;
    if (!rst_ni) sweep_q <= '0;
    else if (!ready_o) sweep_q <= written_q ? sweep_q + 1'b1 : {1'b1, RowBits'(0)};
  end
  assign ready_o    = sweep_q[RowBits];
  assign write      = ready_o ? write_i : 1'b1;
  assign write_row  = ready_o ? write_row_i : sweep_q[RowBits-1:0];
  assign write_data = ready_o ? write_data_i : '0;

  // always_ff would be the only writer of the memory, whose first content stands above.
  always @(posedge clk_i) begin
    if (write) mem[write_row] <= write_data;
  end
  always_ff @(posedge clk_i) begin
    if (read_i) stored_q <= mem[read_row_i];
  end

  if (Forward != 0) begin : gen_forward
    logic             hit_q;
    logic [Width-1:0] hit_data_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) hit_q <= 1'b0;
      else if (read_i) hit_q <= write && write_row == read_row_i;
      if (read_i) hit_data_q <= write_data;
    end
    assign read_data_o = hit_q ? hit_data_q : stored_q;
  end else begin : gen_no_forward
    assign read_data_o = stored_q;
  end

`ifdef FORMAL
  // Any one row is a register: a reset clears it, and it takes what is written while ready_o is up.
  (* anyconst *) logic [RowBits-1:0] f_row;
  logic [Width-1:0] f_value_q;
  logic             f_again_q = 1'b0;  // a row other than zero stood before the newest reset
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_value_q <= '0;
    else if (ready_o && write_i && write_row_i == f_row) f_value_q <= write_data_i;
    if (!rst_ni && f_value_q != '0) f_again_q <= 1'b1;
  end
  `ASSERT(RowIsRegister, `IMPLIES(ready_o, mem[f_row] == f_value_q))
  `COVER(ClearedAgain, ready_o && f_again_q)
  initial assume (!rst_ni);
`endif

endmodule
