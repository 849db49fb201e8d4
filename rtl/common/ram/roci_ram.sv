// SPDX-License-Identifier: Apache-2.0
// Memory with one write port and one registered read port, as block RAM has them.
//
// Throughput: one write and one read per clock. Latency of a read: one clock. When a row is read
// and written in one clock, the read returns the old content unless Forward is set.
// With Clear, every row is zeroed after reset; ready_o rises when that is done (Depth clocks) and
// writes before are lost.
//
// A memory of more rows than a block RAM has at nine bits lies in columns of 32 bits, and of 8 for
// what is left of a row. Their widths make no use of the parity bits of block RAM. So Yosys gives
// each block RAM a few bits of all rows, and needs no LUTs that choose among banks of rows. In a
// simulator a row is one column, as it is read faster.

`include "assert.svh"

module roci_ram #(
  parameter int unsigned Width   = 32,    // bits of a row
  parameter int unsigned Depth   = 256,   // rows, a power of two
  parameter int unsigned Clear   = 0,     // 1: zero all rows after reset
  parameter int unsigned Forward = 0,     // 1: a read sees a write of the same clock
  parameter int unsigned Whole   = 0      // most rows of one column; 0: 4,096, simulated any number
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
`ifdef SYNTHESIS
  localparam int unsigned Most    = Whole != 0 ? Whole : 4096;
`else
  localparam int unsigned Most    = Whole != 0 ? Whole : Depth;
`endif
  localparam int unsigned Wide    = Depth > Most ? Width / 32 : 0;  // columns of 32 bits
  localparam int unsigned Step    = Depth > Most ? 8 : Width;       // bits of the others
  localparam int unsigned Columns = Wide + (Width - 32 * Wide + Step - 1) / Step;

  logic [Width-1:0]   stored;
  logic               write;
  logic [RowBits-1:0] write_row;
  logic [Width-1:0]   write_data;

  if (Clear != 0) begin : gen_clear
    logic [RowBits:0] sweep_q;  // next row to clear; top bit: done
    always_ff @(posedge clk_i) begin
      if (!rst_ni) sweep_q <= '0;
      else if (!sweep_q[RowBits]) sweep_q <= sweep_q + 1'b1;
    end
    assign ready_o    = sweep_q[RowBits];
    assign write      = ready_o ? write_i : 1'b1;
    assign write_row  = ready_o ? write_row_i : sweep_q[RowBits-1:0];
    assign write_data = ready_o ? write_data_i : '0;
  end else begin : gen_no_clear
    assign ready_o    = 1'b1;
    assign write      = write_i;
    assign write_row  = write_row_i;
    assign write_data = write_data_i;
  end

  for (genvar c = 0; c < Columns; c++) begin : gen_column
    localparam int unsigned First = c < Wide ? 32 * c : 32 * Wide + Step * (c - Wide);
    localparam int unsigned Bits  = c < Wide ? 32 : Width - First < Step ? Width - First : Step;
    logic [Bits-1:0] mem [Depth];
    logic [Bits-1:0] stored_q;
    always_ff @(posedge clk_i) begin
      if (write) mem[write_row] <= write_data[First +: Bits];
      if (read_i) stored_q <= mem[read_row_i];
    end
    assign stored[First +: Bits] = stored_q;
  end

  if (Forward != 0) begin : gen_forward
    logic             hit_q;
    logic [Width-1:0] hit_data_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) hit_q <= 1'b0;
      else if (read_i) hit_q <= write && write_row == read_row_i;
      if (read_i) hit_data_q <= write_data;
    end
    assign read_data_o = hit_q ? hit_data_q : stored;
  end else begin : gen_no_forward
    assign read_data_o = stored;
  end

endmodule
