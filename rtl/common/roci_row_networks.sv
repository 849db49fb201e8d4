// SPDX-License-Identifier: Apache-2.0
// Rows of address vectors and handles as an engine without other networks keeps them: IPv4, no tag.
//
// Throughput: combinational. Latency: none. With all networks these are wires.

module roci_row_networks #(
  parameter int unsigned Networks = 1  // 0: RoCE v2 over IPv4 without a VLAN tag alone
) (
  input  roci_pkg::row_write_t row_write_i,
  output roci_pkg::row_write_t row_write_o
);

  roci_pkg::av_t av;
  always_comb begin
    av = row_write_i.data[roci_pkg::AvBits-1:0];
    if (Networks == 0) begin
      av.roce_v1 = 1'b0;
      av.ipv6    = 1'b0;
      av.vlan    = 1'b0;
      av.src_ip  = 128'(av.src_ip[31:0]);
      av.dst_ip  = 128'(av.dst_ip[31:0]);
    end
    row_write_o = row_write_i;
    // The other rows that `rx` and `tx` take are shorter than what is changed, except for GIDs.
    if (row_write_i.table_id != roci_pkg::TableGid) begin
      row_write_o.data[roci_pkg::AvBits-1:0] = av;
    end
  end

endmodule
