// SPDX-License-Identifier: Apache-2.0
// Rules of AXI4 for the read channels of a master, as IHI 0022 states them, checked on one port.
//
// A request, once valid, stays unchanged until it is taken. It is an incrementing burst of whole
// beats that starts at a beat and stays within 4 KiB. An id has one request in flight. Responses
// are the slave's: each has a request, and the last beat is where the request says.

`include "assert.svh"

module roci_axi_read_check #(
  parameter int unsigned DataWidth = 64  // bits
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [7:0]  arid_i,
  input logic [63:0] araddr_i,
  input logic [7:0]  arlen_i,
  input logic [2:0]  arsize_i,
  input logic [1:0]  arburst_i,
  input logic [19:0] aruser_i,
  input logic        arvalid_i,
  input logic        arready_i,
  input logic [7:0]  rid_i,
  input logic        rlast_i,
  input logic        rvalid_i,
  input logic        rready_i
);

  localparam int unsigned OffBits = $clog2(DataWidth / 8);

  logic         stalled_q, held, burst;
  logic [104:0] request, request_q;
  logic [15:0]  last_beat;  // its start, within or past the 4 KiB of the first one
  assign request   = {arid_i, araddr_i, arlen_i, arsize_i, arburst_i, aruser_i};
  assign held      = !stalled_q || (arvalid_i && request == request_q);
  assign last_beat = 16'(araddr_i[11:0]) + (16'(arlen_i) << OffBits);
  assign burst     = !arvalid_i || (arburst_i == 2'b01 && arsize_i == 3'(OffBits) &&
                                    araddr_i[OffBits-1:0] == '0 && last_beat[15:12] == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) stalled_q <= 1'b0;
    else         stalled_q <= arvalid_i && !arready_i;
    if (arvalid_i && !arready_i) request_q <= request;
  end

  `ASSERT(ReadHeld, held)
  `ASSERT(ReadBurst, burst)

`ifndef FORMAL
  // Ids in flight, and the beats that each is still to bring. Proofs leave this to dma_tags.
  logic [255:0] inside_q;
  logic [7:0]   left_q [256];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) inside_q <= '0;
    else begin
      if (rvalid_i && rready_i && rlast_i) inside_q[rid_i] <= 1'b0;
      if (arvalid_i && arready_i) inside_q[arid_i] <= 1'b1;
    end
    if (rvalid_i && rready_i) left_q[rid_i] <= left_q[rid_i] - 8'd1;
    if (arvalid_i && arready_i) left_q[arid_i] <= arlen_i;
  end
  logic [7:0] left;
  logic       taken, wanted;
  assign left   = left_q[rid_i];
  assign taken  = inside_q[arid_i];
  assign wanted = inside_q[rid_i];
  `ASSERT(IdIsFree, `IMPLIES(arvalid_i && arready_i, !taken))
  `ASSUME(ResponseHasRequest, `IMPLIES(rvalid_i, wanted))
  `ASSUME(LastWhereItBelongs, `IMPLIES(rvalid_i, rlast_i == (left == '0)))
`endif
  logic unused;
  assign unused = &{1'b0, last_beat, rid_i, rlast_i, rvalid_i, rready_i};

endmodule
