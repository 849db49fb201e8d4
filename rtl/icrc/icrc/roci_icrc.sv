// SPDX-License-Identifier: Apache-2.0
// Invariant CRC of RoCE v2 (WIRE-37, WIRE-38) and v1 over frames of any length.
//
// Throughput: one beat per clock, no bubble between frames. Latency: two clocks from the last beat
// to valid_o. Nothing moves while enable_i is 0.
//
//   data --> cover --> XOR tree --> +--> state --> state_o
//                                   ^      |
//                                   +- x^W +      W = DataWidth
//
// CRC is linear, so a frame is summed up from a zero state: bytes in front of the IP header become
// zeros, which change nothing, and the state after the eight 0xFF bytes of the missing LRH is
// XORed into the first four bytes of the IP header. After the last byte come zeros up to the end
// of the lane, so the running state always moves on by a full beat. The caller takes those gap_o
// zero bytes out again (roci_icrc_unwind) or expects them (roci_icrc_rx): cheaper than a rotator
// for the last beat.

`include "assert.svh"

module roci_icrc #(
  parameter int unsigned DataWidth = 512  // bits of a beat: 64, 128, 256 or 512
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           enable_i,

  // in: a RoCE frame from its Ethernet header on
  input  logic [DataWidth-1:0]           data_i,
  input  logic [DataWidth/8-1:0]         keep_i,   // counts with last_i only
  input  logic                           last_i,
  input  logic                           ipv6_i,   // held during the frame, as are the next two
  input  logic                           roce_v1_i,  // a GRH; ipv6_i does not matter
  input  logic                           vlan_i,
  input  logic                           valid_i,

  // out
  output logic [31:0]                    state_o,  // CRC register, without the final inversion
  output logic [$clog2(DataWidth/8)-1:0] gap_o,    // zero bytes it has run past the frame
  output logic                           valid_o
);

  `PARAM_CHECK(WidthInRange, DataWidth == 64 || DataWidth == 128 || DataWidth == 256 ||
               DataWidth == 512)

  localparam int unsigned Bytes = DataWidth / 8;
  localparam int unsigned GapBits = $clog2(Bytes);
  localparam logic [31:0] Polynomial = 32'hEDB8_8320;  // bit-reversed, low bit first
  localparam logic [31:0] AfterLrh = 32'hDEBB_20E3;    // register after eight bytes of 0xFF

  // Row i of the tree: the data bits that add up to bit i of the state at the end of the beat.
  // Runs at elaboration only.
  // verilator coverage_off
  function automatic logic [32*DataWidth-1:0] tree_rows(input logic [31:0] polynomial);
    logic [31:0] effect;
    effect = 32'd1;
    for (int bit_index = DataWidth - 1; bit_index >= 0; bit_index--) begin
      effect = (effect >> 1) ^ (effect[0] ? polynomial : 32'd0);
      for (int row = 0; row < 32; row++) tree_rows[DataWidth*row + bit_index] = effect[row];
    end
  endfunction
  // verilator coverage_on

  localparam logic [32*DataWidth-1:0] TreeRows = tree_rows(Polynomial);

  // Bytes that are not covered as sent all lie in the first beats.
  localparam int unsigned HeadBytes = 71;  // to BTH byte 4 of a tagged IPv6 frame
  localparam int unsigned HeadBeats = (HeadBytes + Bytes - 1) / Bytes;
  localparam int unsigned HeadBits = HeadBeats * DataWidth;
  localparam int unsigned BeatBits = $clog2(HeadBeats + 1);

  localparam logic [1:0] Ipv4 = 2'd0, Ipv6 = 2'd1, Grh = 2'd2;

  // Runs at elaboration only.
  // verilator coverage_off
  function automatic logic [HeadBits-1:0] ones_of(input logic [1:0] kind, input int ip);
    ones_of = '0;
    if (kind != Ipv4) begin
      ones_of[8*ip +: 4]       = 4'hF;  // traffic class, flow label
      ones_of[8*(ip+1) +: 24]  = 24'hFF_FFFF;
      ones_of[8*(ip+7) +: 8]   = 8'hFF;  // hop limit
      if (kind == Ipv6) begin
        ones_of[8*(ip+46) +: 16] = 16'hFFFF;  // UDP checksum
        ones_of[8*(ip+52) +: 8]  = 8'hFF;  // BTH: FECN, BECN, reserved
      end else begin
        ones_of[8*(ip+44) +: 8]  = 8'hFF;  // BTH, right after the GRH
      end
    end else begin
      ones_of[8*(ip+1) +: 8]   = 8'hFF;  // type of service
      ones_of[8*(ip+8) +: 8]   = 8'hFF;  // time to live
      ones_of[8*(ip+10) +: 16] = 16'hFFFF;  // header checksum
      ones_of[8*(ip+26) +: 16] = 16'hFFFF;  // UDP checksum
      ones_of[8*(ip+32) +: 8]  = 8'hFF;  // BTH: FECN, BECN, reserved
    end
  endfunction
  // verilator coverage_on

  // A table entry for each {kind, vlan}, divided into beats.
  localparam logic [6*HeadBits-1:0] Ones =
      {ones_of(Grh, 18), ones_of(Grh, 14), ones_of(Ipv6, 18), ones_of(Ipv6, 14),
       ones_of(Ipv4, 18), ones_of(Ipv4, 14)};
  localparam logic [2*HeadBits-1:0] Ethernet = {HeadBits'({144{1'b1}}), HeadBits'({112{1'b1}})};
  localparam logic [2*HeadBits-1:0] Start =
      {HeadBits'({AfterLrh, 144'd0}), HeadBits'({AfterLrh, 112'd0})};

  function automatic logic [DataWidth-1:0] cover_head(input logic [DataWidth-1:0] data,
                                                      input logic [BeatBits-1:0]  beat,
                                                      input logic [1:0]           kind,
                                                      input logic                 vlan);
    cover_head = data;
    for (int b = 0; b < HeadBeats; b++) begin
      for (int v = 0; v < 6; v++) begin
        if (beat == BeatBits'(b) && {kind, vlan} == 3'(v)) begin
          cover_head = ((data | Ones[HeadBits*v + DataWidth*b +: DataWidth])
                        & ~Ethernet[HeadBits*(v%2) + DataWidth*b +: DataWidth])
                       ^ Start[HeadBits*(v%2) + DataWidth*b +: DataWidth];
        end
      end
    end
  endfunction

  function automatic logic [DataWidth-1:0] clear_tail(input logic [DataWidth-1:0] data,
                                                    input logic [Bytes-1:0]     keep,
                                                    input logic                 last);
    clear_tail = data;
    if (last) begin
      for (int i = 0; i < Bytes; i++) clear_tail[8*i +: 8] = keep[i] ? data[8*i +: 8] : 8'd0;
    end
  endfunction

  function automatic logic [31:0] sum_of(input logic [DataWidth-1:0] data);
    for (int row = 0; row < 32; row++) begin
      sum_of[row] = ^(data & TreeRows[DataWidth*row +: DataWidth]);
    end
  endfunction

  // The state acts like data in the first four bytes of the beat.
  function automatic logic [31:0] advance(input logic [31:0] state);
    for (int row = 0; row < 32; row++) begin
      advance[row] = ^(state & TreeRows[DataWidth*row +: 32]);
    end
  endfunction

  function automatic logic [GapBits-1:0] gap_of(input logic [Bytes-1:0] keep);
    logic [Bytes-1:0] end_at;  // one-hot: the last byte
    end_at = keep & ~(keep >> 1);
    gap_of = '0;
    for (int i = 0; i < Bytes; i++) begin
      gap_of = gap_of | (end_at[i] ? GapBits'(Bytes - 1 - i) : '0);
    end
  endfunction

  logic [1:0]          kind;
  logic [BeatBits-1:0] beat_q;  // index in the frame; stays at HeadBeats after the headers
  logic [31:0]         sum_q, state_q;
  logic [GapBits-1:0]  sum_gap_q, gap_q;
  logic                sum_valid_q, sum_first_q, sum_last_q, done_q;
  assign kind = roce_v1_i ? Grh : ipv6_i ? Ipv6 : Ipv4;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q      <= '0;
      sum_valid_q <= 1'b0;
      done_q      <= 1'b0;
    end else if (enable_i) begin
      sum_valid_q <= valid_i;
      done_q      <= sum_valid_q && sum_last_q;
      if (valid_i) begin
        if (last_i) beat_q <= '0;
        else if (beat_q != BeatBits'(HeadBeats)) beat_q <= beat_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i && valid_i) begin
      sum_q       <= sum_of(clear_tail(cover_head(data_i, beat_q, kind, vlan_i), keep_i, last_i));
      sum_first_q <= beat_q == '0;
      sum_last_q  <= last_i;
      if (last_i) sum_gap_q <= gap_of(keep_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i && sum_valid_q) begin
      state_q <= sum_q ^ (sum_first_q ? 32'd0 : advance(state_q));
      gap_q   <= sum_gap_q;
    end
  end

  assign state_o = state_q;
  assign gap_o   = gap_q;
  assign valid_o = done_q;

`ifdef PROOF_OF_roci_icrc  // every step of a block that holds it would prove it anew
  // Against the definition, byte by byte and bit by bit. One beat of any state and data is enough,
  // since the state moves on beat by beat. Both sides are sums of their input bits: when they
  // agree on every single bit, and on none, they agree on all.
  function automatic logic [31:0] add_byte(input logic [31:0] crc, input logic [7:0] data);
    add_byte = crc ^ {24'd0, data};
    for (int i = 0; i < 8; i++) begin
      add_byte = (add_byte >> 1) ^ (add_byte[0] ? 32'hEDB8_8320 : 32'd0);
    end
  endfunction

  (* anyconst *) logic [31:0] f_state;
  logic [DataWidth+31:0] f_bits;
  logic [31:0]           f_serial;
  assign f_bits = {data_i, f_state};
  always_comb begin
    f_serial = f_state;
    for (int i = 0; i < Bytes; i++) f_serial = add_byte(f_serial, data_i[8*i +: 8]);
    if ((f_bits & (f_bits - 1'b1)) == '0) begin
      BeatIsSerial : assert ((sum_of(data_i) ^ advance(f_state)) == f_serial);
    end
  end

  // What is covered, byte by byte: `at` counts from the IP header.
  function automatic logic [7:0] covered(input logic [7:0] data, input int at, input logic ipv6,
                                         input logic grh);
    covered = data;
    if (at < 0) covered = 8'd0;
    else if (grh  ? at == 1 || at == 2 || at == 3 || at == 7 || at == 44
           : ipv6 ? at == 1 || at == 2 || at == 3 || at == 7 || at == 46 || at == 47 || at == 52
                  : at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27
                    || at == 32) covered = 8'hFF;
    else if ((grh || ipv6) && at == 0) covered = data | 8'h0F;
    if (at == 0) covered = covered ^ 8'hE3;  // the start state 0xDEBB20E3, low byte first
    if (at == 1) covered = covered ^ 8'h20;
    if (at == 2) covered = covered ^ 8'hBB;
    if (at == 3) covered = covered ^ 8'hDE;
  endfunction

  logic [DataWidth-1:0] f_covered;
  always_comb begin
    f_covered = data_i;
    for (int b = 0; b < 16; b++) begin
      for (int i = 0; i < Bytes; i++) begin
        if (beat_q == BeatBits'(b)) begin
          f_covered[8*i +: 8] =
              vlan_i ? covered(data_i[8*i +: 8], Bytes * b + i - 18, ipv6_i, roce_v1_i)
                     : covered(data_i[8*i +: 8], Bytes * b + i - 14, ipv6_i, roce_v1_i);
        end
        if (last_i && !keep_i[i]) f_covered[8*i +: 8] = 8'd0;
      end
    end
    FieldsAreMasked : assert (
        clear_tail(cover_head(data_i, beat_q, kind, vlan_i), keep_i, last_i) == f_covered);
  end
  always_comb OneBit : cover (f_bits != '0 && (f_bits & (f_bits - 1'b1)) == '0);
`endif

endmodule
