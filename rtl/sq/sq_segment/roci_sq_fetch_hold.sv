// SPDX-License-Identifier: Apache-2.0
// From which block of the fetch buffer on no other block may take its place: the first one that is
// not done with, or one before it, as long as inline data are still to be read from dma's copy.
//
// Work requests with inline data are held in order, and read or dropped in order. Those that are
// dropped leave the place as it is. Throughput: one held, one dropped and one read a clock.

`include "assert.svh"

module roci_sq_fetch_hold #(
  parameter int unsigned BlockBits = 8  // log2 of the blocks of the buffer
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic [BlockBits:0]   freed_i,       // free-running count of blocks done with
  input  logic                 hold_i,        // inline data in the blocks from there on
  input  logic                 dropped_i,     // inline data that will not be read
  input  logic                 done_valid_i,  // inline data were read,
  input  logic [BlockBits-1:0] done_block_i,  // in this block the last of them

  output logic [BlockBits:0]   held_from_o    // as freed_i, two clocks later
);

  logic [BlockBits-1:0] waiting_q;  // work requests held; each has two blocks or more
  logic [BlockBits:0]   from_q;
  logic                 none, turn;
  assign none = waiting_q == '0;
  assign turn = done_block_i < from_q[BlockBits-1:0];  // in the next round of the buffer
  always_ff @(posedge clk_i) begin
    if (!rst_ni) waiting_q <= '0;
    else waiting_q <= waiting_q + BlockBits'(hold_i) - BlockBits'(dropped_i)
                      - BlockBits'(done_valid_i);
    if (none) from_q <= freed_i;
    else if (done_valid_i) from_q <= {from_q[BlockBits] ^ turn, done_block_i};
  end
  // Counts of the clock before: what is held then is held still.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) held_from_o <= '0;
    else held_from_o <= none ? freed_i : from_q;
  end

  logic [BlockBits:0] held;
  assign held = freed_i - from_q;
  `ASSERT(HeldBeforeFreed, `IMPLIES(!none, held <= (BlockBits + 1)'(1 << BlockBits)))
  `ASSERT(OnlyHeldAreDone, `IMPLIES(none, !dropped_i && !done_valid_i))

endmodule
