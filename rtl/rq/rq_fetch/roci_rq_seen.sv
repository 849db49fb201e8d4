// SPDX-License-Identifier: Apache-2.0
// Look ahead at the receives of queue pairs without an SRQ: is a receive posted, and fetched.
//
// Throughput: one read and one write per clock. Latency: one clock. A read sees the writes up to
// its own clock.
//
// The receive is a base and how far it is ahead of that, as the responder guesses it: no sum
// follows another. A ring that was not written since its queue pair was reset has no receives.

`include "assert.svh"

module roci_rq_seen #(
  parameter int unsigned NumQps = 256,  // power of two
  localparam int unsigned RowBits = $clog2(NumQps)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               ready_o,

  input  logic               reset_i,      // a queue pair is reset
  input  logic [RowBits-1:0] reset_row_i,

  input  logic               write_i,
  input  logic               keep_i,       // it was not reset in the clock before
  input  logic [RowBits-1:0] write_row_i,
  input  logic               active_i,     // receives are fetched
  input  logic [15:0]        got_i,        // index up to which they are fetched,
  input  logic [15:0]        prod_i,       // and posted

  input  logic               read_i,
  input  logic [RowBits-1:0] read_row_i,
  input  logic [15:0]        base_i,       // with the result: receive base_i + ahead_i
  input  logic [2:0]         ahead_i,
  output logic               posted_o,
  output logic               fetched_o
);

  logic               here, here_q, set, set_q, clear_q, new_q, old, old_q, active, unused_ready;
  logic [RowBits-1:0] row_q;
  logic [15:0]        got, prod;
  assign set = write_i && keep_i && !(reset_i && reset_row_i == write_row_i);
  roci_flags #(.Depth(NumQps)) u_here (
    .clk_i, .rst_ni, .set_i(set), .set_row_i(write_row_i),
    .clear_i(reset_i && ready_o), .clear_row_i(reset_row_i),
    .read_row_i, .flag_o(here), .ready_o
  );
  roci_ram #(.Width(33), .Depth(NumQps), .Forward(1)) u_word (
    .clk_i, .rst_ni,
    .write_i, .write_row_i, .write_data_i({active_i, got_i, prod_i}),
    .read_i, .read_row_i, .read_data_o({active, got, prod}), .ready_o(unused_ready)
  );

  // The flag as the row was read, and what changed in that clock; later changes are added.
  always_ff @(posedge clk_i) begin
    here_q  <= here;
    set_q   <= set && write_row_i == read_row_i;
    clear_q <= reset_i && reset_row_i == read_row_i;
    new_q   <= read_i;
    old_q   <= old || (reset_i && reset_row_i == row_q);
    if (read_i) row_q <= read_row_i;
  end
  assign old = new_q ? clear_q || !(here_q || set_q) : old_q;

  // Receives from the base on, less one, so that none is negative and a full ring of 32,768 is not.
  logic [15:0] posted, fetched;
  assign posted    = prod + ~base_i;
  assign fetched   = got + ~base_i;
  assign posted_o  = !old && active && !posted[15]
                  && (posted[14:3] != '0 || posted[2:0] >= ahead_i);
  assign fetched_o = posted_o && !fetched[15]
                  && (fetched[14:3] != '0 || fetched[2:0] >= ahead_i);

  // It is there when there are more than it is ahead.
  logic [15:0] all_posted, all_fetched;
  logic        posts, fetches;
  assign all_posted  = prod - base_i;
  assign all_fetched = got - base_i;
  assign posts       = all_posted > 16'(ahead_i) && all_posted <= 16'h8000;
  assign fetches     = all_fetched > 16'(ahead_i) && all_fetched <= 16'h8000;
  `ASSERT(PostedIsMore, posted_o == (!old && active && posts))
  `ASSERT(FetchedIsMore, fetched_o == (posted_o && fetches))

  // keep_i is of the clock before, in which the operation acted.
  logic               reset_q;
  logic [RowBits-1:0] reset_row_q;
  always_ff @(posedge clk_i) {reset_q, reset_row_q} <= {reset_i && rst_ni, reset_row_i};
  `ASSUME(KeepsUnlessReset, `IMPLIES(write_i, keep_i == !(reset_q && reset_row_q == write_row_i)))

`ifdef FORMAL
  // What is read of any one row is what was written last, and nothing after a reset.
  (* anyconst *) logic [RowBits-1:0] f_row;
  logic        f_active_q, f_runs_q;  // the read was not in reset
  logic [15:0] f_prod_q, f_got_q;
  always_ff @(posedge clk_i) begin
    f_runs_q <= rst_ni;
    if (!rst_ni) f_active_q <= 1'b0;
    else if (reset_i && reset_row_i == f_row) f_active_q <= 1'b0;
    else if (write_i && write_row_i == f_row) f_active_q <= keep_i && active_i;
    if (write_i && write_row_i == f_row) {f_got_q, f_prod_q} <= {got_i, prod_i};
  end
  `ASSUME(NothingBeforeReady, `IMPLIES(write_i || reset_i, ready_o))
  `ASSERT(ReadsTheRow, `IMPLIES(f_runs_q && new_q && row_q == f_row,
                                (!old && active) == f_active_q))
  `ASSERT(ReadsItsIndices, `IMPLIES(f_runs_q && new_q && row_q == f_row && f_active_q,
                                    {got, prod} == {f_got_q, f_prod_q}))
  `COVER(SeesAhead, posted_o && !fetched_o && ahead_i == 3'd2)
  initial assume (!rst_ni);
`endif

endmodule
