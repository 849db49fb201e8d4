// SPDX-License-Identifier: Apache-2.0
// Joins slices of beats, each of any bytes, to a stream of full beats that starts at any byte.
//
// Throughput: one slice a clock, and one more clock for a run whose last slice spills into a beat
// of its own. Latency: one clock. in_ready_o follows out_ready_i.
//
//   in    |..AAAAAA|BBB.....|      slices: start, bytes; begin with A at pos 5, end with B
//   rotate by pos - start, keep what does not fit for the next beat
//   out   |.....AAA|AAABBB..|

`include "assert.svh"

module roci_dma_align #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned UserBits  = 1,
  parameter int unsigned Zeros     = 1,  // 0: bytes outside the run may be any
  localparam int unsigned OffBits = $clog2(DataWidth / 8)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // in
  input  logic [DataWidth-1:0] in_data_i,
  input  logic [OffBits-1:0]   in_start_i,  // first byte of the slice
  input  logic [OffBits:0]     in_bytes_i,  // 1 to DataWidth / 8 - start
  input  logic                 in_begin_i,  // a run begins, its first byte goes to in_pos_i
  input  logic [OffBits-1:0]   in_pos_i,
  input  logic                 in_end_i,    // the run ends with this slice
  input  logic [UserBits-1:0]  in_user_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,

  // out
  output logic [DataWidth-1:0] out_data_o,  // bytes outside the run are 0
  output logic [DataWidth/8-1:0] out_strb_o,  // bytes of the run
  output logic [OffBits-1:0]   out_from_o,  // first byte of the run in this beat
  output logic [OffBits:0]     out_to_o,    // one past the last
  output logic                 out_last_o,  // last beat of the run
  output logic [UserBits-1:0]  out_user_o,  // in_user_i of the slice that completed the beat
  output logic                 out_valid_o,
  input  logic                 out_ready_i,

  output logic                 open_o,      // a run has begun, its last slice has not come
  output logic                 idle_o       // no slice inside, no run begun
);

  localparam int unsigned Bytes = DataWidth / 8;
  localparam int unsigned Steps = (OffBits + 1) / 2;

  // Moves byte 0 to byte `by` times `unit`.
  function automatic logic [DataWidth-1:0] rotate(input logic [DataWidth-1:0] data,
                                                  input logic [1:0] by, input int unsigned unit);
    rotate = data;
    if (by[0]) rotate = (rotate << (8 * unit)) | (rotate >> (DataWidth - 8 * unit));
    if (by[1]) rotate = (rotate << (16 * unit)) | (rotate >> (DataWidth - 16 * unit));
  endfunction

  // For each step of a rotation, the bits of every second group of the bytes that it moves by less
  // than twice its unit. A table, so that simulation does not compute them each clock.
  function automatic logic [Steps*DataWidth-1:0] second_groups();
    for (int i = 0; i < Steps * DataWidth; i++) begin
      second_groups[i] = (((i % DataWidth) >> (4 + 2 * (i / DataWidth))) & 1) != 0;
    end
  endfunction
  localparam logic [Steps*DataWidth-1:0] SecondGroups = second_groups();

  // Strobes of the bytes before one; of all for 0.
  function automatic logic [Bytes-1:0] bytes_before(input logic [OffBits-1:0] to_byte);
    bytes_before = to_byte == '0 ? '1 : ~({Bytes{1'b1}} << to_byte);
  endfunction

  // First stage: where the slice goes.
  logic [OffBits-1:0] fill_q, from_q;  // next and first byte of the beat being filled
  logic [OffBits-1:0] fill, from;
  logic [OffBits:0]   sum;
  logic               take, full;
  assign fill = in_begin_i ? in_pos_i : fill_q;
  assign from = in_begin_i ? in_pos_i : from_q;
  assign sum  = {1'b0, fill} + in_bytes_i;  // at most 2 Bytes - 1
  assign full = sum[OffBits];
  assign take = in_valid_i && in_ready_o;

  // Turns by two bits of the distance a step, in one LUT a bit and step. The distance stands twice,
  // each time for every second group of bytes: so a multiplexer of two bytes never serves two
  // others, and the mapper has no reason to build a step of two levels, which takes more LUTs.
  logic [2*Steps-1:0]   distance, again;
  logic [DataWidth-1:0] turned;
  assign distance = (2 * Steps)'(OffBits'(fill - in_start_i));
  assign again    = (2 * Steps)'(OffBits'(~(in_start_i + ~fill)));  // the same
  always_comb begin
    turned = 'x;
    if (in_valid_i) begin  // simulation skips the branch
      turned = in_data_i;
      for (int s = 0; s < Steps; s++) begin
        turned = (rotate(turned, distance[2*s +: 2], 1 << 2 * s)
                  & SecondGroups[DataWidth*s +: DataWidth])
               | (rotate(turned, again[2*s +: 2], 1 << 2 * s)
                  & ~SecondGroups[DataWidth*s +: DataWidth]);
      end
    end
  end

  // Second stage: merge with what earlier slices left. A bit a byte chooses between the two, says
  // what is kept, and what belongs to the run.
  logic [DataWidth-1:0] turned_q, rest_q;
  logic [Bytes-1:0]     fresh_q;             // from the slice, not from earlier ones
  logic [Bytes-1:0]     run_q;               // not before the run
  logic [Bytes-1:0]     below;               // before the end
  logic [DataWidth-1:0] joined;
  logic [OffBits-1:0]   begin_at_q;
  logic [OffBits:0]     sum_q, to;
  logic [UserBits-1:0]  user_q;
  logic                 valid_q, end_q, spill_q, second_q, open_q;
  logic                 emit, step, two;

  assign emit = sum_q[OffBits] || end_q;
  assign two  = end_q && spill_q && !second_q;  // a second beat follows from the same slice
  assign step = valid_q && (!emit || out_ready_i);
  assign in_ready_o = !valid_q || (step && !two);

  always_comb begin
    to = (OffBits + 1)'(Bytes);
    if (second_q) to = {1'b0, sum_q[OffBits-1:0]};
    else if (end_q && !spill_q) to = sum_q;
  end

  assign below      = bytes_before(sum_q[OffBits-1:0]);
  assign out_strb_o = second_q ? below : run_q & (end_q && !spill_q ? below : '1);
  always_comb begin
    joined = 'x;
    if (valid_q) begin  // simulation skips the branch
      for (int i = 0; i < Bytes; i++) begin
        joined[8*i +: 8] = fresh_q[i] ? turned_q[8*i +: 8] : rest_q[8*i +: 8];
      end
    end
  end

  if (Zeros != 0) begin : gen_zeros
    // The strobes again, from registers, so that they and the choice take one LUT a bit.
    logic [Bytes-1:0] strb_q, second_strb_q;
    always_ff @(posedge clk_i) begin
      if (take) begin
        strb_q        <= ({Bytes{1'b1}} << from)
                       & (in_end_i && !full ? bytes_before(sum[OffBits-1:0]) : '1);
        second_strb_q <= bytes_before(sum[OffBits-1:0]);
      end else if (step && two) strb_q <= second_strb_q;
    end
    for (genvar i = 0; i < Bytes; i++) begin : gen_byte
      assign out_data_o[8*i +: 8] = strb_q[i] ? joined[8*i +: 8] : 8'd0;
    end
    `ASSERT(ZerosAreOutside, `IMPLIES(valid_q && emit, strb_q == out_strb_o))
    `ASSERT(SecondIsKept, `IMPLIES(valid_q && spill_q, second_strb_q == below))
  end else begin : gen_any
    assign out_data_o = joined;
  end

  assign out_from_o  = second_q ? '0 : begin_at_q;
  assign out_to_o    = to;
  assign out_last_o  = end_q && !two;
  assign out_user_o  = user_q;
  assign out_valid_o = valid_q && emit;
  assign open_o      = open_q;
  assign idle_o      = !valid_q && !open_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      second_q <= 1'b0;
      open_q   <= 1'b0;
    end else begin
      if (in_ready_o) valid_q <= in_valid_i;
      if (step) second_q <= two;
      if (take) open_q <= !in_end_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      fill_q     <= sum[OffBits-1:0];
      from_q     <= full ? '0 : from;
      turned_q   <= turned;
      fresh_q    <= {Bytes{1'b1}} << fill;
      run_q      <= {Bytes{1'b1}} << from;
      begin_at_q <= from;
      sum_q      <= sum;
      spill_q    <= full && sum[OffBits-1:0] != '0;
      end_q      <= in_end_i;
      user_q     <= in_user_i;
    end
    if (step && !second_q) begin
      for (int i = 0; i < Bytes; i++) begin
        if (sum_q[OffBits] || fresh_q[i]) rest_q[8*i +: 8] <= turned_q[8*i +: 8];
      end
    end
  end

  `ASSUME(SliceInRange, `IMPLIES(in_valid_i, in_bytes_i != '0 &&
                                 8'(in_start_i) + 8'(in_bytes_i) <= 8'(Bytes)))
  `ASSUME(BeginsWhenClosed, `IMPLIES(in_valid_i, in_begin_i == !open_q))
  `ASSERT(BeatIsNotEmpty, `IMPLIES(out_valid_o, {1'b0, out_from_o} < out_to_o))

`ifdef FORMAL
  // No byte is lost, made or changed: bytes are counted on both sides, and one of any number is
  // followed. What is inside stands between begin_at_q and sum_q of the slice, or waits in rest_q.
  (* anyconst *) logic [7:0] f_n;
  logic [OffBits-1:0] at_q;  // where the slice begins
  logic               begin_q;
  always_ff @(posedge clk_i) begin
    if (take) at_q    <= fill;
    if (take) begin_q <= in_begin_i;
  end
  `ASSERT(BytesAreChosen, `IMPLIES(valid_q,
                                   fresh_q == {Bytes{1'b1}} << at_q
                                   && run_q == {Bytes{1'b1}} << begin_at_q))
  `ASSERT(StrobesAreTheRun, `IMPLIES(out_valid_o,
                                     out_strb_o == (({Bytes{1'b1}} << out_from_o)
                                                    & ~({Bytes{1'b1}} << out_to_o))))
  logic [7:0] f_in_q, f_out_q, f_inside, f_ahead, f_byte_q, f_given, f_stored, f_lane;
  logic       f_here;
  assign f_given  = f_n - f_in_q;    // in the slice offered
  assign f_ahead  = f_n - f_out_q;   // distance from the first byte inside
  assign f_inside = valid_q ? (second_q ? 8'(sum_q) - 8'(Bytes) : 8'(sum_q) - 8'(begin_at_q))
                            : open_q ? 8'(fill_q) - 8'(from_q) : 8'd0;
  assign f_here   = f_ahead < f_inside;
  assign f_lane   = f_ahead + (valid_q ? (second_q ? 8'd0 : 8'(begin_at_q)) : 8'(from_q));
  assign f_stored = valid_q && !second_q && f_lane >= 8'(at_q)
                  ? turned_q[8*f_lane[OffBits-1:0] +: 8] : rest_q[8*f_lane[OffBits-1:0] +: 8];
  logic               f_fresh_q;  // no beat of the run inside has left
  logic [OffBits-1:0] f_pos_q;    // where it was to begin
  always_ff @(posedge clk_i) begin
    if (take && in_begin_i) begin
      f_fresh_q <= 1'b1;
      f_pos_q   <= in_pos_i;
    end else if (out_valid_o && out_ready_i) f_fresh_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_in_q  <= '0;
      f_out_q <= '0;
    end else begin
      if (take) f_in_q <= f_in_q + 8'(in_bytes_i);
      if (out_valid_o && out_ready_i) f_out_q <= f_out_q + 8'(out_to_o) - 8'(out_from_o);
    end
    if (take && f_given < 8'(in_bytes_i)) f_byte_q <= in_data_i[8*(8'(in_start_i) + f_given) +: 8];
  end
  `ASSERT(BytesAreInside, f_in_q - f_out_q == f_inside && f_inside < 8'(2 * Bytes))
  `ASSERT(SliceIsWhole, `IMPLIES(valid_q, fill_q == sum_q[OffBits-1:0] && open_q == !end_q
                                          && from_q == (sum_q[OffBits] ? '0 : begin_at_q)
                                          && begin_at_q <= at_q && {1'b0, at_q} < sum_q
                                          && spill_q == (sum_q[OffBits] && sum_q[OffBits-1:0] != '0)
                                          && `IMPLIES(begin_q, begin_at_q == at_q)))
  `ASSERT(SecondIsSpill, `IMPLIES(second_q, valid_q && end_q && spill_q))
  `ASSERT(FillIsAfterFrom, `IMPLIES(!valid_q && open_q, from_q <= fill_q))
  `ASSERT(ByteIsKept, `IMPLIES(f_here, f_stored == f_byte_q))
  `ASSERT(ByteLeavesWhole, `IMPLIES(out_valid_o && f_here
                                    && f_ahead < 8'(out_to_o) - 8'(out_from_o),
                                    out_data_o[8*(8'(out_from_o) + f_ahead) +: 8] == f_byte_q))
  `ASSERT(RunEndsEmpty, `IMPLIES(out_valid_o && out_last_o,
                                 f_inside == 8'(out_to_o) - 8'(out_from_o)))
  `ASSERT(FillBegins, `IMPLIES(!valid_q && open_q, from_q == (f_fresh_q ? f_pos_q : '0)))
  `ASSERT(RunBeginsAtPos, `IMPLIES(valid_q && !second_q, begin_at_q == (f_fresh_q ? f_pos_q : '0)))
  `ASSERT(SecondIsNotFresh, `IMPLIES(second_q, !f_fresh_q))
  `COVER(SpilledByteLeaves, out_valid_o && out_ready_i && second_q && f_here && !begin_q)
  `COVER(ThreeSlices, f_in_q > 8'(2 * Bytes) && out_valid_o && !begin_q && f_here)
  initial assume (!rst_ni);
`endif

endmodule
