// SPDX-License-Identifier: Apache-2.0
// Checks the invariant CRC of RoCE frames that pass by.
//
// Throughput: one beat per clock, frames of a single beat back to back. Latency: done_o is up for
// one clock, four clocks after the beat with last_i, once for every frame.
//
// A frame with its ICRC after it leaves the CRC register at the constant 0xDEBB20E3 (the residue
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
  input  logic                   ipv6_i,  // this and the next two are held during the frame
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

`ifdef FORMAL
  (* anyseq *) logic [31:0] state;  // proved in roci_icrc
`else
  logic [31:0]        state;
`endif
  logic [GapBits-1:0] gap;
  logic               state_valid;

  roci_icrc #(.DataWidth(DataWidth)) u_icrc (
    .clk_i, .rst_ni,
    .enable_i(1'b1),
    .data_i, .keep_i, .last_i, .ipv6_i, .roce_v1_i, .vlan_i, .valid_i,
`ifdef FORMAL
    .state_o(),
`else
    .state_o(state),
`endif
    .gap_o(gap),
    .valid_o(state_valid)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) done_o <= 1'b0;
    else         done_o <= state_valid;
    if (state_valid) ok_o <= state == Residues[32*gap +: 32];
  end

`ifdef FORMAL
  // One verdict for each frame, four clocks after its last beat, and it is "good" exactly when the
  // register is the residue, run on bit by bit over as many zero bytes as the last beat lacks.
  function automatic logic [31:0] run_on(input logic [GapBits-1:0] zeros);
    logic [31:0] crc;
    crc    = 32'hDEBB_20E3;
    run_on = crc;
    for (int i = 1; i < Bytes; i++) begin
      for (int b = 0; b < 8; b++) crc = {1'b0, crc[31:1]} ^ (crc[0] ? 32'hEDB8_8320 : 32'd0);
      if (zeros == GapBits'(i)) run_on = crc;
    end
  endfunction

  logic [3:0]         f_last_q;      // a frame ended so many clocks ago, plus one
  logic [GapBits-1:0] f_gap, f_gap1_q, f_gap2_q, f_gap3_q;
  logic [3:0]         f_frames_q;    // ended, without verdict
  logic               f_good_q;
  always_comb begin
    f_gap = '0;
    for (int i = 0; i < Bytes; i++) f_gap = f_gap + GapBits'(!keep_i[i]);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_last_q   <= '0;
      f_frames_q <= '0;
    end else begin
      f_last_q   <= {f_last_q[2:0], valid_i && last_i};
      f_frames_q <= f_frames_q + 4'(valid_i && last_i) - 4'(done_o);
    end
    f_gap1_q <= f_gap;
    f_gap2_q <= f_gap1_q;
    f_gap3_q <= f_gap2_q;
    f_good_q <= state == run_on(f_gap3_q);
  end
  // As roci_axis_check holds of the stream from the MAC
  `ASSUME(KeepIsWhole, `IMPLIES(valid_i && last_i, keep_i[0] && (keep_i & (keep_i + 1'b1)) == '0))
  `ASSERT(OneVerdictEach, done_o == f_last_q[3])
  `ASSERT(NoFrameLostOrMade, f_frames_q == 4'($countones(f_last_q)))
  `ASSERT(ZerosAreCounted, `IMPLIES(f_last_q[2], state_valid && gap == f_gap3_q))
  `ASSERT(GoodIsResidue, `IMPLIES(done_o, ok_o == f_good_q))
  `COVER(BackToBack, &f_last_q && done_o && !ok_o)
  `COVER(Good, done_o && ok_o)
  `COVER(GoodAfterBad, done_o && ok_o && f_frames_q == 4'd2)
  initial assume (!rst_ni);
`endif

endmodule
