// Checks the invariant CRC of RoCE frames that pass by.
//
// Throughput: one beat per clock, frames of a single beat back to back. Latency: done_o is up for
// one clock, three clocks after the beat with last_i, once for every frame.
//
// A frame with its ICRC behind it leaves the CRC register at the constant 0xDEBB20E3 (the residue
// of CRC-32). roci_icrc runs on to the end of the lane over zeros, so the register is compared with
// what the residue becomes over that many zero bytes: a table of one word per length of the last
// beat.

`include "assert.svh"

module roci_icrc_rx #(
  parameter int unsigned DataWidth = 512  // bits of a beat: 64, 128, 256 or 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // in: the frame from its Ethernet header to the fourth byte of the ICRC
  input  logic [DataWidth-1:0]   data_i,
  input  logic [DataWidth/8-1:0] keep_i,
  input  logic                   last_i,
  input  logic                   ipv6_i,  // these are held during the frame
  input  logic                   roce_v1_i,
  input  logic                   vlan_i,
  input  logic                   valid_i,

  // out
  output logic                   done_o,
  output logic                   ok_o
);

  localparam int unsigned Bytes = DataWidth / 8;
  localparam int unsigned GapBits = $clog2(Bytes);
  localparam logic [31:0] Polynomial = 32'hEDB8_8320;
  localparam logic [31:0] Residue = 32'hDEBB_20E3;

  // Runs at elaboration only.
  // verilator coverage_off
  function automatic logic [32*Bytes-1:0] residues(input logic [31:0] start);
    logic [31:0] state;
    state = start;
    for (int i = 0; i < Bytes; i++) begin
      residues[32*i +: 32] = state;
      for (int step = 0; step < 8; step++) begin
        state = (state >> 1) ^ (state[0] ? Polynomial : 32'd0);
      end
    end
  endfunction
  // verilator coverage_on

  localparam logic [32*Bytes-1:0] Residues = residues(Residue);

  logic [31:0]        state;
  logic [GapBits-1:0] gap;
  logic               state_valid;

  roci_icrc #(.DataWidth(DataWidth)) u_icrc (
    .clk_i, .rst_ni,
    .enable_i(1'b1),
    .data_i, .keep_i, .last_i, .ipv6_i, .roce_v1_i, .vlan_i, .valid_i,
    .state_o(state),
    .gap_o(gap),
    .valid_o(state_valid)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) done_o <= 1'b0;
    else         done_o <= state_valid;
    if (state_valid) ok_o <= state == Residues[32*gap +: 32];
  end

endmodule
