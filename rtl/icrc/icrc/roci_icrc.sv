// SPDX-License-Identifier: Apache-2.0
// Invariant CRC of RoCE v2 (WIRE-37, WIRE-38) and v1 over frames of any length.
//
// Throughput: one beat per clock, no bubble between frames. Latency: three clocks from the last
// beat to valid_o. Nothing moves while enable_i is 0.
//
//   data --> cleared where it is not covered --> XOR tree --> +--> state --> state_o
//                              constants of the headers --^   ^      |
//                                                             +- x^W +   W = DataWidth
//
// CRC is linear, so a frame is summed up from a zero state. Bytes before the IP header become
// zeros, which change nothing, and so do fields that count as ones: what these and the state after
// the eight 0xFF bytes of the missing LRH add is a constant of beat and kind of headers.
// After the last byte come zeros up to the end of the lane, so the running state always moves on by
// a full beat. The caller takes those gap_o bytes out (roci_icrc_unwind) or expects them (icrc_rx).

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

  // Row i of the tree: the data bits that add up to bit i of the state at the end of the beat. This
  // and other functions with coverage off run at elaboration, or in the proof.
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

  // Bits of a beat that do not count as sent.
  function automatic logic [DataWidth-1:0] uncovered(input logic [BeatBits-1:0] beat,
                                                     input logic [1:0]          kind,
                                                     input logic                vlan);
    uncovered = '0;
    for (int b = 0; b < HeadBeats; b++) begin
      for (int v = 0; v < 6; v++) begin
        if (beat == BeatBits'(b) && {kind, vlan} == 3'(v)) begin
          uncovered = Ones[HeadBits*v + DataWidth*b +: DataWidth]
                      | Ethernet[HeadBits*(v%2) + DataWidth*b +: DataWidth];
        end
      end
    end
  endfunction

  // verilator coverage_off
  function automatic logic [31:0] rows_of(input logic [DataWidth-1:0] data);
    for (int row = 0; row < 32; row++) begin
      rows_of[row] = ^(data & TreeRows[DataWidth*row +: DataWidth]);
    end
  endfunction
  // verilator coverage_on
  logic [DataWidth-1:0] covered_q;
  logic [31:0]          sum;
  roci_icrc_matrix #(.Columns(DataWidth), .Rows(TreeRows)) u_tree (
    .data_i(covered_q), .sum_o(sum));

  // What the headers of a kind add to the sum of a beat.
  localparam int unsigned Kinds = 6;
  logic [32*Kinds*HeadBeats-1:0] constants;
  for (genvar b = 0; b < HeadBeats; b++) begin : gen_beat
    for (genvar v = 0; v < Kinds; v++) begin : gen_kind
      localparam logic [31:0] Constant =
          rows_of(Ones[HeadBits*v + DataWidth*b +: DataWidth]
                  ^ Start[HeadBits*(v%2) + DataWidth*b +: DataWidth]);
      assign constants[32*(Kinds*b+v) +: 32] = Constant;
    end
  end

  // The state acts like data in the first four bytes of the beat.
  // verilator coverage_off
  function automatic logic [32*32-1:0] first_columns(input logic [32*DataWidth-1:0] rows);
    for (int row = 0; row < 32; row++) first_columns[32*row +: 32] = rows[DataWidth*row +: 32];
  endfunction
  // verilator coverage_on

  logic [31:0] state_q, advanced;
  roci_icrc_matrix #(.Columns(32), .Rows(first_columns(TreeRows))) u_advance (
    .data_i(state_q), .sum_o(advanced));

  function automatic logic [GapBits-1:0] gap_of(input logic [Bytes-1:0] keep);
    logic [Bytes-1:0] end_at;  // one-hot: the last byte
    end_at = keep & ~(keep >> 1);
    gap_of = '0;
    for (int i = 0; i < Bytes; i++) begin
      gap_of = gap_of | (end_at[i] ? GapBits'(Bytes - 1 - i) : '0);
    end
  endfunction
  logic [1:0]           kind;
  logic [BeatBits-1:0]  beat_q;  // index in the frame; stays at HeadBeats after the headers
  logic [DataWidth-1:0] clear;
  logic [31:0]          constant, constant_q, sum_q;
  logic [GapBits-1:0]   covered_gap_q, sum_gap_q, gap_q;
  logic                 covered_valid_q, covered_first_q, covered_last_q;
  logic                 sum_valid_q, sum_first_q, sum_last_q, done_q, take;
  assign kind = roce_v1_i ? Grh : ipv6_i ? Ipv6 : Ipv4;
  assign take = enable_i && valid_i;

  // clock 1: bytes that do not count are cleared
  always_comb begin
    clear    = uncovered(beat_q, kind, vlan_i);
    constant = '0;
    for (int b = 0; b < HeadBeats; b++) begin
      for (int v = 0; v < Kinds; v++) begin
        if (beat_q == BeatBits'(b) && {kind, vlan_i} == 3'(v)) begin
          constant = constants[32*(Kinds*b+v) +: 32];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q          <= '0;
      covered_valid_q <= 1'b0;
      sum_valid_q     <= 1'b0;
      done_q          <= 1'b0;
    end else if (enable_i) begin
      covered_valid_q <= valid_i;
      sum_valid_q     <= covered_valid_q;
      done_q          <= sum_valid_q && sum_last_q;
      if (valid_i) begin
        if (last_i) beat_q <= '0;
        else if (beat_q != BeatBits'(HeadBeats)) beat_q <= beat_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      for (int i = 0; i < 2 * Bytes; i++) begin
        covered_q[4*i +: 4] <= clear[4*i] || (last_i && !keep_i[i/2]) ? '0 : data_i[4*i +: 4];
      end
      constant_q      <= constant;
      covered_first_q <= beat_q == '0;
      covered_last_q  <= last_i;
      covered_gap_q   <= gap_of(keep_i);
    end
  end

  // clock 2: the sum of the beat
  always_ff @(posedge clk_i) begin
    if (enable_i && covered_valid_q) begin
      sum_q       <= sum ^ constant_q;
      sum_first_q <= covered_first_q;
      sum_last_q  <= covered_last_q;
      sum_gap_q   <= covered_gap_q;
    end
  end

  // clock 3: over the beats
  always_ff @(posedge clk_i) begin
    if (enable_i && sum_valid_q) begin
      state_q <= sum_q ^ (sum_first_q ? 32'd0 : advanced);
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

  logic [DataWidth+31:0] f_bits;
  logic [31:0]           f_serial;
  assign f_bits = {covered_q, state_q};
  always_comb begin
    f_serial = state_q;
    for (int i = 0; i < Bytes; i++) f_serial = add_byte(f_serial, covered_q[8*i +: 8]);
    if ((f_bits & (f_bits - 1'b1)) == '0) begin
      BeatIsSerial : assert ((sum ^ advanced) == f_serial);
    end
  end

  // What is covered, byte by byte: `at` counts from the IP header.
  function automatic logic [7:0] covers(input logic [7:0] data, input int at);
    covers = data;
    if (at < 0) covers = 8'd0;
    else if (roce_v1_i ? at == 1 || at == 2 || at == 3 || at == 7 || at == 44
           : ipv6_i ? at == 1 || at == 2 || at == 3 || at == 7 || at == 46 || at == 47 || at == 52
                  : at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27
                    || at == 32) covers = 8'hFF;
    else if ((roce_v1_i || ipv6_i) && at == 0) covers = data | 8'h0F;
    // the start state 0xDEBB20E3, low byte first
    if (at >= 0 && at < 4) covers = covers ^ 8'(32'hDEBB_20E3 >> (8 * at));
  endfunction

  // What the definition covers of a byte is what stays of it and what is added, and the latter is
  // what it covers of a zero. Bytes after the end add nothing: a frame has all of its headers.
  logic [DataWidth-1:0] f_covered, f_added, f_left;
  logic                 f_clear_is_right;
  always_comb begin
    f_covered = data_i;
    f_added   = '0;
    for (int b = 0; b < 16; b++) begin
      for (int i = 0; i < Bytes; i++) begin
        if (beat_q == BeatBits'(b)) begin
          f_covered[8*i +: 8] = vlan_i ? covers(data_i[8*i +: 8], Bytes * b + i - 18)
                                       : covers(data_i[8*i +: 8], Bytes * b + i - 14);
          f_added[8*i +: 8]   = vlan_i ? covers(8'd0, Bytes * b + i - 18)
                                       : covers(8'd0, Bytes * b + i - 14);
        end
      end
    end
    f_clear_is_right = 1'b1;
    for (int i = 0; i < 2 * Bytes; i++) begin
      f_left[4*i +: 4] = clear[4*i] ? '0 : data_i[4*i +: 4];
      if (clear[4*i +: 4] != {4{clear[4*i]}}) f_clear_is_right = 1'b0;
    end
    FieldsAreMasked   : assert ((f_left ^ f_added) == f_covered);
    ClearsWholeFours  : assert (f_clear_is_right);
    ConstantIsSum     : assert (constant == rows_of(f_added));
  end
  always_comb OneBit : cover (f_bits != '0 && (f_bits & (f_bits - 1'b1)) == '0);
`endif

endmodule
