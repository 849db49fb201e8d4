// SPDX-License-Identifier: Apache-2.0
// Splits a segment of memory into AXI bursts: full beats, within 4 KiB, at most 256 beats.
//
// Throughput: one burst a clock, also from segment to segment. Latency: one clock. The last burst
// of a segment and the next segment may pass in the same clock: in_ready_o follows out_ready_i.
//
//   segment       |..####|########|###.....|      # its bytes, | boundaries
//   bursts       first  second   third

`include "assert.svh"

module roci_dma_split #(
  parameter int unsigned DataWidth = 512,  // 64, 128, 256 or 512
  localparam int unsigned OffBits = $clog2(DataWidth / 8)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // in
  input  logic [63:0]        in_addr_i,
  input  logic [19:0]        in_pasid_i,
  input  logic [12:0]        in_len_i,    // bytes, 1 to 4136
  input  logic               in_last_i,   // handed on with the last burst
  input  logic               in_drop_i,   // handed on; such a segment stays whole
  input  logic               in_valid_i,
  output logic               in_ready_o,

  // out
  output logic [63:0]        out_addr_o,   // start of a beat
  output logic [19:0]        out_pasid_o,
  output logic [8:0]         out_beats_o,  // 1 to 256
  output logic [OffBits-1:0] out_first_o,  // first byte within the first beat
  output logic [OffBits-1:0] out_end_o,    // last byte within the last beat
  output logic               out_last_o,
  output logic               out_drop_o,
  output logic               out_valid_o,
  input  logic               out_ready_i
);

  `PARAM_CHECK(WidthIsKnown, DataWidth == 64 || DataWidth == 128 || DataWidth == 256 ||
               DataWidth == 512)

  // Splitting 64-bit streams at 2 KiB keeps both limits with one comparison.
  localparam int unsigned BoundBits = OffBits + 8 < 12 ? OffBits + 8 : 12;

  logic [63:0]        addr_q;
  logic [19:0]        pasid_q;
  logic [12:0]        len_q;
  logic               last_q, drop_q, valid_q;
  logic [12:0]        end_pos, taken;  // end_pos counts from the start of the first beat

  // Bytes up to the next boundary, and whether the burst is the last: found when its first byte is,
  // a clock before the burst.
  localparam logic [12:0] Bound = 13'd1 << BoundBits;
  logic [12:0] room_q, in_room, in_past, rest;
  logic        final_q;
  assign in_past = {{(13 - BoundBits){1'b0}}, in_addr_i[BoundBits-1:0]};
  assign in_room = Bound - in_past;
  assign rest    = len_q - room_q;
  assign taken   = final_q ? len_q : room_q;
  assign end_pos     = taken + {{(13 - OffBits){1'b0}}, addr_q[OffBits-1:0]} - 13'd1;

  assign out_addr_o  = {addr_q[63:OffBits], {OffBits{1'b0}}};
  assign out_pasid_o = pasid_q;
  assign out_beats_o = 9'(end_pos[12:OffBits]) + 9'd1;
  assign out_first_o = addr_q[OffBits-1:0];
  assign out_end_o   = end_pos[OffBits-1:0];
  assign out_last_o  = last_q && final_q;
  assign out_drop_o  = drop_q;
  assign out_valid_o = valid_q;
  assign in_ready_o  = !valid_q || (out_ready_i && final_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (in_ready_o) valid_q <= in_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (in_ready_o) begin
      addr_q  <= in_addr_i;
      pasid_q <= in_pasid_i;
      len_q   <= in_len_i;
      last_q  <= in_last_i;
      drop_q  <= in_drop_i;
      room_q  <= in_room;
      final_q <= in_len_i <= in_room || in_drop_i;
    end else if (out_ready_i) begin
      addr_q  <= {addr_q[63:BoundBits] + 1'b1, {BoundBits{1'b0}}};
      len_q   <= rest;
      room_q  <= Bound;
      final_q <= rest <= Bound;
    end
  end

  `ASSUME(LenInRange, `IMPLIES(in_valid_i, in_len_i != 13'd0 && in_len_i <= 13'd4136))

  // With the beats of the burst laid out from out_addr_o.
  logic [12:0] last_beat;  // offset within 4 KiB
  assign last_beat = {1'b0, out_addr_o[11:0]} + ({4'd0, out_beats_o - 9'd1} << OffBits);
  `ASSERT(WithinPage, `IMPLIES(valid_q && !drop_q, last_beat <= 13'd4095))
  `ASSERT(BeatsInRange, `IMPLIES(valid_q && !drop_q,
                                 out_beats_o >= 9'd1 && out_beats_o <= 9'd256))

`ifdef FORMAL
  // The bursts of a segment together are its bytes: count them and compare where they end.
  logic [12:0] f_given_q, f_whole_q, f_burst;
  logic [63:0] f_start_q;
  assign f_burst = {out_beats_o - 9'd1, {OffBits{1'b0}}} + 13'(out_end_o) + 13'd1 -
                   13'(out_first_o);
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) begin
      f_given_q <= '0;
      f_whole_q <= in_len_i;
      f_start_q <= in_addr_i;
    end else if (out_valid_o && out_ready_i) f_given_q <= f_given_q + f_burst;
  end
  `ASSERT(RestIsKnown, `IMPLIES(valid_q, len_q != 13'd0 && len_q <= 13'd4136 &&
                                         13'(f_given_q + len_q) == f_whole_q &&
                                         f_given_q < f_whole_q && f_whole_q <= 13'd4136))
  `ASSERT(BurstsJoin, `IMPLIES(valid_q, f_start_q + 64'(f_given_q) == addr_q))
  `ASSERT(RoomIsKnown, `IMPLIES(valid_q, room_q == Bound - 13'(addr_q[BoundBits-1:0])
                                         && final_q == (len_q <= room_q || drop_q)))
  `ASSERT(LastIsWhole, `IMPLIES(valid_q && final_q && !drop_q,
                                f_given_q + f_burst == f_whole_q))
  `COVER(ThirdBurst, valid_q && addr_q[BoundBits-1:0] == '0 && f_given_q != '0 && final_q)
  initial assume (!rst_ni);
`endif

endmodule
