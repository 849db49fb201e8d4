// SPDX-License-Identifier: Apache-2.0
// The streams of an adapter and nothing else: each passes through a register.
`timescale 1ns / 1ps
module stream (
  input  logic        clk,
  input  logic        rst,
  input  logic [63:0] to_in_tdata,
  input  logic [7:0]  to_in_tkeep,
  input  logic        to_in_tvalid,
  output logic        to_in_tready,
  input  logic        to_in_tlast,
  output logic [63:0] to_out_tdata,
  output logic [7:0]  to_out_tkeep,
  output logic        to_out_tvalid,
  input  logic        to_out_tready,
  output logic        to_out_tlast,
  input  logic [63:0] from_in_tdata,
  input  logic [7:0]  from_in_tkeep,
  input  logic        from_in_tvalid,
  output logic        from_in_tready,
  input  logic        from_in_tlast,
  output logic [63:0] from_out_tdata,
  output logic [7:0]  from_out_tkeep,
  output logic        from_out_tvalid,
  input  logic        from_out_tready,
  output logic        from_out_tlast
);
  assign to_in_tready = !to_out_tvalid || to_out_tready;
  assign from_in_tready = !from_out_tvalid || from_out_tready;

  always_ff @(posedge clk) begin
    if (rst) begin
      to_out_tvalid <= 1'b0;
      from_out_tvalid <= 1'b0;
    end else begin
      if (to_in_tready) begin
        to_out_tvalid <= to_in_tvalid;
        {to_out_tdata, to_out_tkeep, to_out_tlast} <= {to_in_tdata, to_in_tkeep, to_in_tlast};
      end
      if (from_in_tready) begin
        from_out_tvalid <= from_in_tvalid;
        {from_out_tdata, from_out_tkeep, from_out_tlast} <=
            {from_in_tdata, from_in_tkeep, from_in_tlast};
      end
    end
  end
endmodule
