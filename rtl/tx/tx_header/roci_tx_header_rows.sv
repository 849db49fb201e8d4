// SPDX-License-Identifier: Apache-2.0
// The address vector of a packet: the row of its queue pair, or for a datagram that of its address
// handle. Rows of handles follow those of queue pairs in one memory.
//
// Throughput: one packet a clock. Latency: one clock. No row is read while one is written, as block
// RAM may give anything then.

module roci_tx_header_rows #(
  parameter int unsigned NumQps = 256  // a power of two; there are as many address handles
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // row bus
  input  logic                  row_write_valid_i,
  input  roci_pkg::row_write_t  row_write_i,
  output logic                  write_o,  // a row is written in this clock

  input  logic                  read_i,   // never with write_o
  input  roci_pkg::tx_desc_t    desc_i,

  // a clock later
  output roci_pkg::av_t         av_o,
  output logic [18:0]           sum_o     // words of the IPv4 header that do not depend on the
                                          // packet, added
);

  localparam int unsigned QpBits = $clog2(NumQps);

  // With the row stands the sum of the words of the IPv4 header that come from it or are constant.
  roci_pkg::av_t new_av, row;
  logic          is_handle;
  logic [18:0]   new_sum;
  assign is_handle = row_write_i.table_id == roci_pkg::TableAh;
  assign write_o   = row_write_valid_i && (is_handle || row_write_i.table_id == roci_pkg::TableAv)
                     && row_write_i.index < 24'(NumQps);
  assign new_av    = row_write_i.data[roci_pkg::AvBits-1:0];
  // What is constant: version and length, the flag DF, the protocol.
  assign new_sum   = 19'(new_av.src_ip[31:16]) + 19'(new_av.src_ip[15:0])
                     + 19'(new_av.dst_ip[31:16]) + 19'(new_av.dst_ip[15:0])
                     + 19'({new_av.hop_limit, new_av.traffic_class})
                     + (19'h4500 + 19'h4000 + 19'(roci_pkg::IpUdp[7:0]));

  roci_pkg::ext_deth_t deth;
  logic                datagram;
  logic [QpBits:0]     read_row;
  assign deth     = desc_i.ext;
  assign datagram = desc_i.opcode[7:5] == roci_pkg::OpUdSendOnly[7:5];
  assign read_row = datagram ? {1'b1, deth.ah[QpBits-1:0]} : {1'b0, desc_i.qpn[QpBits-1:0]};
  roci_ram #(.Width(19 + roci_pkg::AvBits), .Depth(2 * NumQps)) u_av (
    .clk_i, .rst_ni,
    .write_i(write_o), .write_row_i({is_handle, row_write_i.index[QpBits-1:0]}),
    .write_data_i({new_sum, new_av}),
    .read_i, .read_row_i(read_row), .read_data_o({sum_o, row}), .ready_o());

  // What a datagram does not have from its handle: the partition is that of its queue pair, and the
  // destination stands in the descriptor.
  logic        is_datagram_q;
  logic [15:0] pkey;
  logic [23:0] dest_qpn_q;
  roci_ram #(.Width(16), .Depth(NumQps)) u_pkey (
    .clk_i, .rst_ni,
    .write_i(write_o && !is_handle), .write_row_i(row_write_i.index[QpBits-1:0]),
    .write_data_i(new_av.pkey),
    .read_i, .read_row_i(desc_i.qpn[QpBits-1:0]), .read_data_o(pkey), .ready_o());
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      is_datagram_q <= datagram;
      dest_qpn_q    <= deth.dest_qpn;
    end
  end
  always_comb begin
    av_o      = row;
    av_o.pkey = pkey;
    if (is_datagram_q) av_o.dest_qpn = dest_qpn_q;
  end

  logic unused;
  assign unused = ^{row.pkey, deth, desc_i};

endmodule
