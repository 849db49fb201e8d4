// SPDX-License-Identifier: Apache-2.0
// Memory of blocks of 64 bytes, written by beats as they come from host memory, read by parts.
//
// Throughput: one beat, or one part, written and one part read per clock. Latency of a read: one
// clock. A part is a beat, but at least 128 bits, the size of an entry of a list: at 64 bits a part
// is two beats, which lie in two memories. A part that is read in the clock in which it is written
// may be anything.
//
//   beat, part -->|0 |1 |2 |3 | block 0
//                 |0 |1 |2 |3 | block 1  --> part
//                 :           :

`include "assert.svh"

module roci_block_ram #(
  parameter int unsigned DataWidth = 512,  // bits of a beat: 64, 128, 256 or 512
  parameter int unsigned Blocks    = 256,  // a power of two
  localparam int unsigned PartBits = DataWidth < 128 ? 128 : DataWidth,
  localparam int unsigned Lanes    = PartBits / DataWidth
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic [Lanes-1:0]          write_i,        // beats of the part that are written
  input  logic [$clog2(Blocks)-1:0] write_block_i,
  input  logic [1:0]                write_entry_i,  // the part that holds these 128 bits
  input  logic [PartBits-1:0]       write_data_i,
  input  logic                      write_bad_i,    // kept with each beat

  input  logic                      read_i,         // part_o holds its value while this is 0
  input  logic [$clog2(Blocks)-1:0] read_block_i,
  input  logic [1:0]                read_entry_i,   // the part that holds these 128 bits
  output logic [PartBits-1:0]       part_o,
  output logic                      bad_o           // what was kept with the part's last beat
);

  localparam int unsigned PartLog = $clog2(512 / PartBits);
  localparam int unsigned RowBits = $clog2(Blocks) + PartLog;

  logic [RowBits-1:0] write_row, read_row;
  logic               unused;
  assign write_row = RowBits'({write_block_i, write_entry_i} >> (2 - PartLog));
  assign read_row  = RowBits'({read_block_i, read_entry_i} >> (2 - PartLog));
  assign unused    = &{1'b0, write_entry_i, read_entry_i};

  logic [Lanes-1:0] bad, unused_ready;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    roci_ram #(.Width(DataWidth + 1), .Depth(Blocks << PartLog)) u_lane (
      .clk_i, .rst_ni,
      .write_i(write_i[l]), .write_row_i(write_row),
      .write_data_i({write_bad_i, write_data_i[DataWidth*l +: DataWidth]}),
      .read_i, .read_row_i(read_row),
      .read_data_o({bad[l], part_o[DataWidth*l +: DataWidth]}),
      .ready_o(unused_ready[l]));
  end
  assign bad_o = bad[Lanes-1];

  `PARAM_CHECK(WidthIsKnown, DataWidth == 64 || DataWidth == 128 || DataWidth == 256
                             || DataWidth == 512)

endmodule
