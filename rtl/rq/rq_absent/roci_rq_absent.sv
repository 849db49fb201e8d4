// SPDX-License-Identifier: Apache-2.0
// What the receive side sees of requests and rows when an option is absent: a request that needs it
// has a reserved opcode, which is rejected as invalid, and no queue pair has an SRQ.
//
// Throughput: combinational. Latency: none. With all options these are wires.

module roci_rq_absent #(
  parameter int unsigned Atomics = 1,  // 0: no atomics
  parameter int unsigned KeyOps  = 1,  // 0: no key is invalidated by a SEND
  parameter int unsigned Srq     = 1   // 0: no SRQs
) (
  input  roci_pkg::rx_meta_t   meta_i,
  output roci_pkg::rx_meta_t   meta_o,
  input  roci_pkg::row_write_t row_write_i,
  output roci_pkg::row_write_t row_write_o
);

  localparam logic [7:0] OpReserved = 8'h15;  // in the class of RC

  logic atomic, invalidates;
  assign atomic      = meta_i.opcode == roci_pkg::OpRcCmpSwap
                    || meta_i.opcode == roci_pkg::OpRcFetchAdd;
  assign invalidates = meta_i.opcode == roci_pkg::OpRcSendLastInv
                    || meta_i.opcode == roci_pkg::OpRcSendOnlyInv;
  always_comb begin
    meta_o = meta_i;
    if ((Atomics == 0 && atomic) || (KeyOps == 0 && invalidates)) meta_o.opcode = OpReserved;
  end

  // The other rows that the receive side takes, those of SRQs and states, do not have this bit or
  // are not written.
  roci_pkg::qp_attr_t attr;
  always_comb begin
    attr = row_write_i.data[roci_pkg::QpAttrBits-1:0];
    if (Srq == 0) attr.srq = 1'b0;
    row_write_o = row_write_i;
    row_write_o.data[roci_pkg::QpAttrBits-1:0] = attr;
  end

endmodule
