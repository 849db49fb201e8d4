// SPDX-License-Identifier: Apache-2.0
// Whether a datagram goes to an address of the port (UD-07, UD-12): the rows of the table Gid are
// compared with it one after the other, from the one that was found last. One to a multicast group
// only has to be of a network in which the port has an address (UD-10).
//
// Throughput: one row a clock. Latency: two clocks to the first row, which is the one of the
// datagram before; 17 clocks when there is none.
//
//   row bus --> rows --> row, one a clock --> compare --> found

`include "assert.svh"

module roci_rx_gids (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // row bus
  input  logic                 row_write_valid_i,
  input  roci_pkg::row_write_t row_write_i,

  // the datagram
  input  roci_pkg::rx_frame_t  frame_i,
  input  logic                 group_i,  // to a multicast group
  input  logic                 look_i,   // until next_i
  input  logic                 next_i,   // it is done with
  output logic                 done_o,   // found, or compared with all
  output logic                 found_o
);

  localparam int unsigned Rows    = 16;
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned Width   = roci_pkg::GidBits + 1;

  // A row, and whether it is an IPv4 address: no frame of IPv6 goes there.
  localparam logic [95:0] Mapped = {80'd0, 16'hFFFF};  // upper bits of the GID of an IPv4 address
  roci_pkg::gid_t     new_row, row;
  logic               write, new_valid_q, new_ipv4, ipv4, valid, unused_ready;
  logic [Rows-1:0]    valid_q, write_q;  // bits of rows
  logic [RowBits-1:0] write_row, first_q, read_row;
  logic [RowBits:0]   count_q;  // rows read
  assign new_row   = row_write_i.data[roci_pkg::GidBits-1:0];
  assign new_ipv4  = !new_row.roce_v1 && new_row.gid[127:32] == Mapped;
  assign write     = row_write_valid_i && row_write_i.table_id == roci_pkg::TableGid
                     && (row_write_i.index >> RowBits) == '0;
  assign write_row = row_write_i.index[RowBits-1:0];
  roci_ram #(.Width(Width), .Depth(Rows)) u_rows (
    .clk_i, .rst_ni, .write_i(write), .write_row_i(write_row), .write_data_i({new_ipv4, new_row}),
    .read_i(look_i), .read_row_i(read_row), .read_data_o({ipv4, row}), .ready_o(unused_ready));
  assign read_row = first_q + count_q[RowBits-1:0];
  always_ff @(posedge clk_i) begin
    write_q     <= write ? Rows'(1) << write_row : '0;
    new_valid_q <= new_row.valid;
    if (!rst_ni) valid_q <= '0;
    else valid_q <= new_valid_q ? valid_q | write_q : valid_q & ~write_q;
    valid <= valid_q[read_row];
  end

  logic        match;
  logic [95:0] upper;
  assign upper = frame_i.ipv6 ? frame_i.dst_ip[127:32] : Mapped;
  assign match = valid && (group_i || ({upper, frame_i.dst_ip[31:0]} == row.gid
                                       && !(frame_i.ipv6 && ipv4)))
                 && frame_i.roce_v1 == row.roce_v1 && frame_i.vlan == row.vlan
                 && (!row.vlan || frame_i.vid == row.vid);
  assign done_o = found_o || count_q == (RowBits + 1)'(Rows + 1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      count_q <= '0;
      found_o <= 1'b0;
    end else begin
      if (!look_i || next_i) begin
        count_q <= '0;
        found_o <= 1'b0;
      end else if (!done_o) begin
        count_q <= count_q + 1'b1;
        found_o <= match && count_q != '0;
      end
      if (next_i && found_o) first_q <= read_row - RowBits'(2);
    end
  end

  logic unused;
  assign unused = ^{frame_i, row_write_i, row.valid, unused_ready};

endmodule
