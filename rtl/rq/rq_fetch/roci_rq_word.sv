// SPDX-License-Identifier: Apache-2.0
// The ring word that an operation leaves, in the clock after the operation: what roci_rq_act made
// of it, and what a doorbell does, whose comparisons with the ring take the clock of the operation.
//
// Throughput: one word per clock. Latency: one clock; word_o then stands until the next operation.

module roci_rq_word (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // an operation acts
  input  logic                    acts_i,
  input  logic                    bell_i,        // a doorbell
  input  logic                    srq_i,
  input  logic                    in_reset_i,    // queue pair
  input  logic                    takes_i,       // queue pair with an SRQ
  input  roci_pkg::receive_ring_t ring_i,        // the word that the operation leaves, except for
  input  logic [15:0]             bell_index_i,  // what the doorbell posts

  // a clock later, until the next operation
  input  logic                    bell_wild_i,   // the doorbell is more than the ring ahead
  input  logic                    bell_posts_i,  // the doorbell posts something, and is not wild
  output roci_pkg::receive_ring_t word_o,

  // in that clock alone
  output logic                    acted_o,
  output logic                    work_push_o,   // there is something to fetch
  output logic                    fail_o,        // the queue pair fails
  output logic                    event_o,       // the SRQ is broken
  output logic                    posted_o       // a receive was posted in ERR
);

  roci_pkg::receive_ring_t ring_q;
  logic                    acted_q, counts_q, srq_q, wild, posts;
  logic [15:0]             index_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) acted_q <= 1'b0;
    else acted_q <= acts_i;
    if (acts_i) begin
      ring_q   <= ring_i;
      counts_q <= bell_i && (srq_i ? ring_i.active : !in_reset_i && !takes_i);
      srq_q    <= srq_i;
      index_q  <= bell_index_i;
    end
  end

  assign wild  = counts_q && bell_wild_i;
  assign posts = counts_q && bell_posts_i;
  always_comb begin
    word_o = ring_q;
    if (wild && srq_q) word_o.active = 1'b0;
    if (posts) word_o.prod = index_q;
  end

  assign acted_o     = acted_q;
  assign work_push_o = acted_q && posts && ring_q.active;
  assign fail_o      = acted_q && wild && !srq_q;
  assign event_o     = acted_q && wild && srq_q;
  assign posted_o    = acted_q && posts && ring_q.flush;

endmodule
