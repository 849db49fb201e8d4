// SPDX-License-Identifier: Apache-2.0
// Copies of the rows that the table port has put on the row bus, for firmware to read.
//
// Throughput: a write and a read per clock. Latency: one clock.

`include "assert.svh"

module roci_table_copies #(
  parameter int unsigned NumQps  = 256,
  parameter int unsigned NumKeys = 1024,
  parameter int unsigned NumCqs  = 256,
  parameter int unsigned NumSrqs = 64
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  logic [3:0]     table_i,
  input  logic [23:0]    row_i,        // in range
  input  logic           write_i,
  input  logic [511:0]   data_i,
  input  logic           read_i,
  output logic [511:0]   data_o,       // one clock later; undefined for a table without copy

  input  logic           key_write_i,  // a row of a key operation; not with write_i
  input  logic [23:0]    key_index_i,
  input  roci_pkg::key_t key_i
);

  localparam int unsigned QpBits  = $clog2(NumQps);
  localparam int unsigned KeyBits = $clog2(NumKeys);
  localparam int unsigned CqBits  = $clog2(NumCqs);
  localparam int unsigned SrqBits = $clog2(NumSrqs);

  logic [roci_pkg::QpAttrBits-1:0] attr;
  logic [roci_pkg::KeyBits-1:0]    key;
  logic [roci_pkg::CqBits-1:0]     cq;
  logic [roci_pkg::SrqBits-1:0]    srq;

  roci_ram #(.Width(roci_pkg::QpAttrBits), .Depth(NumQps)) u_attr (
    .clk_i, .rst_ni,
    .write_i     (write_i && table_i == roci_pkg::TableQpAttr),
    .write_row_i (row_i[QpBits-1:0]),
    .write_data_i(data_i[roci_pkg::QpAttrBits-1:0]),
    .read_i      (read_i && table_i == roci_pkg::TableQpAttr),
    .read_row_i  (row_i[QpBits-1:0]),
    .read_data_o (attr),
    .ready_o     ()
  );
  roci_ram #(.Width(roci_pkg::KeyBits), .Depth(NumKeys)) u_key (
    .clk_i, .rst_ni,
    .write_i     (key_write_i || (write_i && table_i == roci_pkg::TableKey)),
    .write_row_i (key_write_i ? key_index_i[KeyBits-1:0] : row_i[KeyBits-1:0]),
    .write_data_i(key_write_i ? key_i : data_i[roci_pkg::KeyBits-1:0]),
    .read_i      (read_i && table_i == roci_pkg::TableKey),
    .read_row_i  (row_i[KeyBits-1:0]),
    .read_data_o (key),
    .ready_o     ()
  );
  roci_ram #(.Width(roci_pkg::CqBits), .Depth(NumCqs)) u_cq (
    .clk_i, .rst_ni,
    .write_i     (write_i && table_i == roci_pkg::TableCq),
    .write_row_i (row_i[CqBits-1:0]),
    .write_data_i({1'b0, data_i[roci_pkg::CqBits-2:0]}),  // `resize` is an order, no state
    .read_i      (read_i && table_i == roci_pkg::TableCq),
    .read_row_i  (row_i[CqBits-1:0]),
    .read_data_o (cq),
    .ready_o     ()
  );
  roci_ram #(.Width(roci_pkg::SrqBits), .Depth(NumSrqs)) u_srq (
    .clk_i, .rst_ni,
    .write_i     (write_i && table_i == roci_pkg::TableSrq),
    .write_row_i (row_i[SrqBits-1:0]),
    .write_data_i(data_i[roci_pkg::SrqBits-1:0]),
    .read_i      (read_i && table_i == roci_pkg::TableSrq),
    .read_row_i  (row_i[SrqBits-1:0]),
    .read_data_o (srq),
    .ready_o     ()
  );

  always_comb begin
    case (table_i)
      roci_pkg::TableQpAttr: data_o = 512'(attr);
      roci_pkg::TableKey:    data_o = 512'(key);
      roci_pkg::TableCq:     data_o = 512'(cq);
      default:               data_o = 512'(srq);
    endcase
  end

  logic unused;
  assign unused = ^{row_i, data_i, key_index_i};

  `ASSERT(OneWriter, !(key_write_i && write_i && table_i == roci_pkg::TableKey))

endmodule
