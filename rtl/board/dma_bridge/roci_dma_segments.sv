// SPDX-License-Identifier: Apache-2.0
// Memory that a DMA engine shares: rows of several segments, each with a write port of its own,
// whose bytes are enabled one by one, and a read port of its own.
//
// Throughput: one write and one read per clock and segment. Latency of a read: one clock.

module roci_dma_segments #(
  parameter int unsigned Segs     = 2,    // segments of a row
  parameter int unsigned SegWidth = 512,  // bits of a segment
  parameter int unsigned Rows     = 512,  // a power of two
  localparam int unsigned RowBits = $clog2(Rows)
) (
  input  logic                       clk_i,

  input  logic [Segs-1:0]            write_i,
  input  logic [Segs*RowBits-1:0]    write_row_i,
  input  logic [Segs*SegWidth-1:0]   write_data_i,
  input  logic [Segs*SegWidth/8-1:0] write_bytes_i,
  input  logic [Segs-1:0]            read_i,       // read_data_o holds its value while this is 0
  input  logic [Segs*RowBits-1:0]    read_row_i,
  output logic [Segs*SegWidth-1:0]   read_data_o
);

  for (genvar s = 0; s < Segs; s++) begin : gen_segment
    logic [SegWidth-1:0]   mem [Rows];
    logic [SegWidth-1:0]   data, data_q;
    logic [SegWidth/8-1:0] bytes;
    logic [RowBits-1:0]    write_row, read_row;
    assign data      = write_data_i[s*SegWidth +: SegWidth];
    assign bytes     = write_bytes_i[s*SegWidth/8 +: SegWidth/8];
    assign write_row = write_row_i[s*RowBits +: RowBits];
    assign read_row  = read_row_i[s*RowBits +: RowBits];
    always_ff @(posedge clk_i) begin
      for (int unsigned b = 0; b < SegWidth / 8; b++) begin
        if (write_i[s] && bytes[b]) mem[write_row][8*b +: 8] <= data[8*b +: 8];
      end
      if (read_i[s]) data_q <= mem[read_row];
    end
    assign read_data_o[s*SegWidth +: SegWidth] = data_q;
  end

endmodule
