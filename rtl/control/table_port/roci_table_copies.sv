// SPDX-License-Identifier: Apache-2.0
// Copies of the rows that the table port puts on the row bus, for firmware to read: by words of 32
// bits, so that neither a row nor a choice of rows is ever as wide as the row bus.
//
// Throughput: a write and a read of a word per clock. Latency: one clock.

`include "assert.svh"

module roci_table_copies #(
  parameter int unsigned NumQps  = 256,
  parameter int unsigned NumKeys = 1024,
  parameter int unsigned NumCqs  = 256,
  parameter int unsigned NumSrqs = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        start_i,   // the row is on the row bus in the next clock
  input  logic [3:0]  table_i,   // one with a copy
  input  logic [23:0] row_i,     // in range
  input  logic [319:0] data_i,   // on the row bus; after its first clock word 0 may change
  output logic        copying_o, // until then no other row goes out, but states

  input  logic        read_i,
  input  logic [3:0]  read_table_i,  // stays one clock more
  input  logic [23:0] read_row_i,
  input  logic [3:0]  read_word_i,
  output logic [31:0] data_o         // one clock later; undefined for a table without copy
);

  localparam int unsigned QpBits  = $clog2(NumQps);
  localparam int unsigned KeyBits = $clog2(NumKeys);
  localparam int unsigned CqBits  = $clog2(NumCqs);
  localparam int unsigned SrqBits = $clog2(NumSrqs);

  localparam logic [3:0] WideLast   = 4'd9;  // last word of attributes and keys
  localparam logic [3:0] NarrowLast = 4'd3;
  `PARAM_CHECK(RowsFit, roci_pkg::QpAttrBits <= 320 && roci_pkg::KeyBits <= 320
                        && roci_pkg::CqBits <= 128 && roci_pkg::SrqBits <= 128)

  // The words of the row bus, one a clock
  logic        write;
  logic [3:0]  write_table, write_word;
  logic [23:0] write_row;
  logic [31:0] write_data;
  assign copying_o = write;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write      <= 1'b0;
      write_word <= '0;
    end else begin
      if (start_i) write <= 1'b1;
      else if (write_word == WideLast) write <= 1'b0;
      write_word <= write && write_word != WideLast ? write_word + 4'd1 : '0;
    end
    if (start_i) begin
      write_table <= table_i;
      write_row   <= row_i;
    end
  end
  always_comb begin
    write_data = '0;
    for (int i = 0; i < 10; i++) if (write_word == 4'(i)) write_data = data_i[32*i +: 32];
  end

  // What a row does not have reads 0. `resize` of a CQ, its top bit, is an order and no state.
  localparam logic [31:0] AttrTop = {32{1'b1}} >> (320 - roci_pkg::QpAttrBits);
  localparam logic [31:0] KeyTop  = {32{1'b1}} >> (320 - roci_pkg::KeyBits);
  localparam logic [31:0] CqTop   = {32{1'b1}} >> (129 - roci_pkg::CqBits);
  localparam logic [31:0] SrqTop  = {32{1'b1}} >> (128 - roci_pkg::SrqBits);
  logic [31:0] mask;
  always_comb begin
    mask = '1;
    case (write_table)
      roci_pkg::TableQpAttr: if (write_word == WideLast) mask = AttrTop;
      roci_pkg::TableKey:    if (write_word == WideLast) mask = KeyTop;
      roci_pkg::TableCq:     if (write_word == NarrowLast) mask = CqTop;
      default:               if (write_word == NarrowLast) mask = SrqTop;
    endcase
  end

  logic [31:0] attr, key, cq, srq;
  logic [3:0]  unused_ready;
  roci_ram #(.Width(32), .Depth(16 * NumQps)) u_attr (
    .clk_i, .rst_ni,
    .write_i     (write && write_table == roci_pkg::TableQpAttr),
    .write_row_i ({write_row[QpBits-1:0], write_word}),
    .write_data_i(write_data & mask),
    .read_i, .read_row_i({read_row_i[QpBits-1:0], read_word_i}),
    .read_data_o (attr), .ready_o(unused_ready[0])
  );
  roci_ram #(.Width(32), .Depth(16 * NumKeys)) u_key (
    .clk_i, .rst_ni,
    .write_i     (write && write_table == roci_pkg::TableKey),
    .write_row_i ({write_row[KeyBits-1:0], write_word}),
    .write_data_i(write_data & mask),
    .read_i, .read_row_i({read_row_i[KeyBits-1:0], read_word_i}),
    .read_data_o (key), .ready_o(unused_ready[1])
  );
  roci_ram #(.Width(32), .Depth(4 * NumCqs)) u_cq (
    .clk_i, .rst_ni,
    .write_i     (write && write_table == roci_pkg::TableCq && write_word <= NarrowLast),
    .write_row_i ({write_row[CqBits-1:0], write_word[1:0]}),
    .write_data_i(write_data & mask),
    .read_i, .read_row_i({read_row_i[CqBits-1:0], read_word_i[1:0]}),
    .read_data_o (cq), .ready_o(unused_ready[2])
  );
  roci_ram #(.Width(32), .Depth(4 * NumSrqs)) u_srq (
    .clk_i, .rst_ni,
    .write_i     (write && write_table == roci_pkg::TableSrq && write_word <= NarrowLast),
    .write_row_i ({write_row[SrqBits-1:0], write_word[1:0]}),
    .write_data_i(write_data & mask),
    .read_i, .read_row_i({read_row_i[SrqBits-1:0], read_word_i[1:0]}),
    .read_data_o (srq), .ready_o(unused_ready[3])
  );

  always_comb begin
    case (read_table_i)
      roci_pkg::TableQpAttr: data_o = attr;
      roci_pkg::TableKey:    data_o = key;
      roci_pkg::TableCq:     data_o = cq;
      default:               data_o = srq;
    endcase
  end

  logic unused;
  assign unused = ^{write_row, read_row_i, unused_ready};

endmodule
