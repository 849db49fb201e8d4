// SPDX-License-Identifier: Apache-2.0
// Rules of an AXI stream, checked on one stream.
//
// A beat, once valid, stays unchanged until it is taken. Bytes are kept from the low end, without a
// gap; every beat but the last of a frame is full, and the last is not empty.
// Put one on each side of a block: Assume = 1 where the block receives, 0 where it drives. In
// simulation both sides are checked.

`include "assert.svh"

module roci_axis_check #(
  parameter int unsigned DataWidth = 64,   // bits
  parameter int unsigned Assume    = 0
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic [DataWidth-1:0]   tdata_i,
  input logic [DataWidth/8-1:0] tkeep_i,
  input logic                   tlast_i,
  input logic                   tvalid_i,
  input logic                   tready_i
);

  localparam int unsigned Bytes = DataWidth / 8;

  logic                     stalled_q;
  logic [DataWidth+Bytes:0] beat, beat_q;
  logic                     held, kept, filled;

  assign beat   = {tlast_i, tkeep_i, tdata_i};
  assign held   = !stalled_q || (tvalid_i && beat == beat_q);
  assign kept   = !tvalid_i || (tkeep_i & (tkeep_i + 1'b1)) == '0;
  assign filled = !tvalid_i || (tlast_i ? tkeep_i[0] : &tkeep_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) stalled_q <= 1'b0;
    else         stalled_q <= tvalid_i && !tready_i;
    if (tvalid_i && !tready_i) beat_q <= beat;
  end

  if (Assume != 0) begin : gen_assume
    `ASSUME(BeatHeld, held)
    `ASSUME(KeepWithoutGap, kept)
    `ASSUME(BeatsFull, filled)
  end else begin : gen_assert
    `ASSERT(BeatHeld, held)
    `ASSERT(KeepWithoutGap, kept)
    `ASSERT(BeatsFull, filled)
  end

endmodule
