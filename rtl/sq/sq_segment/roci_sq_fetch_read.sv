// SPDX-License-Identifier: Apache-2.0
// Reads the fetch buffer: a work request, put together from its parts, or an entry of its list.
//
// Throughput: one part per clock. Latency: one clock; a work request is there with its last part.

module roci_sq_fetch_read #(
  parameter int unsigned PartBits  = 512,  // bits read at a time: 128, 256 or 512
  parameter int unsigned BlockBits = 8     // log2 of the blocks of the buffer
) (
  input  logic                 clk_i,

  // the work request at base_i
  input  logic                 start_i,     // reads its first part
  input  logic                 head_i,      // a part is there, from the clock after start_i on
  input  logic                 kept_i,      // none is needed: the work request is kept elsewhere
  input  logic [BlockBits-1:0] base_i,
  output logic                 there_o,     // with head_i: the last part is there
  output logic [511:0]         block_o,
  // entries of its list, in the blocks after it
  input  logic                 walk_i,
  input  logic [1:0]           walk_block_i,
  input  logic [1:0]           walk_entry_i,

  // buffer
  output logic                 read_o,
  output logic [BlockBits-1:0] read_block_o,
  output logic [1:0]           read_entry_o,
  input  logic [PartBits-1:0]  part_i       // one clock after read_o
);

  logic [1:0] next;  // part of the work request to read after the one that is there
  assign read_o       = start_i || (head_i && !there_o) || walk_i;
  assign read_block_o = walk_i ? base_i + BlockBits'(walk_block_i) + 1'b1 : base_i;
  assign read_entry_o = walk_i ? walk_entry_i : start_i ? '0 : next;

  if (PartBits == 512) begin : gen_whole
    logic unused;
    assign unused  = &{1'b0, clk_i, kept_i};
    assign block_o = part_i;
    assign there_o = 1'b1;
    assign next    = '0;
  end else begin : gen_parts
    logic [1:0]            entry_q;  // what is on part_i
    logic [511-PartBits:0] before_q;
    always_ff @(posedge clk_i) begin
      entry_q <= head_i ? next : '0;
      if (head_i) before_q <= (512 - PartBits)'({part_i, before_q} >> PartBits);
    end
    assign block_o = {part_i, before_q};
    assign there_o = kept_i || entry_q == 2'((512 - PartBits) / 128);
    assign next    = entry_q + 2'(PartBits / 128);
  end

endmodule
