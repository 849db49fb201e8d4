// SPDX-License-Identifier: Apache-2.0
// Rules of AXI4-Lite for a slave, as IHI 0022 states them, checked on one port.
//
// A response, once valid, stays unchanged until it is taken. Each has a request that was taken
// before, and few are in flight. What the master must keep is assumed: its requests stay, too.

`include "assert.svh"

module roci_axil_check #(
  parameter int unsigned AddrBits = 22,
  parameter int unsigned MaxOpen  = 15  // requests taken whose response is due
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [AddrBits-1:0] awaddr_i,
  input logic                awvalid_i,
  input logic                awready_i,
  input logic [31:0]         wdata_i,
  input logic [3:0]          wstrb_i,
  input logic                wvalid_i,
  input logic                wready_i,
  input logic [1:0]          bresp_i,
  input logic                bvalid_i,
  input logic                bready_i,
  input logic [AddrBits-1:0] araddr_i,
  input logic                arvalid_i,
  input logic                arready_i,
  input logic [31:0]         rdata_i,
  input logic [1:0]          rresp_i,
  input logic                rvalid_i,
  input logic                rready_i,
  // for a proof: addresses of writes, their data, and reads taken whose response is due
  output logic [$clog2(MaxOpen+1)-1:0] addresses_o,
  output logic [$clog2(MaxOpen+1)-1:0] data_o,
  output logic [$clog2(MaxOpen+1)-1:0] reads_o
);

  localparam int unsigned Bits = $clog2(MaxOpen + 1);

  logic                aw_stalled_q, w_stalled_q, b_stalled_q, ar_stalled_q, r_stalled_q;
  logic [AddrBits-1:0] awaddr_q, araddr_q;
  logic [35:0]         write_q;
  logic [33:0]         read_q;
  logic [1:0]          bresp_q;
  logic [Bits-1:0]     addresses_q, data_q, reads_q;  // taken, and not responded to

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {aw_stalled_q, w_stalled_q, b_stalled_q, ar_stalled_q, r_stalled_q} <= '0;
      addresses_q <= '0;
      data_q      <= '0;
      reads_q     <= '0;
    end else begin
      aw_stalled_q <= awvalid_i && !awready_i;
      w_stalled_q  <= wvalid_i && !wready_i;
      b_stalled_q  <= bvalid_i && !bready_i;
      ar_stalled_q <= arvalid_i && !arready_i;
      r_stalled_q  <= rvalid_i && !rready_i;
      addresses_q  <= addresses_q + Bits'(awvalid_i && awready_i) - Bits'(bvalid_i && bready_i);
      data_q       <= data_q + Bits'(wvalid_i && wready_i) - Bits'(bvalid_i && bready_i);
      reads_q      <= reads_q + Bits'(arvalid_i && arready_i) - Bits'(rvalid_i && rready_i);
    end
    awaddr_q <= awaddr_i;
    araddr_q <= araddr_i;
    write_q  <= {wdata_i, wstrb_i};
    read_q   <= {rdata_i, rresp_i};
    bresp_q  <= bresp_i;
  end

  assign addresses_o = addresses_q;
  assign data_o      = data_q;
  assign reads_o     = reads_q;

  `ASSUME(AddressHeld, `IMPLIES(aw_stalled_q, awvalid_i && awaddr_i == awaddr_q))
  `ASSUME(DataHeld, `IMPLIES(w_stalled_q, wvalid_i && {wdata_i, wstrb_i} == write_q))
  `ASSUME(ReadHeld, `IMPLIES(ar_stalled_q, arvalid_i && araddr_i == araddr_q))
  `ASSERT(ResponseHeld, `IMPLIES(b_stalled_q, bvalid_i && bresp_i == bresp_q))
  `ASSERT(ReadDataHeld, `IMPLIES(r_stalled_q, rvalid_i && {rdata_i, rresp_i} == read_q))
  `ASSERT(ResponseHasWrite, `IMPLIES(bvalid_i, addresses_q != '0 && data_q != '0))
  `ASSERT(DataHaveRead, `IMPLIES(rvalid_i, reads_q != '0))
  `ASSERT(FewOpen, `IMPLIES(awvalid_i && awready_i, addresses_q != Bits'(MaxOpen)) &&
                   `IMPLIES(wvalid_i && wready_i, data_q != Bits'(MaxOpen)) &&
                   `IMPLIES(arvalid_i && arready_i, reads_q != Bits'(MaxOpen)))

endmodule
