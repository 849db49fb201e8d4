// SPDX-License-Identifier: Apache-2.0
// Places the payload of each packet after its headers: joins the bytes that payload reads bring
// and starts them at the byte of a beat that tx names.
//
// Throughput: one beat a clock, one clock more for a packet whose end spills into another beat.
// Latency: one clock. in_ready_o follows pay_tready_i.

`include "assert.svh"

module roci_gather #(
  parameter int unsigned DataWidth = 512,
  localparam int unsigned OffBits = $clog2(DataWidth / 8)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // one per packet
  input  logic [5:0]           gather_pos_i,
  input  logic [12:0]          gather_len_i,
  input  logic                 gather_start_valid_i,
  output logic                 gather_start_ready_o,

  // read data, each beat with its bytes
  input  logic [DataWidth-1:0] in_data_i,
  input  logic [OffBits-1:0]   in_start_i,
  input  logic [OffBits:0]     in_bytes_i,
  input  logic                 in_last_i,   // last slice of the packet
  input  logic                 in_error_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,

  // to tx
  output logic [DataWidth-1:0] pay_tdata_o,
  output logic                 pay_tlast_o,
  output logic                 pay_terror_o,  // with tlast: some read of the packet failed
  output logic                 pay_tvalid_o,
  input  logic                 pay_tready_i,

  output logic                 idle_o
);

  // A start and the next one wait here for their data; tx keeps more of them.
  logic [5:0]  pos;
  logic [12:0] len;
  logic        start_valid, take_start;
  roci_skid #(.Width(19)) u_starts (
    .clk_i, .rst_ni,
    .in_data_i({gather_len_i, gather_pos_i}), .in_valid_i(gather_start_valid_i),
    .in_ready_o(gather_start_ready_o),
    .out_data_o({len, pos}), .out_valid_o(start_valid), .out_ready_i(take_start));

  logic        open;      // the packet's first bytes were taken, its last were not
  logic        error_q, error, take, align_ready, slice_valid, align_idle;
  assign slice_valid = in_valid_i && (open || start_valid);
  assign in_ready_o  = align_ready && (open || start_valid);
  assign take        = slice_valid && align_ready;
  assign take_start  = take && in_last_i;
  assign error       = in_error_i || (open && error_q);
  assign idle_o      = align_idle && !start_valid && !in_valid_i;

  always_ff @(posedge clk_i) if (take) error_q <= error;

  logic             user;
  logic [OffBits-1:0] unused_from;
  logic [OffBits:0]   unused_to;
  roci_dma_align #(.DataWidth(DataWidth), .UserBits(1)) u_align (
    .clk_i, .rst_ni,
    .in_data_i, .in_start_i, .in_bytes_i,
    .in_begin_i(!open), .in_pos_i(pos[OffBits-1:0]), .in_end_i(in_last_i),
    .in_user_i(error), .in_valid_i(slice_valid), .in_ready_o(align_ready),
    .out_data_o(pay_tdata_o), .out_strb_o(), .out_from_o(unused_from), .out_to_o(unused_to),
    .out_last_o(pay_tlast_o), .out_user_o(user), .out_valid_o(pay_tvalid_o),
    .out_ready_i(pay_tready_i), .open_o(open), .idle_o(align_idle));
  assign pay_terror_o = user && pay_tlast_o;

  // The segments are as long as tx was given.
  logic [12:0] given_q, given;
  assign given = 13'(in_bytes_i) + (open ? given_q : 13'd0);
  always_ff @(posedge clk_i) if (take) given_q <= given;
  `ASSUME(LengthAgrees, `IMPLIES(take && in_last_i, given == len))
  `ASSUME(PosInBeat, `IMPLIES(start_valid, {26'd0, pos} < DataWidth / 8))

`ifdef FORMAL
  // Packets are counted at three places: announced by tx, read, and out. Their bytes, and where
  // each begins, are the aligner's proof, which holds here too.
  logic [3:0] f_started_q, f_read_q, f_out_q;
  logic       f_error_q, f_end, f_ended, f_newest_q;
  assign f_end   = pay_tvalid_o && pay_tready_i && pay_tlast_o;
  assign f_ended = !align_idle && !open;   // a packet was read whole and is not out
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_started_q <= '0;
      f_read_q    <= '0;
      f_out_q     <= '0;
    end else begin
      f_started_q <= f_started_q + 4'(gather_start_valid_i && gather_start_ready_o);
      f_read_q    <= f_read_q + 4'(take && in_last_i);
      f_out_q     <= f_out_q + 4'(f_end);
    end
    if (take) f_error_q <= in_error_i || (open && f_error_q);
    if (take) f_newest_q <= in_error_i;
  end
  `ASSERT(NoStartLostOrMade, f_started_q - f_read_q == 4'(start_valid) + 4'(!gather_start_ready_o))
  `ASSERT(NoPacketLostOrMade, f_read_q - f_out_q == 4'(f_ended))
  `ASSERT(EndsWithItsPacket, `IMPLIES(pay_tvalid_o && pay_tlast_o, f_ended))
  `ASSERT(ReadsWhatWasStarted, `IMPLIES(take || open, start_valid))
  `ASSERT(ErrorIsKept, `IMPLIES(open, error_q == f_error_q) && `IMPLIES(f_ended, user == f_error_q))
  `ASSERT(ErrorIsReported, `IMPLIES(pay_tvalid_o && pay_tlast_o, pay_terror_o == f_error_q))
  `COVER(SecondPacketEnds, f_end && f_out_q == 4'd1 && len > 13'd4)
  `COVER(EarlyErrorIsReported, f_end && pay_terror_o && !f_newest_q)
  initial assume (!rst_ni);
`endif

endmodule
